/**
 * Settings of an app's texts: lines by which phones autofill the code, and the language.
 * Decisions: "Templates".
 *
 * - Browsers: origin-bound one-time codes, wicg.github.io/sms-one-time-codes. The last line is `@domain #code`.
 * - Android apps: SMS Retriever, developers.google.com/identity/sms-retriever/verify. The text has the app's hash.
 */
import { invalid } from '../shared/error'
import { languageOfCountry } from './language'

/** Settings of one app. */
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
