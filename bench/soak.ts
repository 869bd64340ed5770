/**
 * Whether a server stays as it is under an hour of everything: issues, verifies, messages with reports and webhooks at half of the
 * greatest rate, people at the console, and a backup in the middle. On both stores, one after the other.
 */
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore as openShared } from '../src/store/postgres/open'
import { openStore } from '../src/store/sqlite/open'
import { systemClock } from '../src/system/clock'
import { setUpToken } from '../src/usecases/people'
import { ConsoleClient } from '../test/console/client'
import { Postgres } from '../test/support/postgres'
import { furnish, furnishApp, REPORT_SECRET, vault } from './furnish'
import type { Supply } from './load/workloads'
import { fillActive, SETTINGS } from './nodes'
import { fromSource, type Generator, residentBytes, type Service, serveCommand, startService } from './processes'
import { atMost, type Part } from './report'
import { SECRET } from './secret'
import { longestStall } from './stalls'
import { count, fixed } from './statistics'

const MINUTE_MS = 60_000
const MB = 1e6
/** For finding the greatest rate, seconds. */
const TRIED_SEC = 20
const CONNECTIONS = 64
/** Three of ten requests verify an issue. */
const VERIFIES = 0.3
const METRICS_TOKEN = 'the-metrics-token-of-the-benchmark'

/** A server that is ready to be loaded. */
interface Prepared {
  command: string[]
  env: Record<string, string>
  appId: string
  key: string
  supply: Supply
  /** Opens the console. */
  token: string
  /** Makes a backup, where there is a program for it. */
  backup: string[] | undefined
  stop(): Promise<void>
}

interface Look {
  memoryMb: number
  descriptors: number
  longestStallMs: number
  oldestJobSec: number
}

export async function soak(dir: string, generator: Generator, { minutes }: { minutes: number }): Promise<Part> {
  const rows: string[][] = []
  const goals: Part['goals'] = []
  const data: Record<string, unknown> = {}
  for (const [name, prepare] of Object.entries({ SQLite: onFile, PostgreSQL: onPostgres })) {
    const found = await load(generator, {
      name,
      minutes: minutes / 2,
      prepare: (around) => prepare(join(dir, name), around),
    })
    data[name] = found
    const { first, middle, last, perSecond, requests, refused, refusal } = found
    for (const [when, look] of Object.entries({ start: first, middle, end: last }))
      rows.push([
        ...[`${name}, ${when}`, fixed(look.memoryMb, 0), count(look.descriptors), fixed(look.longestStallMs, 0)],
        ...[fixed(look.oldestJobSec, 1), when === 'end' ? `${count(requests)} at ${count(perSecond)} a second` : ''],
      ])
    // An hour is long to wait for what the first half has shown.
    process.stdout.write(
      `${rows
        .slice(-3)
        .map((row) => row.join(' | '))
        .join('\n')}\n${refusal ? `${name} refused: ${refusal}\n` : ''}`,
    )
    goals.push(
      atMost(`${name}: refused requests`, refused, 0),
      atMost(`${name}: memory at the end, of the middle`, last.memoryMb / middle.memoryMb, 1.1),
      atMost(`${name}: descriptors at the end, of the middle`, last.descriptors / middle.descriptors, 1.1),
      atMost(`${name}: longest stall, ms`, Math.max(middle.longestStallMs, last.longestStallMs), 50),
    )
  }
  return {
    title: `Half of the greatest rate for ${minutes / 2} minutes on each store, with reports, webhooks, two people at the console, and a backup`,
    columns: ['when', 'memory, MB', 'descriptors', 'longest stall, ms', 'oldest job that is due, s', ''],
    rows,
    goals,
    data,
  }
}

type Around = { carrierUrl: string; webhookUrl: string }

interface Course {
  name: string
  minutes: number
  prepare(around: Around): Promise<Prepared>
}

