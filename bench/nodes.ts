/**
 * Servers over one PostgreSQL: ours against a floor of hand-written statements that are sent together, one app against
 * many, one server against two; and what each side computes for it.
 */
import { tmpdir } from 'node:os'
import { SQL } from 'bun'
import { openStore } from '../src/store/postgres/open'
import { systemClock } from '../src/system/clock'
import { Postgres } from '../test/support/postgres'
import { addApp, furnishApp, vault } from './furnish'
import type { Result } from './load/main'
import { FILLED_CODE, filledId, type Supply, type Target, type Workload } from './load/workloads'
import { fromSource, Generator, type Service, startCounting, startService } from './processes'
import { atLeast, type Part } from './report'
import { SECRET } from './secret'
import { count, fixed, ratiosOf, roundsOf } from './statistics'

interface Effort {
  rounds: number
  seconds: number
}

const APPS = 64
const CONNECTIONS = 64
/** Until nearly all of it is compiled: servers run for longer than a round. */
const WARM_UP_SECONDS = 15
const DAY_MS = 86_400_000

/** Memory for what is hot, and no checkpoint within a round. */
export const SETTINGS = {
  shared_buffers: '512MB',
  max_wal_size: '8GB',
  checkpoint_timeout: '1h',
  log_min_messages: 'panic',
}

/** Who is asked, which servers of theirs, in the names of how many apps. The floor has a server for each number. */
const CELLS = {
  'floor, 64 apps': { who: 'floor', apps: APPS, servers: [0] },
  'floor, one app': { who: 'floor', apps: 1, servers: [1] },
  '64 apps': { who: 'ours', apps: APPS, servers: [0] },
  'one app': { who: 'ours', apps: 1, servers: [0] },
  '64 apps, two servers': { who: 'ours', apps: APPS, servers: [0, 1] },
} as const
type Name = keyof typeof CELLS
const NAMES = Object.keys(CELLS) as Name[]

/** Who verifies does so in the name of one app. */
const PLAN: Array<{ workload: Workload; words: string; names: Name[] }> = [
  { workload: 'issue', words: 'issue, distinct phones', names: NAMES },
  { workload: 'verify', words: 'verify, right code', names: ['floor, one app', 'one app'] },
]

interface Measured extends Result {
  /** Of all servers, and of the database, for each answer. */
  serverMs: number
  databaseMs: number
}

/** A database with those who work on it. */
interface Side {
  /** Of the database. */
  url: string
  servers: Service[]
  keys: string[]
  supply: Supply
  /** Of each generator, where its numbers go on. */
  first: Array<Result['position']>
}

export async function nodes(generator: Generator, effort: Effort): Promise<Part> {
  // On a disk; the benchmark's own folder is for nobody else, and PostgreSQL is not run by root.
  const postgres = await Postgres.start({ isDurable: true, on: tmpdir(), settings: SETTINGS })
  const other = new Generator()
  const services: Service[] = []
  try {
    const sides = await startAll(postgres, services, effort)
    const cells = new Map<string, Measured[]>()
    const load = (name: Name, workload: Workload, seconds: number) =>
      measure(postgres, [generator, other], sides[CELLS[name].who], { ...CELLS[name], workload, seconds })
    for (const { workload, names } of PLAN) for (const name of names) await load(name, workload, WARM_UP_SECONDS)
    // As its autovacuum does within a minute: until then it plans without knowing what it has.
    for (const { url } of Object.values(sides)) await analyze(url)
    for (let round = 0; round < effort.rounds; round++)
      for (const { workload, names } of PLAN)
        for (const name of names) {
          const key = `${workload}/${name}`
          cells.set(key, [...(cells.get(key) ?? []), await load(name, workload, effort.seconds)])
        }
    return partOf(cells)
  } finally {
    other.stop()
    await Promise.all(services.map((service) => service.stop()))
    await postgres.stop()
  }
}

interface Wanted {
  apps: number
  servers: readonly number[]
  workload: Workload
  seconds: number
}

async function measure(
  postgres: Postgres,
  generators: readonly Generator[],
  side: Side,
  { apps, servers, workload, seconds }: Wanted,
): Promise<Measured> {
  const serverMs = startCounting(side.servers.map(({ pid }) => pid))
  const databaseMs = startCounting([postgres.pid])
  const results = await Promise.all(
    servers.map(async (server, n) => {
      const { url = '' } = side.servers[server] ?? {}
      const target: Target = { url, wire: 'rest', key: side.keys.slice(0, apps) }
      const first = side.first[server] as Result['position']
      const connections = CONNECTIONS / servers.length
      const order = { target, supply: side.supply, first, workload, connections, seconds }
      const result = await (generators[n] as Generator).run(order)
      side.first[server] = result.position
      // Too busy is an answer; it only does not count.
      if (result.refusal && !result.refusal.startsWith('503')) throw new Error(`${workload}: ${result.refusal}`)
      return result
    }),
  )
  const [first] = results as [Result, ...Result[]]
  const requests = results.reduce((sum, each) => sum + each.requests, 0)
  return {
    ...first,
    requests,
    perSecond: results.reduce((sum, { perSecond }) => sum + perSecond, 0),
    p50Ms: Math.max(...results.map(({ p50Ms }) => p50Ms)),
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
    serverMs: serverMs() / requests,
    databaseMs: databaseMs() / requests,
  }
}

