/** What may be against a code. Decisions: "Abuse". */

/** What wrong codes at a phone bring about. */
export const FAILURE_RULES = ['failures_paused', 'failures_locked', 'failures_seldom'] as const
export type FailureRule = (typeof FAILURE_RULES)[number]

export const RULES = [
  'number_type',
  'country_closed',
  'blocked',
  'cap',
  'network_unverified',
  'network_pending',
  'network_countries',
  'prefix_unverified',
  'prefix_pending',
  'country_paused',
  'country_unverified',
  'country_pending',
  'resend',
  ...FAILURE_RULES,
  // Of the service: a limit in a window of time, and a wallet with too little credit.
  'limit',
  'no_credit',
] as const
export type Rule = (typeof RULES)[number]

/** What becomes of a code that a rule is against: it is sent, it is sent and the owner sees what would have been, it is refused. */
export const PROTECTION_MODES = ['off', 'watch', 'block'] as const
export type ProtectionMode = (typeof PROTECTION_MODES)[number]

const OF_THE_OWNER: readonly Rule[] = ['number_type', 'country_closed', 'blocked', 'cap']
const OF_THE_PHONE: readonly Rule[] = ['resend', 'failures_paused', 'failures_locked']
const OF_THE_SERVICE: readonly Rule[] = ['limit', 'no_credit']
const UNPROVABLE = new Set([...OF_THE_OWNER, ...OF_THE_PHONE, ...OF_THE_SERVICE])

/**
 * A proof that somebody sits there outweighs what traffic looks like, not what an owner has decided, nor what happened at a phone
 * just now. `failures_seldom` lasts for a month, and whoever has a page's key can bring it about for any phone.
 */
export const isProvable = (rule: Rule): boolean => !UNPROVABLE.has(rule)

/** Which limit its caller is told of. */
export function limitOf(rule: Rule): 'resend' | 'failures' | 'abuse' {
  if (rule === 'resend') return 'resend'
  return rule.startsWith('failures_') ? 'failures' : 'abuse'
}

/** A rule is against a code. */
export interface RuleMatch {
  readonly rule: Rule
  /** Milliseconds after which it may be otherwise; undefined: time does not cure it. */
  readonly waitMs: number | undefined
  /** Otherwise it would be. */
  readonly isRefused: boolean
}

/** As its owner has decided; undefined: that is not looked at. */
export const ruleMatch = (mode: ProtectionMode, rule: Rule, waitMs: number | undefined): RuleMatch | undefined =>
  mode === 'off' ? undefined : { rule, waitMs, isRefused: mode === 'block' }
