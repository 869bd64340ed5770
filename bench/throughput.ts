/** Requests a second and their latency: ours against the floor, a transaction each, the leanest layout and a peer. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { furnish } from './furnish'
import type { Result } from './load/main'
import type { Supply, Target, Wire, Workload } from './load/workloads'
import { fromSource, type Generator, type Service, serveCommand, startService } from './processes'
import { atLeast, atMost, type Goal, type Part } from './report'
import { SECRET } from './secret'
import { count, fixed, ratiosOf, roundsOf } from './statistics'

export interface Effort {
  rounds: number
  seconds: number
  warmUpSeconds: number
  connections: number[]
}

const CONTENDERS = ['REST', 'RPC', 'REST + delivery', 'floor', 'lean floor', 'one each', 'better-auth'] as const
type Name = (typeof CONTENDERS)[number]

interface Contender {
  target: Target
  supply: Supply
  first: Result['position']
}

/**
 * Who is asked for what. Better-auth has no more than sending and verifying, the lean floor is for issuing. What leaves work
 * behind, for contenders that deliver and let codes expire, comes last.
 */
const PLAN: Record<Exclude<Workload, 'deep-list' | 'old-status'>, Name[]> = {
  status: ['REST', 'RPC', 'floor'],
  list: ['REST', 'RPC', 'floor'],
  replay: ['REST', 'RPC', 'floor', 'one each'],
  'late-replay': ['REST', 'RPC', 'floor', 'one each'],
  verify: ['REST', 'RPC', 'floor', 'one each', 'better-auth'],
  'verify-wrong': ['REST', 'RPC', 'floor', 'one each'],
  replace: ['REST', 'RPC', 'floor', 'one each'],
  issue: [...CONTENDERS],
  mix: ['REST', 'RPC', 'REST + delivery', 'floor', 'one each'],
}
const WORKLOADS = Object.keys(PLAN) as Array<keyof typeof PLAN>

const WORDS: Record<keyof typeof PLAN, string> = {
  issue: 'issue, distinct phones',
  replace: 'issue, replacing one',
  replay: 'idempotent replay',
  'late-replay': 'replay after a restart',
  verify: 'verify, right code',
  'verify-wrong': 'verify, wrong code',
  status: 'status',
  list: 'list, 50 a page',
  mix: 'mix',
}

type Cells = Map<string, Result[]>
const cell = (workload: string, connections: number, name: string) => `${workload}/${connections}/${name}`

export async function throughput(dir: string, generator: Generator, effort: Effort): Promise<Part> {
  const services: Service[] = []
  try {
    const contenders = await startAll(dir, services, generator, effort)
    const cells: Cells = new Map()
    const load = async (name: Name, workload: Workload, connections: number, seconds: number): Promise<Result> => {
      const contender = contenders[name]
      const { target, supply, first } = contender
      const codes =
        name === 'better-auth' && workload === 'verify' ? await sendCodes(generator, contender, seconds) : []
      const result = await generator.run({ target, supply, first, workload, connections, seconds, codes })
      contender.first = result.position
      // Too busy is an answer; it only does not count.
      if (result.refusal && !result.refusal.startsWith('503'))
        throw new Error(`${name}, ${workload}: ${result.refusal}`)
      return result
    }
    for (const workload of WORKLOADS) {
      for (const name of PLAN[workload]) await load(name, workload, 64, effort.warmUpSeconds)
      for (let round = 0; round < effort.rounds; round++)
        for (const connections of effort.connections)
          for (const name of PLAN[workload]) {
            const key = cell(workload, connections, name)
            const result = await load(name, workload, connections, effort.seconds)
            cells.set(key, [...(cells.get(key) ?? []), result])
          }
    }
    return partOf(cells, effort)
  } finally {
    await Promise.all(services.map((service) => service.stop()))
  }
}

