/** A replica that serves lists. The primary answers where the replica fails or lags too far behind. */
import { sql } from 'drizzle-orm'
import type { Clock } from '../../../ports/clock'
import { POSTGRES } from '../../dialect'
import type { Querying } from '../../session'
import type { Statement, Values } from '../../statement'
import { connect, type PoolOptions, ReadPool } from './pool'

/** Lag by the heartbeats of servers, which are written every few seconds. */
const BEHIND = POSTGRES.plain(
  () => sql`SELECT clock_ms() - max(seen_at) FROM nodes`,
  ([ms]) => (ms === null ? Number.POSITIVE_INFINITY : Number(ms)),
)
const TOO_FAR_BEHIND_MS = 60_000
const LOOKED_AT_EVERY_MS = 5_000
const RESTS_MS = 30_000

interface ReplicaOptions extends Omit<PoolOptions, 'url'> {
  clock: Pick<Clock, 'elapsed' | 'after'>
}

export class Replica implements Querying {
  readonly dialect = POSTGRES
  readonly #reading: ReadPool
  readonly #elapsed: () => number
  /** Until then the lag is not measured again. */
  #knownUntil = Number.NEGATIVE_INFINITY
  #isFit = false

  constructor(
    private readonly primary: Querying,
    url: string,
    { clock, size }: ReplicaOptions,
  ) {
    this.#reading = new ReadPool(() => connect({ url, size }, 'watchword'), clock)
    this.#elapsed = clock.elapsed
  }

  async all<Row>(statement: Statement<Row>, values?: Values): Promise<Row[]> {
    try {
      if (await this.#mayBeAsked()) return await this.#reading.all(statement, values)
    } catch {
      // The replica is unreachable, or has cancelled a query that conflicted with replication.
      this.#know(false, RESTS_MS)
    }
    return this.primary.all(statement, values)
  }

  async get<Row>(statement: Statement<Row>, values?: Values): Promise<Row | undefined> {
    return (await this.all(statement, values))[0]
  }

  close(): Promise<void> {
    return this.#reading.close()
  }

  async #mayBeAsked(): Promise<boolean> {
    if (this.#elapsed() < this.#knownUntil) return this.#isFit
    const behindMs = (await this.#reading.get(BEHIND)) ?? Number.POSITIVE_INFINITY
    this.#know(behindMs < TOO_FAR_BEHIND_MS, LOOKED_AT_EVERY_MS)
    return this.#isFit
  }

  #know(isFit: boolean, forMs: number): void {
    this.#isFit = isFit
    this.#knownUntil = this.#elapsed() + forMs
  }
}
