/** The log of a process. What writes it is loaded with the first line: most starts have none to write before they listen. */
import { LOG_LEVELS, type Log, type LogLevel } from '../ports/log'
import type { LeveledLog } from './log'
import { isThrownAway } from './stderr'

export interface LogOnUse extends LeveledLog {
  /** Loads what writes it, while there is time. */
  warmUp(): void
}

export const logOnUse = (level: LogLevel): LogOnUse => (isThrownAway() ? unread(level) : writtenOnUse(level))

/** Nothing of a line is made that nobody can ever read. */
const unread = (level: LogLevel): LogOnUse => ({
  ...{ isUnread: true, level, debug() {}, info() {}, warn() {}, error() {} },
  warmUp() {},
  async end() {},
})

type LogLine = Log['info']

function writtenOnUse(level: LogLevel): LogOnUse {
  let least = LOG_LEVELS.indexOf(level)
  let written: LeveledLog | undefined
  const log = () => {
    written ??= (require('./log') as typeof import('./log')).createLog(LOG_LEVELS[least] as LogLevel)
    return written
  }
  const lines =
    (name: Exclude<LogLevel, 'silent'>): LogLine =>
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
