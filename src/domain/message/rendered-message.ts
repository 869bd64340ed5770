/**
 * Messages: how the texts of an app are written, what is stored of a message, and what a carrier gets. Decisions:
 * "Templates".
 */

import type { SendOutcome } from '../delivery/delivery'
import { invalid } from '../shared/error'
import type { Leg, MessageType } from '../shared/value'
import { languageOfCountry } from './language'
import type { Message } from './message'
import type { DltIds } from './template'

/**
 * The lines by which phones fill a code in by themselves, and the language of an app's texts.
 *
 * - Browsers: origin-bound one-time codes, wicg.github.io/sms-one-time-codes. The last line is `@domain #code`.
 * - Android apps: SMS Retriever, developers.google.com/identity/sms-retriever/verify. The text has the app's hash.
 */
export interface Texts {
  /** ASCII host of the page where the code is entered. */
  readonly webOtpDomain?: string | undefined
  /** Hash of the Android app that gets the text. */
  readonly androidHash?: string | undefined
  /** Requests without a language get the one of the number's country. */
  readonly localeByCountry: boolean
}

/** The defaults. */
const PLAIN: Texts = { localeByCountry: false }

export const textsOf = (app: { texts?: Partial<Texts> | undefined } | undefined): Texts =>
  app?.texts ? { ...PLAIN, ...app.texts } : PLAIN

/** The language of a message; undefined: the template's own. */
export const localeFor = (
  { localeByCountry }: Texts,
  asked: string | undefined,
  country: string | undefined,
): string | undefined => asked ?? (localeByCountry ? languageOfCountry(country) : undefined)

/** The text with its autofill lines. The line for browsers must be the last one. */
export const withAutofill = (text: string, { webOtpDomain, androidHash }: Texts, code: string): string =>
  text +
  (androidHash === undefined ? '' : `\n${androidHash}`) +
  (webOtpDomain === undefined ? '' : `\n@${webOtpDomain} #${code}`)

const LABEL = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
/** A host name with a dot. Its last label has a letter, so it is no IP address. */
const HOST = new RegExp(`^(?=.{1,253}$)(${LABEL}\\.)+(?=[^.]*[a-z])${LABEL}$`)

