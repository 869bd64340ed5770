/** Names and modes of the rules. Decisions: "Abuse". */

/** Rules about wrong codes at a phone. */
export const FAILURE_RULES = ['failures_paused', 'failures_locked', 'failures_seldom'] as const
export type FailureRule = (typeof FAILURE_RULES)[number]

/** Rules about wishes that are lost, by the place where more are than usual. */
export const PLACE_RULES = ['network_unverified', 'prefix_unverified', 'country_unverified'] as const
export type PlaceRule = (typeof PLACE_RULES)[number]
export const isOfPlace = (rule: Rule): rule is PlaceRule => PLACE_RULES.some((one) => one === rule)

export const RULES = [
  'number_type',
  'country_closed',
  'blocked',
  'cap',
  ...PLACE_RULES,
  'resend',
  ...FAILURE_RULES,
  // Rules of the service: a rate limit, and a wallet with too little credit.
  'limit',
  'no_credit',
] as const
export type Rule = (typeof RULES)[number]

/** `off`: the rule is not checked. `watch`: codes are sent and the hit is reported. `block`: codes are refused. */
export const PROTECTION_MODES = ['off', 'watch', 'block'] as const
export type ProtectionMode = (typeof PROTECTION_MODES)[number]

const OF_THE_OWNER: readonly Rule[] = ['number_type', 'country_closed', 'blocked', 'cap']
const OF_THE_PHONE: readonly Rule[] = ['resend', 'failures_paused', 'failures_locked']
const OF_THE_SERVICE: readonly Rule[] = ['limit', 'no_credit']
const UNPROVABLE = new Set([...OF_THE_OWNER, ...OF_THE_PHONE, ...OF_THE_SERVICE])

/**
 * Whether a proof of a human lifts the rule. It lifts rules about traffic, not decisions of the owner nor recent events
 * at a phone. It lifts `failures_seldom`, which lasts a month and which anybody with the page's key can cause for any
 * phone.
 */
export const isProvable = (rule: Rule): boolean => !UNPROVABLE.has(rule)

/** The limit that the answer names. */
export function limitOf(rule: Rule): 'resend' | 'failures' | 'abuse' {
  if (rule === 'resend') return 'resend'
  return rule.startsWith('failures_') ? 'failures' : 'abuse'
}

/** A rule that is against a code. */
export interface RuleMatch {
  readonly rule: Rule
  /** Milliseconds after which the rule may no longer apply; undefined: waiting does not help. */
  readonly waitMs: number | undefined
  /** False: the rule is only watched. */
  readonly isRefused: boolean
}

/** The match under the owner's mode; undefined where the rule is off. */
export const ruleMatch = (mode: ProtectionMode, rule: Rule, waitMs: number | undefined): RuleMatch | undefined =>
  mode === 'off' ? undefined : { rule, waitMs, isRefused: mode === 'block' }
