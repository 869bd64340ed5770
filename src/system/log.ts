/** Structured logs on stderr, one line of JSON each, by pino. */
import { fstatSync, statSync } from 'node:fs'
import type pino from 'pino'
import { LOG_LEVELS, type Log, type LogLevel } from '../ports/log'
import { LogPipe } from './log-pipe'

const STDERR = 2

/** On a full disk, lines above this bound are lost. */
const MAX_WAITING_CHARS = 16_000_000

/** A log whose level can change at run time. */
export interface LeveledLog extends Log {
  level: LogLevel
  /** Flushes; waits a moment for a slow reader. */
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

/** Does not keep the process alive. */
function unreferencedStderr() {
  const sink = Bun.stderr.writer()
  sink.unref()
  return sink
}

/** Writes the lines of one turn of the event loop together, to save system calls. */
function batchedByTurn(destination: Pick<pino.DestinationStream, 'write'>): pino.DestinationStream & { flush(): void } {
  let lines = ''
  const flush = () => {
    const batch = lines
    lines = ''
    try {
      if (batch !== '') destination.write(batch)
    } catch {
      // A full disk must not end the service, and there is nowhere to report it.
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
  /** Loads pino before the first line. */
  warmUp(): void
}

export const logOnUse = (level: LogLevel): LogOnUse => (isDiscarded() ? unread(level) : writtenOnUse(level))

/** No line is formatted, since nobody can read it. */
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
