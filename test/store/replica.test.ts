/** Lists come from a replica where there is one; everything that is decided by comes from the primary. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { SQL } from 'bun'
import { openStore, type SharedStore } from '../../src/store/postgres/open'
import { Postgres } from '../support/postgres'
import { HANGS_AFTER_MS, until } from '../support/until'
import { APP, furnish, issueNumber, StillClock, VAULT } from './sample'

setDefaultTimeout(HANGS_AFTER_MS)

let primary: Postgres
let replica: Postgres
const clock = new StillClock()
const stores: SharedStore[] = []
const open = async (replicaUrl: string) => {
  const store = await openStore({ url: primary.url(), replicaUrl, size: 3, clock, vault: VAULT })
  stores.push(store)
  return store
}

beforeAll(async () => {
  primary = await Postgres.start()
  const store = await open(primary.url())
  await furnish(store)
  await store.fleet.heartbeat({ name: 'one', version: '1', isLeaving: false })
  replica = await primary.replica()
})
// Keeps the replica from counting as lagging, however long earlier tests took.
beforeEach(() => wasSeen(0))
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()))
})
afterAll(() => Promise.all([primary.stop(), replica.stop()]))

const TOO_FAR_BEHIND_MS = 61_000

/** Sets how long ago the server was seen, by which the replica measures its lag. */
async function wasSeen(agoMs: number): Promise<void> {
  const sql = new SQL(primary.url(), { max: 1 })
  await sql`UPDATE nodes SET seen_at = clock_ms() - ${agoMs}::bigint`
  await sql.close()
}

const add = (store: SharedStore, n: number) => store.transaction((tx) => tx.issues.add(issueNumber(n)))
const owner = { appId: APP.appId, mode: 'live' } as const
const listed = async (store: SharedStore) =>
  (await store.lists.issues.page(owner, { limit: 10 }, clock.now())).map(({ issueId }) => issueId)
const idOf = (n: number) => issueNumber(n).issueId

/** Runs a function while replication is paused. */
async function whileItRests<T>(work: () => Promise<T>): Promise<T> {
  const sql = new SQL(replica.url(), { max: 1 })
  try {
    await sql`SELECT pg_wal_replay_pause()`
    const state = async () => (await sql`SELECT pg_get_wal_replay_pause_state() AS state`)[0].state
    await until(async () => (await state()) === 'paused', 'the replica to rest')
    return await work()
  } finally {
    await sql`SELECT pg_wal_replay_resume()`
    await sql.close()
  }
}

/** Waits until the replica has it. */
async function untilThere(rows: string): Promise<void> {
  const sql = new SQL(replica.url(), { max: 1 })
  await until(async () => (await sql.unsafe(rows)).length > 0, 'the replica to have it')
  await sql.close()
}

const untilFollowed = (store: SharedStore, n: number) =>
  until(async () => (await listed(store)).includes(idOf(n)), 'the replica to have the issue')

test('what the replica has not got yet is in no list, and is found by its id', async () => {
  const store = await open(replica.url())
  await add(store, 1)
  await untilFollowed(store, 1)
  await whileItRests(async () => {
    await add(store, 2)
    expect(await listed(store)).toEqual([idOf(1)])
    expect(await store.read.issues.find(owner, idOf(2))).toMatchObject({ issueId: idOf(2) })
  })
  await untilFollowed(store, 2)
})

test('a replica that is far behind is not asked', async () => {
  const store = await open(replica.url())
  await wasSeen(TOO_FAR_BEHIND_MS)
  await untilThere(`SELECT FROM nodes WHERE seen_at <= clock_ms() - ${TOO_FAR_BEHIND_MS}`)
  await whileItRests(async () => {
    await add(store, 3)
    expect(await listed(store)).toContain(idOf(3))
  })
})

test('a replica that is away is not missed, and asked again later', async () => {
  const store = await open(replica.url())
  await replica.halt('immediate')
  await add(store, 4)
  expect(await listed(store)).toContain(idOf(4))
  await replica.run()
  await untilThere(`SELECT FROM issues WHERE issue_id = '${idOf(4)}'`)
  clock.elapsedMs += 30_000
  await whileItRests(async () => {
    await add(store, 5)
    expect(await listed(store)).not.toContain(idOf(5))
  })
})
