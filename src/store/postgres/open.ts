/** Opens a database in PostgreSQL: connections, migrations, units and reads. */
import type { SQL } from 'bun'
import { unavailable } from '../../domain/shared/error'
import type { Clock } from '../../ports/clock'
import type { HeadFile } from '../../ports/files'
import type { Fleet } from '../../ports/node'
import type { Lists, Reader, Store } from '../../ports/store'
import type { RingRow, Vault } from '../../ports/vault'
import type { MigrationStep } from '../migrations'
import { assertInPlace, MARKED } from '../moved'
import { WrongSecretError } from '../secret'
import { appReader, templateReader } from './apps'
import { attemptReader } from './attempts'
import { auditReader } from './audit'
import { carrierReader, routeReader } from './carriers'
import { challengeReader } from './challenges'
import { ClockWatch, FOLLOWED } from './connection/clock-watch'
import { createFleet, nodesOf } from './connection/fleet'
import { MIGRATIONS, migrate } from './connection/migrate'
import type { Time } from './connection/pipelined-transaction'
import { connect, type PoolOptions, ReadPool, readersOf, unreached } from './connection/pool'
import { Replica } from './connection/replica'
import { plain } from './connection/statement'
import type { Querying } from './connection/unit'
import { Units } from './connection/units'
import { issueReader } from './issues'
import { jobReader } from './jobs'
import { keyReader } from './keys'
import { installation, invitationReader, peopleReader, sessionReader } from './people'
import { phoneReader } from './phones'
import { ringOf, ringReader } from './ring'
import { SettingsWatch } from './settings'
import { trafficReader } from './traffic'
import { trafficLists } from './traffic-lists'
import { usageReader } from './usage'
import { walletReader } from './wallets'
import { endpointReader, hookReader } from './webhooks'

export interface SharedStoreOptions extends PoolOptions {
  /** Of a replica, for lists. */
  replicaUrl?: string | undefined
  /** Whether units that may share a transaction do (`batching/`); they do unless told otherwise. */
  batches?: boolean
  clock: Pick<Clock, 'elapsed' | 'after'>
  vault: Vault
  headFile?: HeadFile | undefined
  /** In whose name jobs are claimed: of a server. */
  node?: string
  /** For a server, which asks for its settings all the time, and so hears of new keys; a command asks before it does anything. */
  serves?: boolean
  /** Told of each migration before it is applied to a database that is there. */
  migrating?: (step: MigrationStep) => void
  /** Learns the time from the database; tests have a time of their own. */
  time?: Time
  /** How connections are made: tests keep theirs for the next one, or stand in between. */
  connect?: typeof connect
}

const APPLICATION = 'watchword'

/** A store that several servers may share. */
export interface SharedStore extends Store {
  readonly fleet: Fleet
}

export async function openStore(options: SharedStoreOptions): Promise<SharedStore> {
  const { vault, headFile, node = '', time = ({ stamped }) => stamped, connect: to = connect, serves = true } = options
  const writing = to(options, APPLICATION)
  const watch = new ClockWatch()
  try {
    await migrate(writing, MIGRATIONS, options.migrating)
    assertInPlace(await writing.unsafe(MARKED))
    await takeKeys(writing, vault)
    await lookAtClock(writing, { time, watch, elapsed: options.clock.elapsed })
  } catch (error) {
    await writing.close()
    throw unreached(options.url, error)
  }
  const readers = { ...options, size: readersOf(options.size) }
  const pool = new ReadPool(() => to(readers, APPLICATION), options.clock)
  const replica = options.replicaUrl === undefined ? undefined : new Replica(pool, options.replicaUrl, readers)
  const settings = new SettingsWatch(pool, options.clock.elapsed, async () => {
    // It would store what nobody else finds.
    if (!vault.ring.adopt(await ringOf(pool))) throw unavailable('The master secret was changed: this is an old one')
  })
  const asked = serves ? pool : asking(pool, settings)
  const units = new Units(
    writing,
    {
      ...{ vault, headFile, node, time, watch },
      size: options.size,
      batches: options.batches ?? true,
      clock: options.clock,
    },
    () => settings.changed(),
  )
  return {
    read: createReader(asked, settings, options),
    lists: createLists(replica ?? asked, options),
    fleet: createFleet(pool, node),
    async transaction(unit, manner) {
      if (!serves) await settings.current()
      return units.run(unit, manner)
    },
    assertWritable: () => units.assertWritable(),
    pool: () => ({ size: options.size, ...units.usage() }),
    truncateLog: async () => true,
    logBytes: () => undefined,
    tell(telemetry) {
      units.telemetry = telemetry
    },
    async close() {
      await units.close()
      await Promise.all([pool.close(), replica?.close()])
      await writing.close()
    },
  }
}

