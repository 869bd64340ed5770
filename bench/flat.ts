/** Whether ten million issues change anything: the same work on a small database and on a big one, in turns. */
import { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createApp } from '../src/app'
import { readConfig } from '../src/config'
import type { Ports } from '../src/ports'
import type { Store } from '../src/ports/store'
import { openStore } from '../src/store/sqlite/open'
import { systemClock } from '../src/system/clock'
import { systemPasswords } from '../src/system/passwords'
import { systemRandom } from '../src/system/vault'
import { deleteOldData } from '../src/usecases/delete-old-data'
import { expireDue } from '../src/usecases/expire-due'
import { setUpToken } from '../src/usecases/people'
import { rollUpUsage } from '../src/usecases/roll-up-usage'
import { ConsoleClient } from '../test/console/client'
import { ASLEEP } from '../test/support/asleep'
import { UNTOLD } from '../test/support/untold'
import { fill } from './fill'
import { furnish, vault } from './furnish'
import { type Past, pastId, type Supply, type Target, type Workload } from './load/workloads'
import { type Generator, type Service, serveCommand, startService } from './processes'
import { atLeast, atMost, type Goal, type Part } from './report'
import { SECRET } from './secret'
import { count, fixed, type Rounds, ratiosOf, roundsOf } from './statistics'

interface Effort {
  issues: number
  rounds: number
  seconds: number
  warmUpSeconds: number
}

/** What an empty database is here: one that has something to list and to delete. */
const SMALL = 10_000
const DAYS = 30
const DAY_MS = 86_400_000
const SWEPT = 2_000
const CONSOLE_CALLS = 10

interface Side {
  file: string
  dir: string
  appId: string
  target: Target
  supply: Supply & { past: Past }
  first: { request: number; verified: number }
  bytesPerIssue: number
}

interface Row {
  what: string
  unit: string
  small: Rounds
  big: Rounds
  /** Of the small database's rate. */
  ratio: Rounds
}

export async function flat(dir: string, generator: Generator, effort: Effort): Promise<Part> {
  const small = await prepare(join(dir, 'small'), SMALL)
  const big = await prepare(join(dir, 'big'), effort.issues)
  const startUps = await alternate(effort.rounds, small, big, startUp)
  const rows = await requestRows(generator, small, big, effort)
  const inProcess = [await openInProcess(small), await openInProcess(big)] as const
  rows.push(...(await consoleRows(...inProcess)), ...(await sweepRows(...inProcess)))
  for (const { store } of inProcess) await store.close()
  const start = timeRow('start, to the first answer', startUps)
  const title = `${count(effort.issues)} issues, against ${count(SMALL)}`
  return {
    title,
    columns: ['what', 'unit', count(SMALL), count(effort.issues), 'of the small one’s rate'],
    rows: [...rows, start].map(({ what, unit, small: s, big: b, ratio }) => {
      const shown = unit === 'ms' ? (value: number) => fixed(value) : count
      return [
        what,
        unit,
        shown(s.median),
        shown(b.median),
        `${fixed(ratio.median)} (${fixed(ratio.min)}–${fixed(ratio.max)})`,
      ]
    }),
    goals: [
      ...rows.map(({ what, ratio }): Goal => atLeast(`${what}: big, of small`, ratio.median, 0.8)),
      atMost('start with the big one, times the small one’s', 1 / start.ratio.median, 2),
      atMost('bytes a settled issue', big.bytesPerIssue, 600),
    ],
    data: { rows, start, bytesPerIssue: big.bytesPerIssue },
  }
}

async function prepare(dir: string, issues: number): Promise<Side> {
  const { file, appId, key, supply } = await furnish(dir, { issues: 60_000, carrierUrl: 'http://127.0.0.1:9/none' })
  const before = statSync(file).size
  const past = fill({ file, appId, issues, days: DAYS, until: supply.base - 60_000 })
  return {
    dir,
    file,
    appId,
    target: { url: '', wire: 'rest', key },
    supply: { ...supply, past },
    first: { request: 1, verified: 0 },
    bytesPerIssue: (statSync(file).size - before) / issues,
  }
}

/** Both sides in every round, one after the other. */
async function alternate<T>(
  rounds: number,
  small: T,
  big: T,
  measure: (side: T) => Promise<number>,
): Promise<[number[], number[]]> {
  const values: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    values[0].push(await measure(small))
    values[1].push(await measure(big))
  }
  return values
}

const timeRow = (what: string, [small, big]: [number[], number[]]): Row => ({
  what,
  unit: 'ms',
  small: roundsOf(small),
  big: roundsOf(big),
  ratio: ratiosOf(small, big),
})
const rateRow = (what: string, [small, big]: [number[], number[]]): Row => ({
  what,
  unit: 'a second',
  small: roundsOf(small),
  big: roundsOf(big),
  ratio: ratiosOf(big, small),
})

const serve = ({ dir }: Side) => startService(serveCommand(dir), { WATCHWORD_SECRET: SECRET })

async function startUp(side: Side): Promise<number> {
  const startedAt = performance.now()
  const server = await serve(side)
  await fetch(`${server.url}/healthz`)
  const took = performance.now() - startedAt
  await server.stop()
  return took
}

const WORKLOADS: Array<[Workload, string]> = [
  ['issue', 'issue'],
  ['verify', 'verify'],
  ['status', 'status of a new issue'],
  ['old-status', 'status of any issue'],
  ['list', 'list, first page'],
  ['deep-list', 'list, deep page'],
]

