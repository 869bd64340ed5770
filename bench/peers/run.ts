/**
 * `bun bench/peers/run.ts`: ours beside others that send codes and verify them, each delivering to the same carrier, which
 * answers at once. They alternate round by round in one run. Starts what the machine has: see docs/performance.md.
 *
 *   --quick        a look, under a minute
 *   --json FILE    where everything that was measured goes (default: dist/peers.json)
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { codeRound, type Round, type Sender } from '../code-round'
import type { Result } from '../load/main'
import { arrivalsAt, listen } from '../outside'
import { fromSource, Generator, type Service, startService } from '../processes'
import { atLeast, goalTable, machine, type Part, table } from '../report'
import { SECRET } from '../secret'
import { betterAuth, pipelineFloor, watchword } from '../senders'
import { count, fixed, ratiosOf, roundsOf } from '../statistics'
import { otpgateway } from './otpgateway'
import { supabase } from './supabase'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string', default: join(import.meta.dir, '../../dist/peers.json') },
  },
})
const { rounds, seconds, warmUpSeconds } = values.quick
  ? { rounds: 2, seconds: 0.5, warmUpSeconds: 0.5 }
  : { rounds: 5, seconds: 3, warmUpSeconds: 10 }

const MANY = 64
/** More than anybody verifies in a second. */
const VERIFIES_A_SECOND = 15_000

const OURS = 'Watchword'
const FLOOR = 'what this runtime can do'
const ALWAYS = 'otpgateway, Redis with fsync always'
const BETTER_AUTH = 'better-auth phone plugin, SQLite FULL'
const started: Service[] = []
const dir = mkdtempSync(join(tmpdir(), 'watchword-peers-'))

async function start(command: string[]): Promise<Service> {
  const service = await startService(command, { WATCHWORD_SECRET: SECRET })
  started.push(service)
  return service
}

interface Contender {
  /** Undefined where the machine has not got it. */
  sender: Sender | undefined
  /** Who verifies: whoever has sent the codes, or one that was filled with codes. */
  verifier?: Sender | undefined
}

async function startAll(carrier: Service): Promise<Map<string, Contender>> {
  const site = (name: string) => ({ dir: join(dir, name), carrier })
  const issues = VERIFIES_A_SECOND * (rounds * seconds + warmUpSeconds)
  const peer = (sender: Sender | undefined): Contender => ({ sender, verifier: sender })
  return new Map([
    [
      OURS,
      {
        sender: await watchword(start, site('watchword')),
        verifier: await watchword(start, { ...site('filled'), issues }),
      },
    ],
    [ALWAYS, peer(await otpgateway(started, site('redis-always'), 'always'))],
    ['otpgateway, Redis with fsync every second', peer(await otpgateway(started, site('redis-everysec'), 'everysec'))],
    [BETTER_AUTH, peer(await betterAuth(start, site('better-auth')))],
    ['supabase/auth, PostgreSQL', peer(await supabase(started, { carrier }))],
    [FLOOR, { sender: await pipelineFloor(start, site('floor')) }],
  ])
}

interface Measured {
  many: Round
  alone: Round
  /** Of the right code; the floor has none. */
  verify: Result | undefined
}

async function measure(
  generator: Generator,
  { sender, verifier }: Contender,
  forSeconds: number,
): Promise<Measured | undefined> {
  if (!sender) return undefined
  await listen(sender.carrier)
  const many = await codeRound(generator, sender, { connections: MANY, seconds: forSeconds })
  const arrivals = Object.entries(await arrivalsAt(sender.carrier))
  const codes = arrivals.flatMap(([to, { code }]): Array<[string, string]> => (code === undefined ? [] : [[to, code]]))
  const verify = verifier && (await verifyRound(generator, verifier, codes, forSeconds))
  const alone = await codeRound(generator, sender, { connections: 1, seconds: forSeconds })
  return { many, alone, verify }
}

async function verifyRound(
  generator: Generator,
  sender: Sender,
  codes: Array<[string, string]>,
  forSeconds: number,
): Promise<Result> {
  const { target, supply, first } = sender
  const order = { target, supply, first, workload: 'verify', connections: MANY, seconds: forSeconds, codes } as const
  const result = await generator.run(order)
  sender.first = result.position
  if (result.refusal && !result.refusal.startsWith('503')) throw new Error(`${target.wire}: ${result.refusal}`)
  return result
}

function partOf(cells: ReadonlyMap<string, Measured[]>): Part {
  const rows = [...cells].map(([name, measured]) => {
    if (measured.length === 0) return [name, ...Array(6).fill('not installed')]
    const middle = (value: (each: Measured) => number) => roundsOf(measured.map(value)).median
    return [
      name,
      count(middle(({ many }) => many.codesPerSecond)),
      fixed(middle(({ many }) => many.cpuMs)),
      count(middle(({ alone }) => alone.issuesPerSecond)),
      fixed(middle(({ alone }) => alone.p50Ms)),
      fixed(middle(({ alone }) => alone.cpuMs)),
      name === FLOOR ? '' : count(middle(({ verify }) => verify?.perSecond ?? Number.NaN)),
    ]
  })
  const rates = (name: string) => (cells.get(name) ?? []).map(({ many }) => many.codesPerSecond)
  const goal = (words: string, peer: string, target: number) => {
    const theirs = rates(peer)
    return theirs.length > 0 ? [atLeast(words, ratiosOf(rates(OURS), theirs).median, target)] : []
  }
  return {
    title: 'Codes, beside others',
    columns: [
      ...['who', 'codes delivered/s @64', 'CPU ms each'],
      ...['issue/s @1', 'p50 ms @1', 'CPU ms each @1', 'verify/s @64'],
    ],
    rows,
    goals: [
      ...goal('codes, times otpgateway’s with fsync always', ALWAYS, 1),
      ...goal('codes, times better-auth’s', BETTER_AUTH, 2.5),
    ],
    data: Object.fromEntries(cells),
  }
}

process.stdout.write(`${machine}\n`)
const generator = new Generator()
try {
  const contenders = await startAll(await start(fromSource('bench/carrier.ts')))
  const cells = new Map<string, Measured[]>()
  for (const contender of contenders.values()) await measure(generator, contender, warmUpSeconds)
  for (let round = 0; round < rounds; round++)
    for (const [name, contender] of contenders) {
      const measured = await measure(generator, contender, seconds)
      cells.set(name, [...(cells.get(name) ?? []), ...(measured ? [measured] : [])])
    }
  const part = partOf(cells)
  process.stdout.write(`${table(part)}\n${goalTable([part])}\n`)
  mkdirSync(dirname(values.json), { recursive: true })
  await Bun.write(values.json, JSON.stringify({ machine, at: new Date().toISOString(), part }, null, 2))
} finally {
  generator.stop()
  await Promise.all(started.reverse().map((service) => service.stop()))
  rmSync(dir, { recursive: true, force: true })
}
process.exit(0)
