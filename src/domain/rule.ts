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
] as const
export type Rule = (typeof RULES)[number]

/** What becomes of a code that a rule is against: it is sent, it is sent and the owner sees what would have been, it is refused. */
export const PROTECTION_MODES = ['off', 'watch', 'block'] as const
export type ProtectionMode = (typeof PROTECTION_MODES)[number]

const OF_THE_OWNER: readonly Rule[] = ['number_type', 'country_closed', 'blocked', 'cap']
const OF_THE_PHONE: readonly Rule[] = ['resend', ...FAILURE_RULES]
const UNPROVABLE = new Set([...OF_THE_OWNER, ...OF_THE_PHONE])

/** A proof that somebody sits there outweighs what traffic looks like, not what an owner has decided, nor what happened at a phone. */
export const isProvable = (rule: Rule): boolean => !UNPROVABLE.has(rule)

/** Which limit its caller is told of. */
export function limitOf(rule: Rule): 'resend' | 'failures' | 'abuse' {
  if (rule === 'resend') return 'resend'
  return rule.startsWith('failures_') ? 'failures' : 'abuse'
}

/** A rule is against a code. */
export interface Found {
  readonly rule: Rule
  /** Milliseconds after which it may be otherwise; undefined: time does not cure it. */
  readonly waitMs: number | undefined
  /** Otherwise it would be. */
  readonly isRefused: boolean
}

/** As its owner has decided; undefined: that is not looked at. */
export const foundBy = (mode: ProtectionMode, rule: Rule, waitMs: number | undefined): Found | undefined =>
  mode === 'off' ? undefined : { rule, waitMs, isRefused: mode === 'block' }
