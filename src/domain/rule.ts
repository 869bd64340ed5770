/** What may be against a code. Decisions: "Abuse". */

export const RULES = [
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
] as const
export type Rule = (typeof RULES)[number]

/** A proof that somebody sits there outweighs what traffic looks like, not what an owner has decided. */
export const isProvable = (rule: Rule): boolean => !['country_closed', 'blocked', 'cap'].includes(rule)