async function load(generator: Generator, { name, minutes, prepare }: Course) {
  const services: Service[] = []
  const start = async (command: string[], env: Record<string, string> = {}) => {
    const service = await startService(command, env)
    services.push(service)
    return service
  }
  let prepared: Prepared | undefined
  try {
    const carrier = await start(fromSource('bench/carrier.ts', '--delay-ms=20'))
    prepared = await prepare({ carrierUrl: `${carrier.url}/send`, webhookUrl: `${carrier.url}/hook` })
    const { appId, key, supply, token, backup } = prepared
    const server = await start(prepared.command, {
      ...prepared.env,
      ...{ WATCHWORD_SECRET: SECRET, WATCHWORD_METRICS_TOKEN: METRICS_TOKEN },
      ...{ WATCHWORD_WEBHOOK_ALLOW_HTTP: 'true', WATCHWORD_WEBHOOK_ALLOW_CIDR: '127.0.0.0/8' },
    })
    while (!(await fetch(`${server.url}/readyz`)).ok) await Bun.sleep(50)
    const reportsTo = { url: `${server.url}/provider-reports/main`, secret: REPORT_SECRET }
    await fetch(`${carrier.url}/report-to`, { method: 'POST', body: JSON.stringify(reportsTo) })
    const order = {
      ...{ target: { url: server.url, wire: 'rest' as const, key }, supply, workload: 'mix' as const },
      connections: CONNECTIONS,
    }
    const tried = await generator.run({ ...order, first: { request: 1, verified: 0 }, seconds: TRIED_SEC })
    if (tried.refusal && !tried.refusal.startsWith('503')) throw new Error(`soak, ${name}: ${tried.refusal}`)
    const arrivals = tried.perSecond / 2
    let isOver = false
    const people = atConsole(server.url, token, appId, () => isOver)
    // Awaited at the end; a load that fails before stops the server under them, and is what has to be told.
    people.catch(() => {})
    const look = async (load: Promise<unknown>): Promise<Look> => ({
      longestStallMs: await longestStall(server.url, load),
      memoryMb: residentBytes(server) / MB,
      descriptors: readdirSync(`/proc/${server.pid}/fd`).length,
      oldestJobSec: await oldestJob(server.url),
    })
    const first = await look(Bun.sleep(1_000))
    const running = generator.run({ ...order, first: tried.position, seconds: minutes * 60, arrivals })
    const half = Bun.sleep((minutes / 2) * MINUTE_MS)
    const middle = await look(half)
    const copying =
      backup && Bun.spawn(backup, { env: { ...process.env, WATCHWORD_SECRET: SECRET }, stdout: 'ignore' }).exited
    const last = await look(running)
    const copied = (await copying) ?? 0
    if (copied !== 0) throw new Error(`soak, ${name}: the backup ended with ${copied}`)
    const { requests, perSecond, refusal, statuses } = await running
    isOver = true
    await people
    const refused = Object.entries(statuses).reduce(
      (sum, [status, times]) => sum + (Number(status) < 300 ? 0 : times),
      0,
    )
    return { first, middle, last, requests, perSecond, refused, refusal }
  } finally {
    await Promise.all(services.map((service) => service.stop()))
    await prepared?.stop()
  }
}

const issuesFor = (minutes: number) => Math.ceil(minutes * 60 * 3_000 * VERIFIES)

async function onFile(dir: string, around: Around): Promise<Prepared> {
  const { file, appId, key, supply } = await furnish(dir, {
    ...{ ...around, carrier: { reports: true }, issues: issuesFor(10) },
  })
  const store = openStore({ file, clock: systemClock, vault })
  const token = await newToken(store)
  await store.close()
  const backup = fromSource('src/main.ts', 'backup', '--data', dir, '--json')
  return { command: serveCommand(dir), env: {}, appId, key, supply, token, backup, stop: async () => {} }
}

async function onPostgres(_: string, around: Around): Promise<Prepared> {
  const postgres = await Postgres.start({ isDurable: true, on: tmpdir(), settings: SETTINGS })
  const url = postgres.url()
  const store = await openShared({ url, size: 4, clock: systemClock, vault })
  const { appId, key } = await furnishApp(store, { ...around, carrier: { reports: true } })
  const token = await newToken(store)
  await store.close()
  const supply = await fillActive(url, appId, issuesFor(10))
  const command = fromSource('src/main.ts', 'serve', '--port', '0')
  const env = { WATCHWORD_DATABASE_URL: url }
  return { command, env, appId, key, supply, token, backup: undefined, stop: () => postgres.stop() }
}

async function newToken(store: Parameters<typeof setUpToken>[0]['store']): Promise<string> {
  const token = await setUpToken({ store, vault, clock: systemClock })
  if (token === undefined) throw new Error('The console has been set up already')
  return token
}

const ASKS_EVERY_MS = 1_000

/** Two people who look at the pages that cost most. */
async function atConsole(url: string, token: string, appId: string, isOver: () => boolean): Promise<void> {
  const app = {
    fetch: (request: Request) => {
      const headers = new Headers(request.headers)
      headers.set('origin', url)
      return fetch(new Request(url + new URL(request.url).pathname, { method: 'POST', headers, body: request.body }))
    },
  } as unknown as ConstructorParameters<typeof ConsoleClient>[0]['app']
  const client = new ConsoleClient({ app, run: (work) => work })
  await client.call('session/setUp', { token, name: 'Bench', email: 'b@example.com', password: 'a good long password' })
  const pages: Array<[string, object]> = [
    ['overview/show', { mode: 'live' }],
    ['issues/list', { appId, mode: 'live', status: 'expired' }],
    ['wallet/ledger', { appId }],
    ['notices/open', {}],
  ]
  for (let turn = 0; !isOver(); turn++) {
    await Promise.all(
      [0, 1].map((person) => client.call(...(pages[(turn + person) % pages.length] as [string, object]))),
    )
    await Bun.sleep(ASKS_EVERY_MS)
  }
}

/** Seconds that the oldest due job has waited, whatever its kind. */
async function oldestJob(url: string): Promise<number> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  const values = [...(await answer.text()).matchAll(/^watchword_queue_oldest_seconds\{[^}]*\} (\S+)$/gm)]
  return Math.max(0, ...values.map(([, value]) => Number(value)))
}
