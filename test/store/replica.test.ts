/** Lists come from a replica where there is one, and everything that decides does not. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { openStore, type SharedStore } from '../../src/store/postgres/open'
import { Postgres } from '../support/postgres'
import { APP, furnish, issueNumber, StillClock, VAULT } from './sample'

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
  await store.fleet.beat({ name: 'one', version: '1', isLeaving: false })
  replica = await primary.replica()
}, 60_000)
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()))
})
afterAll(() => Promise.all([primary.stop(), replica.stop()]))

const add = (store: SharedStore, n: number) => store.transaction((tx) => tx.issues.add(issueNumber(n)))
const owner = { appId: APP.appId, mode: 'live' } as const
const listed = async (store: SharedStore) =>
  (await store.lists.issues.page(owner, { limit: 10 }, clock.now())).map(({ issueId }) => issueId)
const idOf = (n: number) => issueNumber(n).issueId

/** Does something while the replica follows no more. */
async function whileItRests<T>(work: () => Promise<T>): Promise<T> {
  const sql = new SQL(replica.url(), { max: 1 })
  try {
    await sql`SELECT pg_wal_replay_pause()`
    return await work()
  } finally {
    await sql`SELECT pg_wal_replay_resume()`
    await sql.close()
  }
}

/** Looked for by the replica itself. */
async function untilThere(rows: string): Promise<void> {
  const sql = new SQL(replica.url(), { max: 1 })
  while ((await sql.unsafe(rows)).length === 0) await Bun.sleep(10)
  await sql.close()
}

const untilFollowed = async (store: SharedStore, n: number) => {
  while (!(await listed(store)).includes(idOf(n))) await Bun.sleep(10)
}

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
  const sql = new SQL(primary.url(), { max: 1 })
  const [{ seen }] = await sql`SELECT max(seen_at) AS seen FROM nodes`
  await sql`UPDATE nodes SET seen_at = seen_at - 61000`
  await untilThere(`SELECT FROM nodes WHERE seen_at < ${seen}`)
  await whileItRests(async () => {
    await add(store, 3)
    expect(await listed(store)).toContain(idOf(3))
  })
  await sql`UPDATE nodes SET seen_at = clock_ms()`
  await sql.close()
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
