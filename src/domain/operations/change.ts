/** The subject of a change, for pages that show it. It names neither an owner nor any content. */
export const CHANGE_TOPICS = [
  'settings',
  'issues',
  'wallet',
  'webhooks',
  'carriers',
  'protection',
  'notices',
  'people',
  'audit',
] as const
export type ChangeTopic = (typeof CHANGE_TOPICS)[number]
