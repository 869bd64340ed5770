/** Structured logs: one line of JSON each, on stderr. pino: the field's standard, and it serializes nothing we did not name. */
import pino from 'pino'
import type { Log, LogLevel } from '../ports/log'

/** Characters that wait for room on a full disk; what comes after them is lost. */
const MAX_KEPT = 16_000_000

/** A log whose level may be changed while it is written. */
export interface LeveledLog extends Log {
  level: LogLevel
}

export function createLog(level: LogLevel): LeveledLog {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    turnwise(pino.destination({ fd: 2, sync: true, maxLength: MAX_KEPT })),
  )
  return {
    get level() {
      return logger.level as LogLevel
    },
    set level(next) {
      logger.level = next
    },
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  }
}

/** Writes the lines of one turn of the event loop together: a system call each would cost more than what they tell. */
function turnwise(destination: Pick<pino.DestinationStream, 'write'>): pino.DestinationStream {
  let lines = ''
  const flush = () => {
    const batch = lines
    lines = ''
    try {
      if (batch !== '') destination.write(batch)
    } catch {
      // A full disk under the log must not end the service, and there is nowhere to tell it.
    }
  }
  process.on('exit', flush)
  return {
    write(line) {
      if (lines === '') setImmediate(flush)
      lines += line
    },
  }
}
