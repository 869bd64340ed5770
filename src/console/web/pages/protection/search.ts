/** The time that the protection page looks at; it stands in the address. */
export const RANGES = ['24h', '7d', '30d'] as const
export const GROUPS = ['country', 'prefix', 'network', 'rule'] as const
export type ProtectionGroup = (typeof GROUPS)[number]

export interface ProtectionSearch {
  range?: (typeof RANGES)[number]
  group?: ProtectionGroup
}

export function protectionSearch(search: Record<string, unknown>): ProtectionSearch {
  const range = RANGES.find((known) => known === search.range)
  const group = GROUPS.find((known) => known === search.group)
  return { ...(range && { range }), ...(group && { group }) }
}