async function startAll(
  postgres: Postgres,
  services: Service[],
  { rounds, seconds }: Effort,
): Promise<Record<'floor' | 'ours', Side>> {
  const start = async (command: string[], env: Record<string, string> = {}) => {
    const service = await startService(command, env)
    services.push(service)
    return service
  }
  // Where nothing is delivered the carrier has room for one message, and never answers it.
  const carrier = await start(fromSource('bench/carrier.ts', '--hang'))
  const issues = Math.round(6_000 * (WARM_UP_SECONDS + rounds * seconds))
  const side = async (name: string, begin: (url: string, appIds: string[]) => Promise<Service[]>): Promise<Side> => {
    const url = await databaseNamed(postgres, name)
    const { appIds, keys, supply } = await furnishDatabase(url, `${carrier.url}/send`, issues)
    const first = [0, 40_000_000].map((request) => ({ request: request + 1, verified: 0 }))
    return { url, servers: await begin(url, appIds), keys, supply, first }
  }
  const serve = (url: string) => () =>
    start(fromSource('src/main.ts', 'serve', '--port', '0'), { WATCHWORD_DATABASE_URL: url, WATCHWORD_SECRET: SECRET })
  const floor = fromSource('bench/contenders/pipelined.ts')
  return {
    floor: await side('floor', async (url, appIds) => [
      await start([...floor, '--url', url, '--apps', appIds.join(',')]),
      await start([...floor, '--url', url, '--apps', appIds[0] ?? '']),
    ]),
    ours: await side('ours', async (url) => [await serve(url)(), await serve(url)()]),
  }
}

async function analyze(url: string): Promise<void> {
  const sql = new SQL(url, { max: 1 })
  await sql.unsafe('VACUUM ANALYZE')
  await sql.close()
}

async function databaseNamed(postgres: Postgres, name: string): Promise<string> {
  const sql = new SQL(postgres.url(), { max: 1 })
  await sql.unsafe(`CREATE DATABASE ${name}`)
  await sql.close()
  return postgres.url().replace(/[^/]*$/, name)
}

async function furnishDatabase(url: string, carrierUrl: string, issues: number) {
  const store = await openStore({ url, size: 4, clock: systemClock, vault })
  const apps = [await furnishApp(store, { carrierUrl, carrier: { concurrency: 1, timeoutMs: 20_000 } })]
  while (apps.length < APPS) apps.push(await addApp(store))
  await store.close()
  const supply = await fillActive(url, apps[0]?.appId ?? '', issues)
  return { appIds: apps.map(({ appId }) => appId), keys: apps.map(({ key }) => key), supply }
}

/** As delivered issues are, to be verified. */
export async function fillActive(url: string, appId: string, issues: number): Promise<Supply> {
  const supply = { base: Date.now() - issues - 60_000, count: issues }
  const sql = new SQL(url, { max: 1 })
  const ids = Array.from({ length: issues }, (_, n) => filledId(supply, n))
  const hashes = ids.map((id) => Buffer.from(vault.codeHash(id, FILLED_CODE)).toString('hex'))
  await sql.unsafe(
    `INSERT INTO issues (app_id, mode, issue_id, message_id, purpose, template_id, channel, key_kind, sms_fallback,
       phone_hash, code_hash, country, created_at, expires_at, max_attempts, verification_status, attempts_used,
       delivery_status, leg, send_pending, outcome_ambiguous, billing_status, price, debited_amount, updated_at)
     SELECT $1, 'live', id, id, 'filled', 'otp_default_kr', 'sms', 'sk', true, sha256(uuid_send(id)), decode(hash, 'hex'),
       'KR', clock_ms(), clock_ms() + ${DAY_MS}, 10, 'issued', 0, 'delivered', 'sms', false, false, 'debited', 1, 1, clock_ms()
     FROM unnest($2::uuid[], $3::text[]) AS filled (id, hash)`,
    [appId, `{${ids.join(',')}}`, `{${hashes.join(',')}}`],
  )
  await sql.close()
  return supply
}

function partOf(cells: Map<string, Measured[]>): Part {
  const of = (workload: Workload, name: Name) => cells.get(`${workload}/${name}`) ?? []
  const rates = (workload: Workload, name: Name) => of(workload, name).map(({ perSecond }) => perSecond)
  const ratio = (workload: Workload, name: Name, against: Name) =>
    ratiosOf(rates(workload, name), rates(workload, against))
  const rows = PLAN.flatMap(({ workload, words, names }) =>
    names.map((name) => {
      const middle = (value: (measured: Measured) => number) => roundsOf(of(workload, name).map(value))
      const { median, min, max } = middle(({ perSecond }) => perSecond)
      const floor: Name = CELLS[name].apps === 1 ? 'floor, one app' : 'floor, 64 apps'
      const share = ratio(workload, name, floor)
      return [
        ...[words, name, count(median), `${count(min)}–${count(max)}`],
        ...[fixed(middle(({ p50Ms }) => p50Ms).median), fixed(middle(({ p99Ms }) => p99Ms).median)],
        ...[fixed(middle(({ serverMs }) => serverMs).median), fixed(middle(({ databaseMs }) => databaseMs).median)],
        `${fixed(share.median)} (${fixed(share.min)}–${fixed(share.max)})`,
      ]
    }),
  )
  return {
    title: 'Servers over one PostgreSQL',
    columns: [
      'workload',
      'who',
      'a second',
      'spread',
      'p50 ms',
      'p99 ms',
      'CPU ms, server',
      'database',
      'of the floor',
    ],
    rows,
    goals: [
      atLeast('issue over PostgreSQL, of the pipelined floor', ratio('issue', '64 apps', 'floor, 64 apps').median, 0.6),
      atLeast('issue over PostgreSQL, one app of 64', ratio('issue', 'one app', '64 apps').median, 0.6),
      atLeast(
        'verify over PostgreSQL, of the pipelined floor',
        ratio('verify', 'one app', 'floor, one app').median,
        0.6,
      ),
    ],
    data: Object.fromEntries(cells),
  }
}
