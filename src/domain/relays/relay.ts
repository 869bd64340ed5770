/**
 * A relay delivers codes that another platform makes and checks: in messages alone, which `/v1` does not know. Decisions: "Relays".
 */

import { plainText, readCode } from '../../../client/typed-text'
import { assertLegs, type PlannedLeg } from '../delivery/plan'
import { invalid } from '../shared/error'
import { DAY_MS, type Mode } from '../shared/value'

export const RELAY_SOURCES = [
  'supabase',
  'kratos',
  'zitadel',
  'logto',
  'authgear',
  'clerk',
  'authsignal',
  'otpgateway',
  'plain',
] as const
export type RelaySource = (typeof RELAY_SOURCES)[number]

/** Sources whose secret the platform makes; for the others we make it. */
const PLATFORM_MAKES: readonly RelaySource[] = ['zitadel', 'authgear', 'clerk', 'authsignal']
export const platformMakesSecret = (source: RelaySource): boolean => PLATFORM_MAKES.includes(source)

/** The platform that calls, and how its codes are sent. Times are Unix milliseconds. */
export interface Relay {
  readonly relayId: string
  readonly appId: string
  readonly name: string
  readonly source: RelaySource
  /** In `test` mode nothing is sent: the inbox of the console shows the code. */
  readonly mode: Mode
  /** Newest first; an older one with the time it ends. Empty until the platform has made one. */
  readonly secrets: readonly RelaySecret[]
  /** The template of the message; undefined: the platform's own text. */
  readonly templateId: string | undefined
  /** The delivery plan; undefined: that of the app for `sms`. */
  readonly legs: readonly PlannedLeg[] | undefined
  readonly createdAt: number
}

export interface RelaySecret {
  readonly secret: string
  /** Undefined: until it is replaced. */
  readonly until: number | undefined
}

/** How long the platform may go on with the secret before. */
const SECRET_OVERLAP_MS = DAY_MS

/** The secrets after a change; the one before goes on for a day. */
export const replacedSecret = ({ secrets: [newest] }: Pick<Relay, 'secrets'>, secret: string, now: number) => [
  { secret, until: undefined },
  ...(newest ? [{ ...newest, until: now + SECRET_OVERLAP_MS }] : []),
]

export const activeSecrets = ({ secrets }: Relay, now: number): string[] =>
  secrets.filter(({ until }) => until === undefined || now < until).map(({ secret }) => secret)

/** A code as a platform hands it over. */
export interface RelayedCode {
  /** As the platform writes it. */
  phoneNumber: string
  code: string
  /** The platform's own text, which contains the code; undefined where it sends none. */
  text?: string | undefined
  /** Language tag. */
  locale?: string | undefined
  /** The platform's name of the occasion, such as `login`. */
  occasion?: string | undefined
  /** The same for every try to deliver this code. */
  dedupe: string
  /** The platform names the message. Otherwise the same content counts as the same message for some minutes only. */
  hasStableId: boolean
  /** Address of the end user, where the platform says it. */
  address?: string | undefined
}

/** The same content counts as the same message for so long: platforms without ids of their own try again within it. */
export const DUPLICATE_DAYS = 5 / (24 * 60)

/** How long a code is worth sending. The platform decides how long it is valid, and does not always say so. */
export const RELAYED_LIFETIME_SEC = 600

const CODE = /^[A-Za-z0-9]{4,10}$/
const MAX_TEXT = 1_000
/** Line ends are part of many texts; other control characters are not. */
const CONTROLS = /[^\P{Cc}\n]/u

/** Throws `invalid`. */
export function assertRelayed({ code, text, occasion = '' }: RelayedCode): void {
  if (!CODE.test(code)) throw invalid('code', 'invalid_format', 'must be 4 to 10 letters or digits')
  if (text !== undefined && (text.length > MAX_TEXT || CONTROLS.test(text)))
    throw invalid('text', 'invalid_characters', `must be at most ${MAX_TEXT} characters without control characters`)
  if (occasion.length > 64) throw invalid('type', 'too_long', 'must have at most 64 characters', { max: 64 })
}

/** The code in a text: its one code of six digits, or its first word of 4 to 10 capital letters and digits that has a digit. */
export const codeIn = (text: string): string | undefined =>
  readCode(text) ??
  plainText(text)
    .match(/[A-Z0-9]+/g)
    ?.find((word) => word.length >= 4 && word.length <= 10 && /\d/.test(word))

/** The use of the key that seals the code of a test message. */
export const relayedCodeSeal = (issueId: string) => `relayed:${issueId}`

/** Throws `invalid`. */
export function assertRelay({ source, legs, secrets }: Pick<Relay, 'source' | 'legs' | 'secrets'>): void {
  if (!RELAY_SOURCES.includes(source))
    throw invalid('source', 'not_a_choice', `must be one of ${RELAY_SOURCES.join(', ')}`, { choices: RELAY_SOURCES })
  if (legs) assertLegs(legs)
  for (const { secret } of secrets)
    if (!/^[\x21-\x7e]{16,256}$/.test(secret))
      throw invalid('secret', 'invalid_format', 'must be 16 to 256 visible ASCII characters')
}
