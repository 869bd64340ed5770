/**
 * How an app's texts are written: with which lines phones fill a code in by themselves, and in whose language.
 * Decisions: "Templates".
 *
 * - Browsers: origin-bound one-time codes, wicg.github.io/sms-one-time-codes. The last line is `@domain #code`.
 * - Android apps: SMS Retriever, developers.google.com/identity/sms-retriever/verify. The text has the app's hash.
 */
import { invalid } from '../shared/error'
import { languageOfCountry } from './language'

/** Of one app. */
export interface Texts {
  /** Host of the page that the code is typed into, in ASCII. */
  readonly webOtpDomain?: string | undefined
  /** By which Android knows the app that it hands the text to. */
  readonly androidHash?: string | undefined
  /** An order that names no language gets the one of its number's country. */
  readonly localeByCountry: boolean
}

/** As texts were before it could be decided. */
const PLAIN: Texts = { localeByCountry: false }

export const textsOf = (app: { texts?: Partial<Texts> | undefined } | undefined): Texts =>
  app?.texts ? { ...PLAIN, ...app.texts } : PLAIN

/** The language that is looked for; undefined: the template's own. */
export const localeFor = (
  { localeByCountry }: Texts,
  asked: string | undefined,
  country: string | undefined,
): string | undefined => asked ?? (localeByCountry ? languageOfCountry(country) : undefined)

/** The text as an SMS has it: what fills the code in stands below, a line each, and what browsers look for is the last. */
export const withAutofill = (text: string, { webOtpDomain, androidHash }: Texts, code: string): string =>
  text +
  (androidHash === undefined ? '' : `\n${androidHash}`) +
  (webOtpDomain === undefined ? '' : `\n@${webOtpDomain} #${code}`)

const LABEL = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
/** With a dot in it, and no address: its last label has a letter. */
const HOST = new RegExp(`^(?=.{1,253}$)(${LABEL}\\.)+(?=[^.]*[a-z])${LABEL}$`)

/** Of an address: left out, or decoded, by who reads it. */
const BEYOND_HOST = /[/\\?#%@:\s]/

/** A name in any script, as phones compare it. Throws `invalid`. */
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
