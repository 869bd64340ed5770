/** One round of codes: asked for as fast as they are answered, until the last of them is at the carrier and charged. */
import type { Books } from './books'
import type { Result } from './load/main'
import { phone, type Supply, type Target } from './load/workloads'
import { arrivalsAt, counted, listen } from './outside'
import { type Generator, residentBytes, type Service, startCounting } from './processes'
import { longestStall } from './stalls'
import { quantile } from './statistics'

/** Who is asked for codes. */
export interface Sender {
  target: Target
  supply: Supply
  first: Result['position']
  carrier: Service
  /** Of all its processes, those of its database included. */
  pids: readonly number[]
  /** Of who charges for codes; of others a code that is at the carrier has ended. */
  books?: Books | undefined
  /** Whether it answers `/healthz`. */
  tellsHealth?: boolean
}

export interface Round {
  issuesPerSecond: number
  p50Ms: number
  p99Ms: number
  /** At the carrier and charged, until the last of them is. */
  codesPerSecond: number
  /** Of the processor for each of them; the carrier's is not counted. */
  cpuMs: number
  /** Answered, and not at the carrier as the load ends. */
  backlog: number
  /** From there until nothing is left to be sent. */
  backlogMs: number
  /** From the request to the carrier's socket, middle; of one connection. */
  toCarrierMs: number | undefined
  /** The longest that another request waited meanwhile; of several connections. */
  stallMs: number | undefined
  /** What all its processes have in memory afterwards. */
  residentBytes: number
}

export const residentIn = ({ pids }: Pick<Sender, 'pids'>): number =>
  pids.reduce((sum, pid) => sum + residentBytes({ pid }), 0)

export async function codeRound(
  generator: Generator,
  sender: Sender,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Round> {
  const { target, supply, first, carrier, pids, books } = sender
  const isAlone = connections === 1
  const before = { sent: (await counted(carrier)).sent, entries: books?.entries ?? 0 }
  if (isAlone) await listen(carrier)
  const computedMs = startCounting(pids)
  const order = { target, supply, first, workload: 'issue', connections, seconds, notesTimes: isAlone } as const
  const load = generator.run(order)
  const stall = sender.tellsHealth && !isAlone ? longestStall(target.url, load) : undefined
  const result = await load
  const endedAt = performance.now()
  sender.first = result.position
  // Too busy is an answer; it only does not count.
  if (result.refusal && !result.refusal.startsWith('503')) throw new Error(`${target.wire}: ${result.refusal}`)
  const issues = result.statuses[200] ?? 0
  const missing = async () => issues - ((await counted(carrier)).sent - before.sent)
  const backlog = await missing()
  await ended(target, async () => books?.unsent ?? (await missing()))
  const backlogMs = performance.now() - endedAt
  const codes = books ? books.entries - before.entries : issues
  return {
    issuesPerSecond: result.perSecond,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    codesPerSecond: codes / (result.seconds + backlogMs / 1_000),
    cpuMs: computedMs() / codes,
    backlog,
    backlogMs,
    toCarrierMs: isAlone ? await timeToCarrier(carrier, result, first.request) : undefined,
    stallMs: await stall,
    residentBytes: residentIn(sender),
  }
}

async function timeToCarrier(carrier: Service, { sentAt }: Result, first: number): Promise<number> {
  const arrivals = await arrivalsAt(carrier)
  const took = sentAt.map((sent, n) => (arrivals[phone(first + n)]?.at ?? Number.POSITIVE_INFINITY) - sent)
  return quantile(
    took.sort((a, b) => a - b),
    0.5,
  )
}

const LOOK_MS = 2
/** More than a carrier rests that is taken for dead. */
const PATIENCE_MS = 30_000

/** Waits as long as any of what is left goes. */
async function ended({ wire }: Target, left: () => Promise<number>): Promise<void> {
  let last = Number.POSITIVE_INFINITY
  let since = performance.now()
  for (let now = await left(); now > 0; await Bun.sleep(LOOK_MS), now = await left()) {
    if (now < last) since = performance.now()
    else if (performance.now() - since > PATIENCE_MS) throw new Error(`${wire}: ${now} codes do not get away`)
    last = now
  }
}
