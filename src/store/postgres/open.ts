/** Opens a database in PostgreSQL: connections, migrations, transactions and reads. */
import type { SQL } from 'bun'
import { sql } from 'drizzle-orm'
import { unavailable } from '../../domain/shared/error'
import type { Clock } from '../../ports/clock'
import type { HeadFile } from '../../ports/files'
import type { Fleet } from '../../ports/node'
import type { Store } from '../../ports/store'
import type { RingRow, Vault } from '../../ports/vault'
import { ClockWatch, FOLLOWED } from '../clock-watch'
import { POSTGRES } from '../dialect'
import { WrongSecretError } from '../failure'
import { keyRingRows } from '../key-ring'
import type { MigrationStep } from '../migrations'
import { assertNotMoved, FIND_MARK } from '../moved'
import { createLists, createReader } from '../read'
import type { Querying, Reads } from '../session'
import { createFleet, nodesOf } from './connection/fleet'
import { MIGRATIONS, migrate } from './connection/migrate'
import type { Time } from './connection/pipelined-transaction'
import { connect, type PoolOptions, ReadPool, readersOf, withAddress } from './connection/pool'
import { Replica } from './connection/replica'
import { TransactionRunner } from './connection/transaction-runner'
import { SettingsWatch } from './settings'

export interface SharedStoreOptions extends PoolOptions {
  /** URL of a replica that serves lists. */
  replicaUrl?: string | undefined
  clock: Pick<Clock, 'elapsed' | 'after'>
  vault: Vault
  headFile?: HeadFile | undefined
  /** Id of the server, which claims jobs by it. */
  node?: string
  /**
   * True for a server, which checks the version of the settings all the time and so learns of new keys. A command
   * checks it before each step.
   */
  serves?: boolean
  /** Called before each migration of an existing database. */
  migrating?: (step: MigrationStep) => void
  /** Derives the time from the database's; tests use their own. */
  time?: Time
  /** How connections are made; tests reuse or intercept them. */
  connect?: typeof connect
}

const APPLICATION = 'watchword'

export interface SharedStore extends Store {
  readonly fleet: Fleet
}

export async function openStore(options: SharedStoreOptions): Promise<SharedStore> {
  const { vault, headFile, node = '', time = ({ stamped }) => stamped, connect: to = connect, serves = true } = options
  const writing = to(options, APPLICATION)
  const watch = new ClockWatch()
  try {
    await migrate(writing, MIGRATIONS, options.migrating)
    assertNotMoved(await writing.unsafe(FIND_MARK))
    await takeKeys(writing, vault)
    await lookAtClock(writing, { time, watch, elapsed: options.clock.elapsed })
  } catch (error) {
    await writing.close()
    throw withAddress(options.url, error)
  }
  const readers = { ...options, size: readersOf(options.size) }
  const pool = new ReadPool(() => to(readers, APPLICATION), options.clock)
  const replica = options.replicaUrl === undefined ? undefined : new Replica(pool, options.replicaUrl, readers)
  const settings = new SettingsWatch(pool, options.clock.elapsed, async () => {
    // This process would store hashes and values that no other process can use.
    if (!vault.ring.adopt(await keyRingRows(pool)))
      throw unavailable('The master secret was changed: this is an old one')
  })
  const asked = serves ? readsOf(pool) : readsOf(asking(pool, settings))
  const runner = new TransactionRunner(writing, { vault, headFile, node, time, watch, clock: options.clock }, () =>
    settings.changed(),
  )
  return {
    read: createReader(
      asked,
      { vault, headFile },
      {
        settingsVersion: () => settings.current(),
        nodes: () => nodesOf(pool),
        size: async () => (await pool.get(SIZE)) ?? 0,
      },
    ),
    lists: createLists(replica ? readsOf(replica) : asked, { vault, headFile }, options.clock.elapsed),
    fleet: createFleet(pool, (work) => runner.session(work), node),
    async transaction(work) {
      if (!serves) await settings.current()
      return runner.run(work)
    },
    assertWritable: () => runner.assertWritable(),
    pool: () => ({ size: options.size, ...runner.usage() }),
    truncateLog: async () => true,
    logBytes: () => undefined,
    setTelemetry(telemetry) {
      runner.telemetry = telemetry
    },
    async close() {
      await runner.close()
      await Promise.all([pool.close(), replica?.close()])
      await writing.close()
    },
  }
}

/** Checks the settings before each query: a command that waits at a prompt does not notice changes in the meantime. */
const asking = (pool: Querying, settings: SettingsWatch): Querying => ({
  dialect: POSTGRES,
  async all(statement, values) {
    await settings.current()
    return pool.all(statement, values)
  },
  async get(statement, values) {
    await settings.current()
    return pool.get(statement, values)
  },
})

/** The server scans for all of its connections alike. */
const readsOf = (asked: Querying): Reads => Object.assign(asked, { scanning: asked })

const SIZE = POSTGRES.plain(
  () => sql`SELECT pg_database_size(current_database())`,
  ([bytes]) => Number(bytes),
)

/**
 * Loads the keys of the database. A database without keys gets new ones; if several servers start at once, one of them
 * wins.
 */
async function takeKeys(sql: SQL, vault: Vault): Promise<void> {
  const kept = await storedKeys(sql)
  const rows = kept.length > 0 ? kept : await firstKeys(sql, vault.ring.rows())
  if (!vault.ring.adopt(rows)) throw new WrongSecretError()
}

const firstKeys = (writing: SQL, made: readonly RingRow[]): Promise<RingRow[]> =>
  writing.begin(async (sql) => {
    await sql`LOCK TABLE key_ring IN SHARE ROW EXCLUSIVE MODE`
    const kept = await storedKeys(sql)
    if (kept.length > 0) return kept
    for (const { name, secretId, sealed, madeAt, begunAt } of made)
      await sql`INSERT INTO key_ring (name, secret_id, sealed, made_at, begun_at) VALUES (${name}, ${secretId}, ${sealed}, ${madeAt}, ${begunAt})`
    return [...made]
  })

/** Reads the key ring before the read pool exists. */
async function storedKeys(sql: SQL): Promise<RingRow[]> {
  const rows = await sql`SELECT name, secret_id, sealed, made_at, begun_at FROM key_ring`
  return rows.map((row: Record<string, unknown>) => ({
    ...{ name: row.name, secretId: new Uint8Array(row.secret_id as Uint8Array) },
    ...{ sealed: new Uint8Array(row.sealed as Uint8Array), madeAt: Number(row.made_at) },
    begunAt: row.begun_at === null ? undefined : Number(row.begun_at),
  }))
}

/**
 * Learns the database's time before the first query. A process that only reads needs it, and the first transaction must
 * not mistake an error of the local clock for a step of the database's. The times at which servers were last seen show
 * whether the database's clock was set back while none ran.
 */
async function lookAtClock(
  sql: SQL,
  { time, watch, elapsed }: { time: Time; watch: ClockWatch; elapsed: Clock['elapsed'] },
): Promise<void> {
  const sentAt = elapsed()
  const [row] = await sql.unsafe(
    `SELECT clock_ms() AS stamped, greatest(clock_ms(), max(seen_at)) AS latest, ${FOLLOWED} AS followed FROM nodes`,
  )
  const answeredAt = elapsed()
  time({ stamped: Number(row.stamped), sentAt, answeredAt })
  watch.setBackMs({ stamped: Number(row.latest), followedMs: Number(row.followed), sentAt, answeredAt })
}
