/** Transactions on PostgreSQL, where many run at a time and the network between may fail. */

import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { SQL } from 'bun'
import { FRONT, type Job } from '../../src/domain/operations/job'
import type { Refusal } from '../../src/domain/shared/error'
import type { Issue } from '../../src/domain/verification/issue'
import type { HookDelivery } from '../../src/domain/webhooks/webhook'
import { begin, complete } from '../../src/jobs/runner'
import type { Clock } from '../../src/ports/clock'
import type { Log } from '../../src/ports/log'
import type { Telemetry } from '../../src/ports/telemetry'
import { openStore, type SharedStore, type SharedStoreOptions } from '../../src/store/postgres/open'
import { createVault } from '../../src/system/vault'
import { webhookCall } from '../../src/usecases/send-webhook'
import { errorOf } from '../support/error-of'
import { type Database, Postgres, sharedPostgres } from '../support/postgres'
import { HANGS_AFTER_MS, until } from '../support/until'
import { Wire } from '../support/wire'
import {
  APP,
  anEndpoint,
  expectReport,
  furnish,
  issueNumber,
  NOW,
  OWNER,
  outcomeOf,
  reserveCredit,
  StillClock,
  VAULT,
} from './sample'
import { eventNumber, hookOf } from './webhooks'

setDefaultTimeout(HANGS_AFTER_MS)

let database: Database
let wire: Wire
const stores: SharedStore[] = []
const open = async (options: Partial<SharedStoreOptions> = {}) => {
  const clock = new StillClock()
  const store = await openStore({ url: database.url, size: 3, clock, vault: VAULT, time: () => NOW, ...options })
  stores.push(store)
  return store
}

beforeEach(async () => {
  const server = await sharedPostgres()
  database = await server.database()
  wire = await Wire.to(server.port)
})
afterEach(async () => {
  wire.passing = {}
  await Promise.all(stores.splice(0).map((store) => store.close()))
  wire.close()
  await database.drop()
})

const rows = async (text: string) => {
  const sql = new SQL(database.url, { max: 1 })
  try {
    return await sql.unsafe(text)
  } finally {
    await sql.close()
  }
}

describe('a database', () => {
  test('that many begin on at once is laid out once', async () => {
    await Promise.all(Array.from({ length: 6 }, () => open()))
    expect(await rows('SELECT count(*)::int AS count FROM schema_version')).toEqual([{ count: 1 }] as never)
  })

  test('of another program is left as it is', async () => {
    await rows('CREATE TABLE theirs (id integer)')
    expect(await errorOf(open())).toMatchObject({ name: 'ForeignDatabaseError' })
    expect(
      await rows("SELECT 1 FROM pg_tables WHERE tablename = 'issues' AND schemaname = current_schema()"),
    ).toHaveLength(0)
  })

  test('of another secret is refused', async () => {
    await open()
    const vault = createVault(Buffer.from('another master secret, 32+ characters'))
    expect(await errorOf(open({ vault }))).toMatchObject({ name: 'WrongSecretError' })
  })

  test('of a release that has taken away what this one needs is refused, and one that only has more is not', async () => {
    await open()
    await rows('UPDATE schema_version SET version = 99')
    await open()
    await rows('UPDATE schema_version SET needs = 99')
    expect(await errorOf(open())).toMatchObject({ name: 'NewerDatabaseError' })
  })
})

describe('credit', () => {
  const withCredit = async (balance: number) => {
    const store = await open({ size: 8 })
    await furnish(store)
    await store.transaction(async (tx) => {
      const wallet = await tx.wallets.lock(APP.appId)
      await tx.wallets.save({ ...wallet, balance })
    })
    return store
  }
  const reserve = (store: SharedStore, times: number, amount = 1) =>
    Promise.all(
      Array.from({ length: times }, () => outcomeOf(store.transaction((tx) => reserveCredit(tx, APP.appId, amount)))),
    )
  const granted = (outcomes: Awaited<ReturnType<typeof reserve>>) => outcomes.filter((one) => 'value' in one).length

  test.each([
    [60, 1],
    [61, 2],
    [3_000, 40],
  ])('of %d is promised to the last, and not beyond, by many at once who want %d each', async (balance, amount) => {
    const store = await withCredit(balance)
    const others = await open()
    const fits = Math.floor(balance / amount)
    const outcomes = [...(await Promise.all([reserve(store, fits, amount), reserve(others, 40, amount)]))].flat()
    expect(granted(outcomes)).toBe(fits)
    const refusals = outcomes.flatMap((one) => ('error' in one ? [one.error as Refusal] : []))
    expect(refusals.map(({ detail }) => detail)).toEqual(refusals.map(() => ({ code: 'INSUFFICIENT_CREDIT' })))
    expect(await store.read.wallets.find(APP.appId)).toMatchObject({ balance, reserved: fits * amount })
  })

  test('beyond the overdraft is refused by its own word', async () => {
    const store = await withCredit(0)
    await store.transaction(async (tx) => {
      await tx.wallets.save({ ...(await tx.wallets.lock(APP.appId)), overdraftLimit: 2 })
    })
    const outcomes = await reserve(store, 3)
    expect(granted(outcomes)).toBe(2)
    expect(outcomes.find((one) => 'error' in one)).toMatchObject({
      error: { kind: 'no_credit', detail: { code: 'OVERDRAFT_LIMIT_EXCEEDED' } },
    })
  })
})