async function startAll(
  dir: string,
  services: Service[],
  generator: Generator,
  effort: Effort,
): Promise<Record<Name, Contender>> {
  const start = async (command: string[], env: Record<string, string> = {}) => {
    const service = await startService(command, env)
    services.push(service)
    return service.url
  }
  // The fastest verifies some 20,000 a second, and one database serves two wires.
  const verifiesFor = effort.rounds * effort.connections.length * effort.seconds + effort.warmUpSeconds
  const issues = Math.round(20_000 * 2 * Math.max(1, verifiesFor))
  const hanging = await start(fromSource('bench/carrier.ts', '--hang'))
  const answering = await start(fromSource('bench/carrier.ts', '--delay-ms=20'))
  const contender = async (
    name: string,
    command: (dir: string, appId: string) => string[],
    {
      carrierUrl = `${hanging}/send`,
      carrier = { concurrency: 1, timeoutMs: 20_000 } as object,
      filled = issues,
      restarts = true,
    } = {},
  ) => {
    const own = join(dir, name)
    const { appId, key, supply } = await furnish(own, { issues: filled, carrierUrl, carrier })
    const first = { request: 1, verified: 0 }
    const begin = () => start(command(own, appId), { WATCHWORD_SECRET: SECRET })
    if (restarts) {
      // Who repeats these later finds a server that has not issued them itself.
      const target = { url: await begin(), wire: 'rest' as const, key }
      await generator.run({ target, supply, first, workload: 'late-replay', connections: 64, seconds: 1 })
      await services.pop()?.stop()
    }
    const url = await begin()
    return (wire: Wire): Contender => ({ target: { url, wire, key }, supply, first })
  }
  const floor =
    (...args: string[]) =>
    (own: string, appId: string) =>
      fromSource('bench/contenders/floor.ts', '--data', own, '--app', appId, ...args)

  // Where nothing is delivered the carrier has room for one message, and never answers it.
  const ours = await contender('ours', serveCommand)
  const delivering = await contender('delivering', serveCommand, {
    carrierUrl: `${answering}/send`,
    carrier: {},
    restarts: false,
  })
  const rest = ours('rest')
  // One database, two wires: the numbers of the second begin where the first never comes.
  const rpc = { ...ours('rpc'), first: { request: 40_000_000, verified: Math.floor(issues / 2) } }
  const peer = join(dir, 'better-auth')
  mkdirSync(peer)
  const betterAuth = await start(fromSource('bench/contenders/better-auth.ts', '--data', peer))
  return {
    REST: { ...rest, supply: { ...rest.supply, last: Math.floor(issues / 2) } },
    RPC: rpc,
    'REST + delivery': delivering('rest'),
    floor: (await contender('floor', floor()))('rest'),
    'lean floor': (await contender('lean', floor('--layout=lean'), { filled: 1, restarts: false }))('rest'),
    'one each': (await contender('single', floor('--commit=single')))('rest'),
    'better-auth': {
      target: { url: betterAuth, wire: 'better-auth', key: '' },
      supply: { base: 0, count: 0 },
      first: { request: 1, verified: 0 },
    },
  }
}

/** Better-auth's codes are in its sender's hands only. */
async function sendCodes(
  generator: Generator,
  { target, supply, first }: Contender,
  seconds: number,
): Promise<Array<[string, string]>> {
  await fetch(`${target.url}/codes`)
  await generator.run({
    target,
    supply,
    first: { ...first, request: first.request + 10_000_000 },
    workload: 'issue',
    connections: 64,
    seconds: Math.max(1, seconds),
  })
  return Object.entries((await (await fetch(`${target.url}/codes`)).json()) as Record<string, string>)
}

function partOf(cells: Cells, { connections }: Effort): Part {
  const rates = (workload: Workload, at: number, name: Name) =>
    (cells.get(cell(workload, at, name)) ?? []).map(({ perSecond }) => perSecond)
  const rows = WORKLOADS.flatMap((workload) =>
    connections.flatMap((at) =>
      PLAN[workload].map((name) => {
        const results = cells.get(cell(workload, at, name)) ?? []
        const { median, min, max } = roundsOf(results.map(({ perSecond }) => perSecond))
        const p50 = roundsOf(results.map(({ p50Ms }) => p50Ms)).median
        const p99 = roundsOf(results.map(({ p99Ms }) => p99Ms)).median
        const ratio = PLAN[workload].includes('floor')
          ? ratiosOf(rates(workload, at, name), rates(workload, at, 'floor'))
          : undefined
        return [
          WORDS[workload],
          String(at),
          name,
          count(median),
          `${count(min)}–${count(max)}`,
          fixed(p50),
          fixed(p99),
          ratio ? `${fixed(ratio.median)} (${fixed(ratio.min)}–${fixed(ratio.max)})` : '',
        ]
      }),
    ),
  )
  return {
    title: 'Requests',
    columns: ['workload', 'connections', 'who', 'a second', 'spread', 'p50 ms', 'p99 ms', 'of the floor'],
    rows,
    goals: goalsOf(cells, connections),
    data: Object.fromEntries(cells),
  }
}

function goalsOf(cells: Cells, connections: number[]): Goal[] {
  const at = connections.includes(64) ? 64 : (connections.at(-1) ?? 1)
  const of = (workload: Workload, name: Name, value: (result: Result) => number) =>
    (cells.get(cell(workload, at, name)) ?? []).map(value)
  const rate = ({ perSecond }: Result) => perSecond
  const ratio = (workload: Workload, against: Name) =>
    ratiosOf(of(workload, 'REST', rate), of(workload, against, rate)).median
  const tail = ratiosOf(
    of('issue', 'REST', ({ p99Ms }) => p99Ms),
    of('issue', 'REST', ({ p50Ms }) => p50Ms),
  ).median
  return [
    atLeast('verify, of the floor', ratio('verify', 'floor'), 0.7),
    atLeast('replay, of the floor', ratio('replay', 'floor'), 0.5),
    atLeast('status, of a bare route with one SELECT', ratio('status', 'floor'), 0.5),
    atLeast('RPC, of REST (issue)', 1 / ratio('issue', 'RPC'), 0.9),
    atMost('RPC, of REST (issue)', 1 / ratio('issue', 'RPC'), 1.1),
    atLeast('verify, times better-auth’s', ratio('verify', 'better-auth'), 20),
    atMost(`issue, p99 at ${at} connections in p50s`, tail, 6),
  ]
}
