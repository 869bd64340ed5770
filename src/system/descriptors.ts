/**
 * File descriptors. Every connection takes one: of clients, of carriers, of receivers. Where none is left, Bun accepts
 * nobody, tells nobody and turns in circles; so the last quarter is not for clients.
 */
import { existsSync, fstatSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { LogSampler } from '../domain/operations/log-sampler'
import type { Log } from '../ports/log'
import type { Descriptors } from '../ports/network'

const OPEN = '/proc/self/fd'
const LOOK_EVERY_MS = 50
/** Every request asks. For so long a count holds, and for as many of them as it has found room for. */
const COUNT_VALID_MS = 1
/** Times what a look takes: a Linux before 6.2 has to count one by one. */
const WATCH_INTERVAL_FACTOR = 50
const MAX_SPARE = 256

export interface WatchedDescriptors extends Descriptors {
  /** How many more there may be. */
  remaining(): number
  /** How idle connections are closed; done whenever descriptors are found short. */
  onShortage(close: () => void): void
}

/** Looks at them for as long as the process runs. Where there is no `/proc` they are never short. */
export function watchDescriptors(log: Log): WatchedDescriptors {
  const limit = limitOfProcess()
  if (limit === undefined) return { areShort: () => false, remaining: () => Number.POSITIVE_INFINITY, onShortage() {} }
  const mostOpen = limit - Math.min(MAX_SPARE, Math.floor(limit / 4))
  const isCounted = statSync(OPEN).size > 0
  const logSampler = new LogSampler()
  let open = 0
  const listeners: Array<() => void> = []
  // Opened once: to find it by its path costs more than to count.
  const folder = openSync(OPEN, 'r')
  const count = () => {
    open = isCounted ? fstatSync(folder).size : countOneByOne()
  }
  let lookedAt = 0
  let room = 0
  const look = () => {
    lookedAt = performance.now()
    count()
    room = mostOpen - open
    if (open <= mostOpen) return
    const said = logSampler.next(OPEN, Date.now())
    if (said) log.warn({ open, limit, ...said }, SHORT)
    for (const close of listeners) close()
    count()
  }
  const watch = () => {
    const startedAt = performance.now()
    look()
    setTimeout(watch, Math.max(LOOK_EVERY_MS, WATCH_INTERVAL_FACTOR * (performance.now() - startedAt))).unref()
  }
  watch()
  return {
    areShort() {
      // Between two looks a crowd may have come; a whole one is let in within one turn of the event loop.
      if (isCounted && (--room < 0 || performance.now() - lookedAt >= COUNT_VALID_MS)) look()
      return open > mostOpen
    },
    remaining() {
      if (isCounted) count()
      return limit - open
    },
    onShortage(close) {
      listeners.push(close)
    },
  }
}

const SHORT = 'file descriptors are short: idle connections are closed, new ones get 503; raise the limit (LimitNOFILE)'

function limitOfProcess(): number | undefined {
  if (!existsSync('/proc/self/limits')) return undefined
  const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  return soft === undefined ? undefined : Number(soft)
}

/** All of them, where none is left to count with. */
function countOneByOne(): number {
  try {
    return readdirSync(OPEN).length
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
