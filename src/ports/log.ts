/** Lines for who operates the service; never a number, code, key or secret. */

/** Plain values: whatever else would be no line, or none that can be read. */
export type LogFields = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

export interface Log {
  /** Nobody can read it: no line need be composed. */
  readonly isUnread?: boolean
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]
