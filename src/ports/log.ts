/** The log that operators read. It never contains a phone number, code, key or secret. */

/** Fields of a line. Other values would not fit on one readable line. */
export type LogFields = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

export interface Log {
  /** The log goes nowhere, so no line need be composed. */
  readonly isUnread?: boolean
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]