/** Looks at the settings first: whoever waits at a prompt hears nothing meanwhile. */
const asking = (pool: Querying, settings: SettingsWatch): Querying => ({
  async all(statement, values) {
    await settings.current()
    return pool.all(statement, values)
  },
  async get(statement, values) {
    await settings.current()
    return pool.get(statement, values)
  },
})

const SIZE = plain(
  'SELECT pg_database_size(current_database())',
  () => [],
  ([bytes]) => Number(bytes),
)

function createLists(asked: Querying, { vault, headFile, clock }: SharedStoreOptions): Lists {
  return {
    issues: issueReader(asked),
    wallets: walletReader(asked),
    hooks: hookReader(asked, vault),
    audit: auditReader(asked, { vault, headFile }),
    usage: usageReader(asked, clock.elapsed),
    traffic: trafficLists(asked),
  }
}

function createReader(pool: Querying, settings: SettingsWatch, { vault, headFile }: SharedStoreOptions): Reader {
  return {
    issues: issueReader(pool),
    jobs: jobReader(pool),
    attempts: attemptReader(pool),
    wallets: walletReader(pool),
    endpoints: endpointReader(pool, vault),
    hooks: hookReader(pool, vault),
    apps: appReader(pool),
    challenges: challengeReader(pool, vault),
    keys: keyReader(pool),
    templates: templateReader(pool),
    carriers: carrierReader(pool, vault),
    routes: routeReader(pool),
    people: peopleReader(pool, vault),
    sessions: sessionReader(pool, vault),
    invitations: invitationReader(pool),
    audit: auditReader(pool, { vault, headFile }),
    traffic: trafficReader(pool, vault),
    phones: phoneReader(pool, vault),
    ring: ringReader(pool, vault),
    installation: () => installation(pool),
    settingsVersion: () => settings.current(),
    nodes: () => nodesOf(pool),
    size: async () => (await pool.get(SIZE)) ?? 0,
  }
}

/** Takes the keys of the database; one that has none gets its own. Of servers that begin at once one wins. */
async function takeKeys(sql: SQL, vault: Vault): Promise<void> {
  const kept = await ringBeside(sql)
  const rows = kept.length > 0 ? kept : await firstKeys(sql, vault.ring.rows())
  if (!vault.ring.adopt(rows)) throw new WrongSecretError()
}

const firstKeys = (writing: SQL, made: readonly RingRow[]): Promise<RingRow[]> =>
  writing.begin(async (sql) => {
    await sql`LOCK TABLE key_ring IN SHARE ROW EXCLUSIVE MODE`
    const kept = await ringBeside(sql)
    if (kept.length > 0) return kept
    for (const { name, secretId, sealed, madeAt, begunAt } of made)
      await sql`INSERT INTO key_ring (name, secret_id, sealed, made_at, begun_at) VALUES (${name}, ${secretId}, ${sealed}, ${madeAt}, ${begunAt})`
    return [...made]
  })

/** Before there is anybody to ask. */
async function ringBeside(sql: SQL): Promise<RingRow[]> {
  const rows = await sql`SELECT name, secret_id, sealed, made_at, begun_at FROM key_ring`
  return rows.map((row: Record<string, unknown>) => ({
    ...{ name: row.name, secretId: new Uint8Array(row.secret_id as Uint8Array) },
    ...{ sealed: new Uint8Array(row.sealed as Uint8Array), madeAt: Number(row.made_at) },
    begunAt: row.begun_at === null ? undefined : Number(row.begun_at),
  }))
}

/**
 * Before anybody asks: who only reads is told here what time it is there, and the first unit must not find that a server's own
 * clock is wrong, as if it had been set back. When servers were last heard of tells whether the database's was meanwhile.
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
