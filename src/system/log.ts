/** Structured logs: one line of JSON each, on stderr. pino: the field's standard, and it serializes nothing we did not name. */
import { fstatSync, statSync } from 'node:fs'
import type pino from 'pino'
import { LOG_LEVELS, type Log, type LogLevel } from '../ports/log'
import { LogPipe } from './log-pipe'

const STDERR = 2

/** Characters that wait for room on a full disk; what comes after them is lost. */
const MAX_WAITING_CHARS = 16_000_000

/** A log whose level may be changed while it is written. */
export interface LeveledLog extends Log {
  level: LogLevel
  /** For a process that ends: a reader who is slow gets a moment. */
  end(): Promise<void>
}

export function createLog(level: LogLevel): LeveledLog {
  // Loaded with the first line: most starts write none before they listen.
  const { default: pino } = require('pino') as typeof import('pino')
  const pipe = isPiped() ? new LogPipe(unreferencedStderr(), (lines) => logger.warn({ lines }, LOST)) : undefined
  const destination = batchedByTurn(pipe ?? pino.destination({ fd: STDERR, sync: true, maxLength: MAX_WAITING_CHARS }))
  const formatters = { level: (label: string) => ({ level: label }) }
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters }, destination)
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
    async end() {
      destination.flush()
      await pipe?.end()
    },
  }
}

const LOST = 'lines of the log are lost: whoever reads it has fallen behind'

/** It keeps no process alive. */
function unreferencedStderr() {
  const sink = Bun.stderr.writer()
  sink.unref()
  return sink
}

/** Writes the lines of one turn of the event loop together: a system call each would cost more than what they tell. */
function batchedByTurn(destination: Pick<pino.DestinationStream, 'write'>): pino.DestinationStream & { flush(): void } {
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
    flush,
  }
}

/** Whether stderr is a pipe or a socket, whose reader may fall behind. A file and a terminal take what they get. */
function isPiped(): boolean {
  const stderr = fstatSync(STDERR)
  return stderr.isFIFO() || stderr.isSocket()
}

/** Whether stderr is `/dev/null`. */
function isDiscarded(): boolean {
  const stderr = fstatSync(STDERR)
  return stderr.isCharacterDevice() && stderr.rdev === statSync('/dev/null', { throwIfNoEntry: false })?.rdev
}

export interface LogOnUse extends LeveledLog {
  /** Loads what writes it, while there is time. */
  warmUp(): void
}

export const logOnUse = (level: LogLevel): LogOnUse => (isDiscarded() ? unread(level) : writtenOnUse(level))

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
    written ??= createLog(LOG_LEVELS[least] as LogLevel)
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
