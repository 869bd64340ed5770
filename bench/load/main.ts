/** The load generator, a process of its own: takes one order at a time from its parent and answers what came of it. */
import { Connection } from './connection'
import { Latencies, type Summary } from './latencies'
import { Requests, type Supply, type Target, type Workload } from './workloads'

export interface Order {
  target: Target
  workload: Workload
  connections: number
  seconds: number
  supply: Supply
  first: { request: number; verified: number }
  /** Of who keeps them: phones and their codes, to be used up. */
  codes?: Array<[string, string]>
  /** Whether it is wanted when each request was sent. */
  notesTimes?: boolean
  /**
   * Requests a second that arrive whether or not those before are answered (open loop): what finds no free connection
   * waits, and its wait counts. Undefined: each connection sends its next as soon as it is answered (closed loop).
   */
  arrivals?: number
}

export interface Result extends Summary {
  position: { request: number; verified: number }
  /** One answer that was not 2xx. */
  refusal: string | undefined
  /** Of answers that were not 2xx. */
  refusedP99Ms: number
  /** When each request was sent, by its number from the first, Unix milliseconds with fractions. */
  sentAt: number[]
}

async function carryOut({
  target,
  workload,
  connections,
  seconds,
  supply,
  first,
  codes = [],
  arrivals,
  notesTimes = false,
}: Order): Promise<Result> {
  const requests = new Requests(target, supply, first, codes)
  const url = new URL(target.url)
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(url)))
  const before = requests.before(workload)
  await Promise.all(
    open.map(async (connection) => {
      for (let request = before.pop(); request !== undefined; request = before.pop()) await connection.send(request)
    }),
  )
  const latencies = new Latencies()
  const refusals = new Latencies()
  let refusal: string | undefined
  const sentAt: number[] = []
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1_000

  async function send(connection: Connection, request: string, since: number): Promise<void> {
    const { status, body } = await connection.send(request)
    const ms = performance.now() - since
    latencies.add(status, ms)
    if (status >= 300) {
      refusals.add(200, ms)
      refusal ??= `${status} ${body.slice(0, 300)}`
    }
  }

  async function closedLoop(connection: Connection): Promise<void> {
    for (let now = performance.now(); now < endsAt; now = performance.now()) {
      const request = requests.next(workload)
      if (request === undefined) return
      if (notesTimes) sentAt.push(performance.timeOrigin + now)
      await send(connection, request, now)
    }
  }

  let arrived = 0
  async function openLoop(connection: Connection, perSecond: number): Promise<void> {
    for (;;) {
      const due = startedAt + (arrived++ / perSecond) * 1_000
      if (due >= endsAt) return
      const wait = due - performance.now()
      if (wait > 0) await Bun.sleep(wait)
      // Who is still waiting for a connection when the round ends has given up.
      if (performance.now() >= endsAt) return
      const request = requests.next(workload)
      if (request === undefined) return
      await send(connection, request, due)
    }
  }

  await Promise.all(
    open.map((connection) => (arrivals === undefined ? closedLoop(connection) : openLoop(connection, arrivals))),
  )
  const tookSeconds = (performance.now() - startedAt) / 1_000
  for (const connection of open) connection.close()
  return {
    ...latencies.summary(tookSeconds),
    position: requests.position,
    refusal,
    refusedP99Ms: refusals.summary(tookSeconds).p99Ms,
    sentAt,
  }
}

process.on('message', async (order: Order) => {
  try {
    process.send?.({ result: await carryOut(order) })
  } catch (error) {
    process.send?.({ failed: error instanceof Error ? error.message : String(error) })
  }
})
