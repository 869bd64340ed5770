/** Structured logs: one line of JSON each, on stderr. pino: the field's standard, and it serializes nothing we did not name. */
import pino from 'pino'
import type { Log } from '../ports'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const

export function createLog(level: (typeof LOG_LEVELS)[number]): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.destination({ fd: 2, sync: true }),
  )
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  }
}