/** Characters that URL parsers drop or decode. */
const BEYOND_HOST = /[/\\?#%@:\s]/

/** The ASCII form of a host name in any script. Throws `invalid`. */
export function asHost(name: string): string {
  const url = `http://${name.trim()}`
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  if (BEYOND_HOST.test(name.trim()) || !HOST.test(host))
    throw invalid('webOtpDomain', 'invalid_host', `must be a host name such as app.example.com: ${name}`)
  return host
}

const ANDROID_HASH = /^[A-Za-z0-9+/]{11}$/

/** Throws `invalid`. */
export function assertAndroidHash(hash: string): void {
  if (!ANDROID_HASH.test(hash))
    throw invalid('androidHash', 'invalid_android_hash', 'must be the 11 characters that Android derives for the app')
}

/** Number and text of a message, rendered once at admission. Only delivery may hold them. */
export interface RenderedMessage {
  /** E.164. */
  to: string
  text: string
  /** Text of the SMS fallback, where it differs from the AlimTalk text, which Kakao approved. */
  fallbackText?: string | undefined
  /** Undefined where it carries none. */
  code?: string | undefined
  from: string | undefined
  messageType: MessageType
  /** Missing in a row of an earlier version. */
  templateId?: string | undefined
  templateCode: string
  /** The ids of the SMS text; only for numbers of India. */
  dlt?: DltIds | undefined
  variables: Readonly<Record<string, string>>
  /** The language of the SMS, or the one asked for where the template does not say its own; missing: nobody said any. */
  locale?: string | undefined
  scenario: number | undefined
}

/** One message as a carrier gets it. A channel that renders texts of its own makes them from code, template and locale. */
export interface OutboundMessage {
  messageId: string
  channel: Leg
  /** E.164. */
  to: string
  text: string
  code: string
  from?: string | undefined
  /** `sms` channel only. */
  messageType?: MessageType | undefined
  templateId?: string | undefined
  /** The carrier's code of the template. */
  templateCode?: string | undefined
  dlt?: DltIds | undefined
  /** With `code` among them. */
  variables?: Record<string, string> | undefined
  /** A language tag such as `ko` or `zh-TW`. */
  locale?: string | undefined
  /** An SMS that takes over from a failed AlimTalk. */
  isFallback: boolean
  /** When the code expires, Unix milliseconds: sending later is useless. */
  expiresAt: number
  /** How long this leg is waited for before the next one begins. */
  waitSec?: number | undefined
  /** W3C `traceparent`, and behind a space the `tracestate`, for a carrier whose settings say so. */
  trace?: string | undefined
  /** Test mode: what the simulator must play. */
  scenario?: number | undefined
}

/** The message of the leg an issue is on. */
export function messageOf(issue: Message, rendered: RenderedMessage): OutboundMessage {
  const isSms = issue.leg === 'sms'
  const isFallback = issue.leg !== issue.channel
  return {
    messageId: issue.messageId,
    channel: issue.leg,
    to: rendered.to,
    text: textOf(issue, rendered),
    code: rendered.code ?? '',
    from: rendered.from,
    messageType: isSms ? rendered.messageType : undefined,
    templateId: rendered.templateId,
    templateCode: rendered.templateCode,
    dlt: rendered.dlt,
    variables: { ...rendered.variables, ...(rendered.code !== undefined && { code: rendered.code }) },
    locale: rendered.locale,
    isFallback,
    expiresAt: issue.expiresAt,
    waitSec: issue.legs?.[0]?.waitSec,
    scenario: rendered.scenario,
  }
}

const textOf = ({ leg, channel }: Message, { text, fallbackText }: RenderedMessage) =>
  (leg === channel ? undefined : fallbackText) ?? text

const MASK = '••••••'

/**
 * The text of the leg an issue is on, for people on duty: dots for the code, and for what a caller filled in its name, since that
 * may name a person. Undefined where the channel words it itself. A text without a code of ours is not kept: it may hold links.
 */
export function maskedText(issue: Message, rendered: RenderedMessage): string | undefined {
  if ((issue.leg !== 'sms' && issue.leg !== 'alimtalk') || issue.verificationStatus === undefined) return undefined
  const { code, variables } = rendered
  // The code goes first: a value that begins as it does must not break it in two.
  const withoutCode = (text: string) => (code === undefined ? text : text.replaceAll(code, MASK))
  const masks = new Map(Object.entries(variables).map(([name, value]) => [withoutCode(value), `#{${name}}`]))
  const values = [...masks.keys()].filter((value) => value !== '').sort((a, b) => b.length - a.length)
  const text = withoutCode(textOf(issue, rendered))
  if (values.length === 0) return text
  return text.replace(new RegExp(values.map(RegExp.escape).join('|'), 'g'), (found) => masks.get(found) ?? found)
}

const NO_DIGITS = /\D+/g

/** Drops a carrier's message id that quotes the number or the code. Its reports are then found by our own id only. */
export function withoutSecrets(outcome: SendOutcome, { to, code }: RenderedMessage): SendOutcome {
  if (outcome.kind !== 'accepted' || outcome.carrierMessageId === undefined) return outcome
  const id = outcome.carrierMessageId
  // WhatsApp encodes the number into its ids.
  const decoded = id.split('.').map((part) => Buffer.from(part, 'base64').toString('latin1'))
  const isQuoting = [id, ...decoded].some((text) => {
    const digits = text.replace(NO_DIGITS, '')
    return (code !== undefined && digits.includes(code)) || digits.includes(to.slice(1).slice(-8))
  })
  return isQuoting ? { ...outcome, carrierMessageId: undefined } : outcome
}
