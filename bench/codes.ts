/**
 * What users feel: a code is asked for, arrives at the carrier, and is charged. Ours beside what this runtime can do at
 * best and beside a peer, each delivering to the same carrier, which answers at once: without TLS and with it.
 */
import { join } from 'node:path'
import { CA } from '../test/system/certificate'
import { codeRound, type Round, type Sender } from './code-round'
import { fromSource, type Generator, type Service, startService } from './processes'
import { atLeast, atMost, type Goal, type Part } from './report'
import { SECRET } from './secret'
import { betterAuth, pipelineFloor, watchword } from './senders'
import { count, fixed, ratiosOf, roundsOf } from './statistics'

interface Effort {
  rounds: number
  seconds: number
  warmUpSeconds: number
}

const NAMES = ['Watchword', 'floor', 'better-auth'] as const
type Name = (typeof NAMES)[number]

const CARRIERS = ['plain', 'TLS'] as const
type CarrierKind = (typeof CARRIERS)[number]

const MANY = 64
const CONNECTIONS = [MANY, 1] as const

type Cells = Map<string, Round[]>
const cell = (kind: CarrierKind, connections: number, name: Name) => `${kind}/${connections}/${name}`

export async function codes(dir: string, generator: Generator, effort: Effort): Promise<Part> {
  const services: Service[] = []
  try {
    const senders = await startAll(dir, services)
    const cells: Cells = new Map()
    const round = (kind: CarrierKind, name: Name, connections: number, seconds: number) =>
      codeRound(generator, senders[kind][name], { connections, seconds })
    for (const kind of CARRIERS) for (const name of NAMES) await round(kind, name, MANY, effort.warmUpSeconds)
    for (let n = 0; n < effort.rounds; n++)
      for (const kind of CARRIERS)
        for (const connections of CONNECTIONS)
          for (const name of NAMES) {
            const key = cell(kind, connections, name)
            cells.set(key, [...(cells.get(key) ?? []), await round(kind, name, connections, effort.seconds)])
          }
    return partOf(cells)
  } finally {
    await Promise.all(services.map((service) => service.stop()))
  }
}

type Senders = Record<CarrierKind, Record<Name, Sender>>

async function startAll(dir: string, services: Service[]): Promise<Senders> {
  const authority = join(dir, 'ca.pem')
  await Bun.write(authority, CA)
  const env = { WATCHWORD_SECRET: SECRET, NODE_EXTRA_CA_CERTS: authority }
  const start = async (command: string[]) => {
    const service = await startService(command, env)
    services.push(service)
    return service
  }
  const senders = async (kind: CarrierKind, carrier: Service): Promise<Record<Name, Sender>> => ({
    Watchword: await watchword(start, { dir: join(dir, kind, 'watchword'), carrier }),
    floor: await pipelineFloor(start, { dir: join(dir, kind, 'floor'), carrier }),
    'better-auth': await betterAuth(start, { dir: join(dir, kind, 'better-auth'), carrier }),
  })
  return {
    plain: await senders('plain', await start(fromSource('bench/carrier.ts'))),
    TLS: await senders('TLS', await start(fromSource('bench/carrier.ts', '--tls'))),
  }
}

/** Where it was measured. */
const numbers = (rounds: readonly Round[], value: (round: Round) => number | undefined): number[] =>
  rounds.map(value).filter((measured) => measured !== undefined)

function partOf(cells: Cells): Part {
  const rows = CARRIERS.flatMap((kind) =>
    CONNECTIONS.flatMap((connections) =>
      NAMES.map((name) => {
        const rounds = cells.get(cell(kind, connections, name)) ?? []
        const floor = cells.get(cell(kind, connections, 'floor')) ?? []
        const shown = (value: (round: Round) => number | undefined, text: (measured: number) => string) => {
          const measured = numbers(rounds, value)
          return measured.length > 0 ? text(roundsOf(measured).median) : ''
        }
        const ofFloor = (value: (round: Round) => number) => {
          const { median, min, max } = ratiosOf(rounds.map(value), floor.map(value))
          return `${fixed(median)} (${fixed(min)}–${fixed(max)})`
        }
        return [
          kind,
          String(connections),
          name,
          shown(({ codesPerSecond }) => codesPerSecond, count),
          ofFloor(({ codesPerSecond }) => codesPerSecond),
          shown(({ cpuMs }) => cpuMs, fixed),
          ofFloor(({ cpuMs }) => cpuMs),
          shown(({ p50Ms }) => p50Ms, fixed),
          shown(({ p99Ms }) => p99Ms, fixed),
          shown(({ toCarrierMs }) => toCarrierMs, fixed),
          shown(({ backlog }) => backlog, count),
          shown(({ backlogMs }) => backlogMs, count),
          shown(({ stallMs }) => stallMs, fixed),
        ]
      }),
    ),
  )
  return {
    title: 'Codes: asked for, at the carrier, charged',
    columns: [
      ...['carrier', 'connections', 'who', 'codes a second', 'of the floor', 'CPU ms each', 'of the floor'],
      ...['issue p50 ms', 'p99 ms', 'to the carrier, ms', 'backlog', 'gone after ms', 'longest stall, ms'],
    ],
    rows,
    goals: goalsOf(cells),
    data: Object.fromEntries(cells),
  }
}

/** Where the carrier is not the work: without TLS. */
function goalsOf(cells: Cells): Goal[] {
  const of = (connections: number, name: Name, value: (round: Round) => number | undefined) =>
    numbers(cells.get(cell('plain', connections, name)) ?? [], value)
  const times = (connections: number, name: Name, value: (round: Round) => number | undefined) =>
    ratiosOf(of(connections, 'Watchword', value), of(connections, name, value)).median
  const rate = ({ codesPerSecond }: Round) => codesPerSecond
  const cpu = ({ cpuMs }: Round) => cpuMs
  const tail = roundsOf(of(MANY, 'Watchword', ({ p50Ms, p99Ms }) => p99Ms / p50Ms)).median
  const stalls = (name: Name) => roundsOf(of(MANY, name, ({ stallMs }) => stallMs)).median
  const backlog = roundsOf(of(MANY, 'Watchword', ({ backlog }) => backlog)).median
  return [
    atLeast('codes, times better-auth’s', times(MANY, 'better-auth', rate), 2.5),
    atLeast('codes, of the pipeline floor', times(MANY, 'floor', rate), 0.55),
    atMost('codes, CPU of each, of the floor’s', times(MANY, 'floor', cpu), 1.8),
    // As many as are on their way in any case.
    atMost('codes, not at the carrier as the load ends', backlog, MANY),
    atMost('codes, issue p99 in p50s', tail, 3),
    atMost('codes, longest stall, of the floor’s', stalls('Watchword') / stalls('floor'), 2),
    atMost(
      'codes at one connection, issue p50, of the floor’s',
      times(1, 'floor', ({ p50Ms }) => p50Ms),
      1.9,
    ),
    atMost('codes at one connection, CPU of each, of the floor’s', times(1, 'floor', cpu), 1.9),
    atMost(
      'codes at one connection, request to the carrier, of the floor’s',
      times(1, 'floor', ({ toCarrierMs }) => toCarrierMs),
      2.5,
    ),
  ]
}
