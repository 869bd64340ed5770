/** What people are told, by the key a state of a flow names. */
import type { FlowText, FlowTextKey } from '../flow/state'

/** What fields and buttons are called. */
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
  /** Of a form that is sent too soon. */
  | 'required'

/** One language. `{attemptsRemaining}` and `{wait}` are filled in; leave them out as you like. */
export type Texts = Readonly<Record<Label | FlowTextKey, string>>

/** The sentence of a state's `text`, with what it speaks of. */
export function say(texts: Texts, { key, waitMs = 0, attemptsRemaining }: FlowText): string {
  const values: Readonly<Record<string, string>> = {
    attemptsRemaining: attemptsRemaining === undefined ? '–' : String(attemptsRemaining),
    wait: minutesOf(waitMs),
  }
  return texts[key].replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder)
}

/** As a clock that runs down shows it: `0:30`, `12:00`, `1:00:00`. */
export function minutesOf(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60]
  const hours = Math.floor(seconds / 3_600)
  const [first = 0, ...rest] = hours > 0 ? [hours, ...parts] : parts
  return [first, ...rest.map((part) => String(part).padStart(2, '0'))].join(':')
}
