/** Lines for who operates the service; never a number, code, key or secret. */

export interface Log {
  /** Nobody can read it: no line need be composed. */
  readonly isUnread?: boolean
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]
