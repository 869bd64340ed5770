/**
 * What a change costs: codes of this tree beside those of other clones, which `--beside DIR` names, and beside this tree
 * with other settings. Each is furnished by its own command line, since a database belongs to its version.
 */
import { basename, join } from 'node:path'
import { Books } from './books'
import { codeRound, type Round, residentIn, type Sender } from './code-round'
import { type Generator, type Service, startService, UNLIMITED } from './processes'
import { atMost, type Goal, type Part } from './report'
import { SECRET } from './secret'
import { AT_FIRST } from './senders'
import { count, fixed, ratiosOf, roundsOf } from './statistics'

/** A tree with its dependencies installed, and how it is set. */
export interface Candidate {
  name: string
  tree: string
  env?: Record<string, string>
  /** At most, of the processor for each code, in shares of the first candidate's. */
  goal?: number
}

interface Effort {
  rounds: number
  seconds: number
  warmUpSeconds: number
}

const CONNECTIONS = [64, 1] as const
/** After which a server that has just started has nothing left to do. */
const IDLE_MS = 5_000
const MB = 1e6
export const THIS_TREE = join(import.meta.dir, '..')

/** Clones are the former versions: this tree is measured against the first of them. */
export const clonesOf = (folders: readonly string[]): Candidate[] => [
  ...folders.map((tree) => ({ name: basename(tree), tree })),
  { name: 'this tree', tree: THIS_TREE, goal: 1.05 },
]

/** What it costs to be watched. */
export const WATCHED: readonly Candidate[] = [
  { name: 'metrics off', tree: THIS_TREE },
  { name: 'metrics on', tree: THIS_TREE, env: { WATCHWORD_METRICS_LISTEN: '127.0.0.1:0' }, goal: 1.03 },
]

export async function beside(
  dir: string,
  generator: Generator,
  candidates: readonly Candidate[],
  effort: Effort,
): Promise<Part> {
  const services: Service[] = []
  try {
    const carrier = await startService([process.execPath, join(THIS_TREE, 'bench/carrier.ts')])
    services.push(carrier)
    const senders: Sender[] = []
    for (const [n, candidate] of candidates.entries())
      senders.push(await senderOf(candidate, join(dir, String(n)), carrier, services))
    await Bun.sleep(IDLE_MS)
    const idle = senders.map(residentIn)
    for (const sender of senders)
      await codeRound(generator, sender, { connections: CONNECTIONS[0], seconds: effort.warmUpSeconds })
    const rounds = new Map<string, Round[]>()
    for (let n = 0; n < effort.rounds; n++)
      for (const connections of CONNECTIONS)
        for (const [index, sender] of senders.entries()) {
          const key = `${connections}/${index}`
          const round = await codeRound(generator, sender, { connections, seconds: effort.seconds })
          rounds.set(key, [...(rounds.get(key) ?? []), round])
        }
    return partOf(candidates, rounds, idle)
  } finally {
    await Promise.all(services.map((service) => service.stop()))
  }
}

async function senderOf(
  { tree, env = {} }: Candidate,
  dir: string,
  carrier: Service,
  services: Service[],
): Promise<Sender> {
  const program = [process.execPath, join(tree, 'src/main.ts')]
  const own = { WATCHWORD_SECRET: SECRET, ...env }
  const said = (...words: string[]): Record<string, string> => {
    const { stdout, stderr, exitCode } = Bun.spawnSync([...program, ...words, '--data', dir, '--json'], {
      env: { PATH: process.env.PATH ?? '', ...UNLIMITED, ...own },
    })
    if (exitCode !== 0) throw new Error(`${words.join(' ')}: ${stderr}`)
    return JSON.parse(stdout.toString())
  }
  const { appId = '' } = said('app', 'create', 'bench')
  const { key = '' } = said('key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'live')
  said('credit', 'add', '--app', appId, '--amount', '1000000000')
  said('provider', 'set', 'main', '--type', 'http', '--channel', 'sms', '--url', `${carrier.url}/send`)
  const service = await startService([...program, 'serve', '--port', '0', '--data', dir], own)
  services.push(service)
  const target = { url: service.url, wire: 'rest', key } as const
  return { ...AT_FIRST, target, carrier, pids: [service.pid], books: new Books(dir), tellsHealth: true }
}

function partOf(candidates: readonly Candidate[], rounds: Map<string, Round[]>, idle: readonly number[]): Part {
  const of = (connections: number, index: number, value: (round: Round) => number) =>
    (rounds.get(`${connections}/${index}`) ?? []).map(value)
  const beside = (connections: number, index: number, value: (round: Round) => number) => {
    const { median, min, max } = ratiosOf(of(connections, index, value), of(connections, 0, value))
    return `${fixed(median, 3)} (${fixed(min)}–${fixed(max)})`
  }
  const rate = ({ codesPerSecond }: Round) => codesPerSecond
  const cpu = ({ cpuMs }: Round) => cpuMs
  const p50 = ({ p50Ms }: Round) => p50Ms
  const resident = ({ residentBytes }: Round) => residentBytes
  const rows = CONNECTIONS.flatMap((connections) =>
    candidates.map(({ name }, index) => [
      name,
      String(connections),
      count(roundsOf(of(connections, index, rate)).median),
      beside(connections, index, rate),
      fixed(roundsOf(of(connections, index, cpu)).median),
      beside(connections, index, cpu),
      fixed(roundsOf(of(connections, index, p50)).median),
      beside(connections, index, p50),
      fixed((idle[index] ?? Number.NaN) / MB, 0),
      fixed(Math.max(...of(connections, index, resident)) / MB, 0),
    ]),
  )
  const goals = candidates.flatMap(({ name, goal }, index): Goal[] => {
    if (goal === undefined) return []
    const many = ratiosOf(of(CONNECTIONS[0], index, cpu), of(CONNECTIONS[0], 0, cpu)).median
    return [atMost(`${name}: CPU of each code, of ${candidates[0]?.name}’s`, many, goal)]
  })
  const first = `of ${candidates[0]?.name}`
  return {
    title: `Codes, beside ${candidates[0]?.name}`,
    columns: [
      ...['who', 'connections', 'codes a second', first, 'CPU ms each', first, 'issue p50 ms', first],
      ...['MB idle', 'MB after a round, at most'],
    ],
    rows,
    goals,
    data: { ...Object.fromEntries(rounds), idle },
  }
}
