/**
 * A server whose PostgreSQL is unreachable at the start listens, answers that it is waiting, and retries until the
 * database answers.
 */
import type { Config } from '../config'
import { LogSampler } from '../domain/operations/log-sampler'
import { createFetch, type Fetch, waitingRoutes } from '../http/routes'
import type { Log } from '../ports/log'
import { isTransient } from '../store/postgres/connection/failure'
import { systemClock } from '../system/clock'
import type { Listener } from '../system/listen'
import { type WatchedDescriptors, watchDescriptors } from '../system/listen'
import { createTelemetry } from '../system/telemetry'
import { systemRandom } from '../system/vault'
import { listenFor } from './listener'

const ASKS_AGAIN_AFTER_MS = 1_000

/** The socket of a server that listens before it can serve. */
export interface Front {
  listener: Listener
  descriptors: WatchedDescriptors
  /** Replaces the handler that answers from now on. */
  serve(fetch: Fetch): void
}

/**
 * Listens, and answers what `attempt` opens as soon as the database lets it. Throws what asking again does not cure, such as
 * a wrong password, and a `Failure` where the port is taken. SIGTERM and SIGINT end the process with 0 meanwhile.
 */
export async function awaitDatabase<Opened>(
  config: Config,
  database: string,
  log: Log & { end(): Promise<void> },
  attempt: () => Promise<Opened>,
): Promise<{ opened: Opened; front: Front }> {
  const descriptors = watchDescriptors(log)
  const telemetry = createTelemetry({ log })
  const routes = waitingRoutes(systemClock)
  let fetch = createFetch({ routes, clock: systemClock, random: systemRandom, log, descriptors, telemetry })
  const listener = listenFor(config, { fetch: (request, from, mount) => fetch(request, from, mount), descriptors })
  const end = async () => {
    await listener.stop(0)
    await log.end()
    process.exit(0)
  }
  process.on('SIGTERM', end).on('SIGINT', end)
  const opened = await untilOpened(database, log, attempt)
  process.off('SIGTERM', end).off('SIGINT', end)
  const serve = (next: Fetch) => {
    fetch = next
  }
  return { opened, front: { listener, descriptors, serve } }
}

async function untilOpened<Opened>(database: string, log: Log, attempt: () => Promise<Opened>): Promise<Opened> {
  const startedAt = systemClock.elapsed()
  const logSampler = new LogSampler()
  for (let attempts = 1; ; attempts++) {
    try {
      const opened = await attempt()
      if (attempts > 1) log.info({ database, waitedMs: Math.round(systemClock.elapsed() - startedAt) }, ANSWERS)
      return opened
    } catch (error) {
      const reason = error instanceof Error && (error.cause ?? error)
      if (!isTransient(reason)) throw error
      const said = logSampler.next(database, systemClock.now())
      if (said) log.warn({ database, reason: (reason as Error).message, ...said }, 'waiting for the database')
    }
    await new Promise<void>((again) => systemClock.after(ASKS_AGAIN_AFTER_MS, again))
  }
}

const ANSWERS = 'the database answers'
