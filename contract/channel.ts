/** The ways to a phone that a caller may ask for. By itself: what needs the names does not need the schemas. */
export const CHANNELS = ['sms', 'alimtalk'] as const

export type Channel = (typeof CHANNELS)[number]