async function requestRows(
  generator: Generator,
  small: Side,
  big: Side,
  { rounds, seconds, warmUpSeconds }: Effort,
): Promise<Row[]> {
  const services: Service[] = []
  try {
    for (const side of [small, big]) {
      const service = await serve(side)
      services.push(service)
      side.target = { ...side.target, url: service.url }
    }
    const load = async ({ target, supply, ...side }: Side, workload: Workload, forSeconds: number, whose: Side) => {
      const result = await generator.run({
        target,
        supply,
        first: side.first,
        workload,
        connections: 64,
        seconds: forSeconds,
      })
      if (result.refusal) throw new Error(`flat, ${workload}: ${result.refusal}`)
      whose.first = result.position
      return result.perSecond
    }
    const rows: Row[] = []
    for (const [workload, what] of WORKLOADS) {
      await load(small, workload, warmUpSeconds, small)
      await load(big, workload, warmUpSeconds, big)
      rows.push(rateRow(what, await alternate(rounds, small, big, (side) => load(side, workload, seconds, side))))
    }
    return rows
  } finally {
    await Promise.all(services.map((service) => service.stop()))
  }
}

interface InProcess {
  side: Side
  store: Store
  client: ConsoleClient
}

async function openInProcess(side: Side): Promise<InProcess> {
  const store = openStore({ file: side.file, clock: systemClock, vault })
  // What the pages read, and nothing that runs by itself.
  const app = createApp(readConfig({}), {
    clock: systemClock,
    random: systemRandom,
    vault,
    store,
    descriptors: { areShort: () => false },
    passwords: systemPasswords,
    backups: () => ({ made: [] }),
    log: { debug() {}, info() {}, warn() {}, error() {} },
    schedule: () => () => {},
  } as unknown as Ports)
  await rollUpUsage({ store, clock: systemClock })
  const client = new ConsoleClient({ app, run: (work) => work })
  const token = await setUpToken({ store, vault, clock: systemClock })
  await client.call('session/setUp', { token, name: 'Bench', email: 'b@example.com', password: 'a good long password' })
  return { side, store, client }
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)
const usageOf = (appId: string, base: number, days: number) => ({
  ...{ appId, mode: 'live', timeZone: 'Asia/Seoul', from: dayOf(base - days * DAY_MS), to: dayOf(base) },
})

const CONSOLE: Record<string, (side: Side) => [path: string, input: object]> = {
  'console: issues, first page': ({ appId }) => ['issues/list', { appId, mode: 'live' }],
  'console: issues, deep page': ({ appId, supply: { past } }) => [
    'issues/list',
    { appId, mode: 'live', after: pastId(past, Math.floor(past.count / 2)) },
  ],
  'console: issues, by status': ({ appId }) => ['issues/list', { appId, mode: 'live', status: 'expired' }],
  'console: one issue': ({ supply: { past } }) => [
    'issues/story',
    { issueId: pastId(past, Math.floor(past.count / 3)) },
  ],
  'console: ledger, a month ago': ({ appId, supply: { base } }) => ['wallet/ledger', { appId, to: base - 29 * DAY_MS }],
  'console: usage of 24 hours': ({ appId, supply: { base } }) => [
    'usage/report',
    { ...usageOf(appId, base, 1), groupBy: ['hour', 'carrier'] },
  ],
  'console: usage of 30 days': ({ appId, supply: { base } }) => [
    'usage/report',
    { ...usageOf(appId, base, 30), groupBy: ['day', 'purpose'] },
  ],
}

async function consoleRows(small: InProcess, big: InProcess): Promise<Row[]> {
  const rows: Row[] = []
  for (const [what, call] of Object.entries(CONSOLE)) {
    const measure = async ({ side, client }: InProcess) => {
      const [path, input] = call(side)
      const startedAt = performance.now()
      const { status, body } = await client.call(path, input)
      const took = performance.now() - startedAt
      if (status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`)
      return took
    }
    await alternate(3, small, big, measure)
    rows.push(timeRow(what, await alternate(CONSOLE_CALLS, small, big, measure)))
  }
  return rows
}

async function sweepRows(small: InProcess, big: InProcess): Promise<Row[]> {
  const perSecond = async (work: () => Promise<void>) => {
    const startedAt = performance.now()
    await work()
    return (SWEPT / (performance.now() - startedAt)) * 1_000
  }
  const expire = async ({ side, store }: InProcess) => {
    lapse(side)
    return perSecond(() => expireDue({ store, random: systemRandom, node: ASLEEP, telemetry: UNTOLD }))
  }
  let round = 0
  const retire = async ({ side: { supply }, store }: InProcess) => {
    const { start, stepMs } = supply.past
    const oldestKept = start + (Math.floor(round++ / 2) + 1) * SWEPT * stepMs
    const clock = { now: () => oldestKept + DAYS * DAY_MS }
    return perSecond(() => deleteOldData({ store, clock, liveRetentionDays: DAYS, idempotencyDays: 1_000 }))
  }
  return [
    rateRow('expiry sweep', await alternate(3, small, big, expire)),
    rateRow('retention', await alternate(3, small, big, retire)),
  ]
}

/** Lets some of the supply expire, as time would. */
function lapse({ file, appId }: Side): void {
  const db = new Database(file)
  db.run(
    `UPDATE issues SET expires_at = created_at WHERE app_id = ? AND mode = 'live' AND issue_id IN (
       SELECT issue_id FROM issues WHERE app_id = ? AND mode = 'live' AND verification_status = 'issued'
       ORDER BY issue_id DESC LIMIT ?)`,
    [appId, appId, SWEPT],
  )
  db.close()
}
