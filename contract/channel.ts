/** The channels that a caller may ask for. By itself: what needs the names does not need the schemas. */
export const CHANNELS = ['sms', 'alimtalk'] as const

export type Channel = (typeof CHANNELS)[number]

/** The channels by which a code may go: those, and what the app's delivery plan uses beside them. Events name them as `method`. */
export const LEGS = [...CHANNELS, 'whatsapp', 'telegram', 'voice'] as const

export type Leg = (typeof LEGS)[number]