describe('transactions that meet', () => {
  test('who looks again for a report, behind the lock of its issue, sees that another one has ended it', async () => {
    const store = await open()
    await furnish(store)
    const issue = issueNumber(1)
    const { appId, mode, issueId, messageId, leg } = issue
    const awaited = {
      appId,
      mode,
      issueId,
      messageId,
      leg,
      carrier: 'main',
      carrierMessageId: undefined,
      answeredAt: NOW,
    }
    await store.transaction(async (tx) => {
      await tx.issues.add(issue)
      await expectReport(tx, awaited)
    })
    await store.transaction(async (tx) => {
      expect(await tx.reports.find(messageId)).toMatchObject({ issueId })
      await store.transaction((other) => other.reports.forget(messageId))
      await tx.issues.lock(issue, issueId)
      expect(await tx.reports.find(messageId)).toBeUndefined()
    })
  })

  test('in two orders both end: the one that lost runs again, and has its effects once', async () => {
    const store = await open()
    await furnish(store)
    const [one, other] = [issueNumber(1), issueNumber(2)]
    await store.transaction(async (tx) => {
      await tx.issues.add(one)
      await tx.issues.add(other)
    })
    let met = 0
    const bothHaveOne = Promise.withResolvers<void>()
    const effects: string[] = []
    const inOrder = (first: typeof one, second: typeof one) =>
      store.transaction(async (tx) => {
        tx.afterCommit(() => effects.push(first.issueId))
        const known = (await tx.issues.lock(first, first.issueId)) as Issue | undefined
        if (++met === 2) bothHaveOne.resolve()
        await bothHaveOne.promise
        await tx.issues.lock(second, second.issueId)
        if (known) await tx.issues.save({ ...known, attemptsUsed: known.attemptsUsed + 1 })
      })
    await Promise.all([inOrder(one, other), inOrder(other, one)])
    expect(met).toBeGreaterThan(2)
    expect(effects.sort()).toEqual([one.issueId, other.issueId].sort())
    const used = await Promise.all([one, other].map((issue) => store.read.issues.find(issue, issue.issueId)))
    expect(used.map((issue) => issue?.attemptsUsed)).toEqual([1, 1])
  })
})

test('a claim takes no more than it may, also where the database believes that there is one job', async () => {
  const store = await open()
  const queue = (n: number) =>
    store.transaction((tx) =>
      tx.jobs.add({ kind: 'deliver', owner: OWNER, subjectId: issueNumber(n).issueId, runAt: NOW }),
    )
  await queue(1)
  await rows('VACUUM ANALYZE jobs')
  for (let n = 2; n <= 20; n++) await queue(n)
  expect(await store.transaction((tx) => tx.jobs.claim('deliver', FRONT, 3))).toHaveLength(3)
})

describe('the answer to a commit that is lost', () => {
  /** One connection with prepared statements, so that nothing is sent between the last write and the commit. */
  async function warmedUp() {
    const store = await open({ url: wire.through(database.url), size: 1 })
    await furnish(store)
    for (const issue of [issueNumber(1), issueNumber(2)])
      await store.transaction(async (tx) => {
        await tx.issues.add(issue)
        await tx.issues.lock(issue, issue.issueId)
      })
    return store
  }

  test.each([
    ['is stored, it is answered and had its effects once', true],
    ['did not arrive, it runs again', false],
  ])('where it %s', async (_, arrives) => {
    const store = await warmedUp()
    const issue = issueNumber(7)
    let runs = 0
    let effects = 0
    let isCut = false
    let isAsked = false
    await store.transaction(async (tx) => {
      runs++
      tx.afterCommit(() => effects++)
      await tx.issues.add(issue)
      await tx.issues.lock(issue, issue.issueId)
      if (runs > 1) return
      wire.passing = {
        // Only the last writes of the transaction and its commit are still to come.
        asked(_data, end) {
          isAsked = true
          if (isCut || arrives) return true
          isCut = true
          end()
          return false
        },
        answered(_data, end) {
          if (isCut || !isAsked) return true
          isCut = true
          end()
          return false
        },
      }
    })
    expect(isCut).toBe(true)
    expect(runs).toBe(arrives ? 1 : 2)
    expect(effects).toBe(1)
    wire.passing = {}
    expect(await store.read.issues.find(issue, issue.issueId)).toMatchObject({ issueId: issue.issueId })
    expect(await rows('SELECT count(*)::int AS count FROM issues')).toEqual([{ count: 3 }] as never)
  })
})

