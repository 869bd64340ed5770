/** What a change is about, for pages that show it: never whose it is or what it says. */
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
