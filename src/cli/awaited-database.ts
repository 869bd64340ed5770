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
/** An opening that takes longer, such as a migration, is no dead process: probes are answered meanwhile. */
const LISTENS_AFTER_MS = 60_000

/** The socket of a server that listens before it can serve. */
export interface Front {
  listener: Listener
  descriptors: WatchedDescriptors
  /** Replaces the handler that answers from now on. */
  serve(fetch: Fetch): void
}

/**
 * Answers what `attempt` opens as soon as the database lets it. Listens meanwhile where the database is away, and not before:
 * a load balancer in front of several servers sends requests to whoever listens. Throws what asking again does not cure, such as
 * a wrong password, and a `Failure` where the port is taken. SIGTERM and SIGINT end the process with 0 meanwhile.
 */
export async function awaitDatabase<Opened>(
  config: Config,
  database: string,
  log: Log & { end(): Promise<void> },
  attempt: () => Promise<Opened>,
): Promise<{ opened: Opened; front: Front | undefined }> {
  let front: Front | undefined
  const failed = Promise.withResolvers<never>()
  const listenMeanwhile = () => {
    try {
      front ??= waitingFront(config, log)
    } catch (error) {
      failed.reject(error)
    }
  }
  const cancel = systemClock.after(LISTENS_AFTER_MS, listenMeanwhile)
  const end = async () => {
    await front?.listener.stop(0)
    await log.end()
    process.exit(0)
  }
  process.on('SIGTERM', end).on('SIGINT', end)
  try {
    const opened = await Promise.race([untilAnswered(database, log, attempt, listenMeanwhile), failed.promise])
    return { opened, front }
  } finally {
    cancel()
    process.off('SIGTERM', end).off('SIGINT', end)
  }
}

function waitingFront(config: Config, log: Log): Front {
  const descriptors = watchDescriptors(log)
  const telemetry = createTelemetry({ log })
  const routes = waitingRoutes(systemClock)
  let fetch = createFetch({ routes, clock: systemClock, random: systemRandom, log, descriptors, telemetry })
  const listener = listenFor(config, { fetch: (request, from, mount) => fetch(request, from, mount), descriptors })
  const serve = (next: Fetch) => {
    fetch = next
  }
  return { listener, descriptors, serve }
}

/** Repeats `attempt` for as long as the database is away. `away` is called before each pause. */
export async function untilAnswered<Answer>(
  database: string,
  log: Log,
  attempt: () => Promise<Answer>,
  away: () => void = () => {},
): Promise<Answer> {
  const startedAt = systemClock.elapsed()
  const logSampler = new LogSampler()
  for (let attempts = 1; ; attempts++) {
    try {
      const answer = await attempt()
      if (attempts > 1) log.info({ database, waitedMs: Math.round(systemClock.elapsed() - startedAt) }, ANSWERS)
      return answer
    } catch (error) {
      const reason = transientIn(error)
      if (!reason) throw error
      const said = logSampler.next(database, systemClock.now())
      if (said) log.warn({ database, reason: reason.message, ...said }, 'waiting for the database')
    }
    away()
    await new Promise<void>((again) => systemClock.after(ASKS_AGAIN_AFTER_MS, again))
  }
}

/** The error of the database behind a refusal, where it may pass. */
function transientIn(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined
  return isTransient(error) ? error : transientIn(error.cause)
}

const ANSWERS = 'the database answers'