test('a server that says nothing within a transaction until the database ends it is told to come back, and goes on', async () => {
  // On another connection, whose statements may come late.
  await furnish(await open())
  const connect: SharedStoreOptions['connect'] = ({ url, size }) =>
    new SQL({ url, max: size, connection: { idle_in_transaction_session_timeout: 100 } })
  const opened: SharedStore[] = []
  // The first statement may be ended, too, if this process is held up.
  await until(async () => {
    opened.push(
      ...(await open({ connect }).then(
        (store) => [store],
        () => [],
      )),
    )
    return opened.length > 0
  }, 'it to begin')
  const [store] = opened as [SharedStore]
  const isHeld = async () => (await rows("SELECT 1 FROM pg_locks WHERE relation = 'wallets'::regclass")).length > 0
  const silent = store.transaction(async (tx) => {
    await tx.wallets.lock(APP.appId)
    await until(async () => !(await isHeld()), 'the database to end it')
    await tx.wallets.lock(APP.appId)
  })
  expect(await outcomeOf(silent)).toMatchObject({ error: { kind: 'unavailable' } })
  const next = () => outcomeOf(store.transaction(async (tx) => (await tx.wallets.lock(APP.appId)).appId))
  await until(async () => 'value' in (await next()), 'it to go on')
})

test('an event that is being put off while the one before it is told goes out right after that', async () => {
  const store = await open()
  await furnish(store)
  const endpoint = anEndpoint()
  const [first, next] = [1, 2].map((n) => hookOf(endpoint, eventNumber(n))) as [HookDelivery, HookDelivery]
  await store.transaction(async (tx) => {
    await tx.endpoints.add(endpoint)
    for (const [index, hook] of [first, next].entries()) {
      await tx.hooks.addEvent(eventNumber(index + 1))
      await tx.hooks.add(hook)
      const { deliveryId: subjectId, endpointId: queue } = hook
      await tx.jobs.add({ kind: 'webhook', owner: OWNER, subjectId, runAt: NOW - 1 + index, queue })
    }
  })
  const claim = async () => {
    const [job] = await store.transaction((tx) => tx.jobs.claim('webhook', endpoint.endpointId, 1))
    return job as Job
  }
  const clock = { now: () => NOW, after: () => () => {} } as unknown as Clock
  const telemetry = { begin: () => ({ end() {} }), webhookAnswered() {} } as unknown as Telemetry
  const call = webhookCall({
    ...{ store, clock, telemetry, log: {} as Log, node: { wakeUps: { wake() {}, subscribe() {} } } },
    hookPolicy: { allowHttp: true, ports: [], allowedCidrs: [] },
    hooks: {
      post: async () => ({ kind: 'answered', status: 200, location: undefined, retryAfter: undefined, body: '' }),
    },
  })
  const told = await claim()
  const prepared = await store.transaction((tx) => begin(tx, call, told))
  if (!prepared) throw new Error('The first was not to be told')
  const putOff = await claim()
  expect(putOff.subjectId).toBe(next.deliveryId)
  const decided = Promise.withResolvers<void>()
  const goesOn = Promise.withResolvers<void>()
  // It has seen the first as unfinished and has not stored its own outcome yet.
  const puttingOff = store.transaction((tx) => {
    const reschedule: typeof tx.jobs.reschedule = async (...args) => {
      decided.resolve()
      await goesOn.promise
      return tx.jobs.reschedule(...args)
    }
    const jobs = { ...tx.jobs, reschedule }
    return begin(new Proxy(tx, { get: (of, name) => (name === 'jobs' ? jobs : Reflect.get(of, name)) }), call, putOff)
  })
  await decided.promise
  const telling = complete({ store, clock }, call, told, prepared)
  const isWaiting = async () => (await rows('SELECT 1 FROM pg_locks WHERE NOT granted')).length > 0
  await until(isWaiting, 'the first to wait for what the second has locked')
  goesOn.resolve()
  await Promise.all([puttingOff, telling])
  expect((await claim())?.subjectId).toBe(next.deliveryId)
})

