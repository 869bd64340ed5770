/** Texts of the verification screen, by key. */
import type { FlowText, FlowTextKey } from '../flow/state'

/** Labels of fields and buttons. */
export type Label =
  | 'country'
  | 'phone_number'
  | 'send'
  | 'code'
  | 'code_hint'
  | 'submit'
  | 'send_another'
  | 'change_number'
  | 'cancel'
  /** Shown for a form that is submitted empty. */
  | 'required'
  | 'title'
  | 'title_code'
  /** `{number}` is where the code was sent. */
  | 'sent_to'
  | 'search_country'
  | 'no_country'
  /** Asks for a code again where none was sent. */
  | 'try_again'
  | 'by_sms'
  | 'by_alimtalk'
  /** Shown where the page asks for it. */
  | 'consent'

/** One language. `{attemptsRemaining}` and `{wait}` are filled in; leave them out as you like. */
export type Texts = Readonly<Record<Label | FlowTextKey, string>>

/** The text of a state, with its values filled in. */
export function say(texts: Texts, { key, waitMs = 0, attemptsRemaining }: FlowText): string {
  const values: Readonly<Record<string, string>> = {
    attemptsRemaining: attemptsRemaining === undefined ? '–' : String(attemptsRemaining),
    wait: minutesOf(waitMs),
  }
  return texts[key].replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder)
}

/** Formats a countdown: `0:30`, `12:00`, `1:00:00`. */
export function minutesOf(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60]
  const hours = Math.floor(seconds / 3_600)
  const [first = 0, ...rest] = hours > 0 ? [hours, ...parts] : parts
  return [first, ...rest.map((part) => String(part).padStart(2, '0'))].join(':')
}
