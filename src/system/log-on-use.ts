/** The log of a process. What writes it is loaded with the first line: most starts have none to write before they listen. */
import { LOG_LEVELS, type Log, type LogLevel } from '../ports/log'
import type { LeveledLog } from './log'

export interface LogOnUse extends LeveledLog {
  /** Loads what writes it, while there is time. */
  warmUp(): void
}

export function logOnUse(level: LogLevel): LogOnUse {
  let least = LOG_LEVELS.indexOf(level)
  let written: LeveledLog | undefined
  const log = () => {
    written ??= (require('./log') as typeof import('./log')).createLog(LOG_LEVELS[least] as LogLevel)
    return written
  }
  const lines =
    (name: keyof Log): Log[keyof Log] =>
    (fields, message) => {
      if (LOG_LEVELS.indexOf(name) >= least) log()[name](fields, message)
    }
  return {
    get level() {
      return LOG_LEVELS[least] as LogLevel
    },
    set level(next) {
      least = LOG_LEVELS.indexOf(next)
      if (written) written.level = next
    },
    debug: lines('debug'),
    info: lines('info'),
    warn: lines('warn'),
    error: lines('error'),
    warmUp: () => void log(),
    async end() {
      await written?.end()
    },
  }
}