test('a server knows what time it is by the database before anybody asks it', async () => {
  const seen: number[] = []
  const before = Date.now()
  await open({
    time({ stamped }) {
      seen.push(stamped)
      return stamped
    },
  })
  expect(seen).toHaveLength(1)
  expect(seen[0]).toBeWithin(before, Date.now() + 1)
})

test('a crash gives the number of a transaction to another one: whose commit then succeeds says nothing of the first', async () => {
  const postgres = await Postgres.start({ isDurable: true })
  try {
    const store = await open({ url: postgres.url() })
    await furnish(store)
    const sql = new SQL(postgres.url(), { max: 1 })
    const next = async () => {
      const [row] = await sql.unsafe('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS id').catch(() => [])
      return Number(row?.id ?? 0)
    }
    const [lost, others] = [issueNumber(1), [2, 3, 4, 5, 6].map((n) => issueNumber(n))]
    let runs = 0
    await store.transaction(async (tx) => {
      await tx.issues.lock(lost, lost.issueId)
      if (++runs === 1) {
        const ours = await next()
        await postgres.halt('immediate')
        await postgres.run()
        for (const issue of others) await addedTo(store, issue)
        // Otherwise the test would prove nothing.
        while ((await next()) <= ours) await sql.unsafe('SELECT pg_current_xact_id()')
      }
      await tx.issues.add(lost)
    })
    await sql.close()
    expect(runs).toBe(2)
    for (const issue of [lost, ...others])
      expect(await store.read.issues.find(issue, issue.issueId)).toMatchObject({ issueId: issue.issueId })
    await store.close()
    stores.length = 0
  } finally {
    await postgres.stop()
  }
})

test('a disk that is full is told as such, also where nobody awaits the answer of what has failed before the commit', async () => {
  const store = await open()
  await furnish(store)
  await rows(`CREATE FUNCTION full_disk() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE = '53100'; END $$
    LANGUAGE plpgsql; CREATE TRIGGER full_disk BEFORE INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION full_disk()`)
  const units = Array.from({ length: 60 }, (_, n) =>
    store.transaction(async (tx) => {
      const issue = issueNumber(n + 1)
      await tx.issues.lock(OWNER, issue.issueId)
      await tx.issues.add(issue)
      await tx.jobs.add({ kind: 'deliver', owner: OWNER, subjectId: issue.issueId, runAt: NOW })
    }),
  )
  for (const work of await Promise.allSettled(units))
    expect(work).toMatchObject({ status: 'rejected', reason: { kind: 'unavailable' } })
  expect(await rows('SELECT 1 FROM issues')).toHaveLength(0)
})

test('a life of the database is begun by transactions that have all its connections between them', async () => {
  const store = await open({ size: 3 })
  await furnish(store)
  await rows('TRUNCATE this_life')
  const haveOne = Promise.withResolvers<void>()
  const issues = [1, 2, 3].map((n) => issueNumber(n))
  let begun = 0
  const all = issues.map((issue) =>
    store.transaction(async (tx) => {
      if (++begun === issues.length) haveOne.resolve()
      await haveOne.promise
      await tx.issues.add(issue)
    }),
  )
  await Promise.all(all)
  for (const issue of issues)
    expect(await store.read.issues.find(issue, issue.issueId)).toMatchObject({ issueId: issue.issueId })
})

/** Lost connections are noticed one by one. */
const addedTo = (store: SharedStore, issue: ReturnType<typeof issueNumber>) =>
  until(async () => {
    await outcomeOf(store.transaction((tx) => tx.issues.add(issue)))
    const found = await outcomeOf(store.read.issues.find(issue, issue.issueId))
    return 'value' in found && found.value !== undefined
  }, 'the database to come back')

test('statements that go out together, errors among them, each get their own rows', async () => {
  const server = await sharedPostgres()
  const sql = new SQL(server.url(), { max: 3 })
  const asked = Array.from({ length: 12_000 }, (_, n) => {
    const text = ['SELECT $1::int', 'SELECT $1::int, $1::int + 1', 'SELECT 1 / ($1::int - $1::int)'][n % 3] as string
    return sql.unsafe(text, [n]).values()
  })
  const answers = await Promise.allSettled(asked)
  const wrong = answers.filter((answer, n) => {
    if (n % 3 === 2) return answer.status !== 'rejected' || answer.reason.errno !== '22012'
    return (
      answer.status !== 'fulfilled' ||
      JSON.stringify([...answer.value]) !== JSON.stringify([n % 3 === 0 ? [n] : [n, n + 1]])
    )
  })
  expect(wrong).toEqual([])
  await sql.close()
})
