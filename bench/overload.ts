/** Twice as much as can be done: what is let in must still be done, and soon; the rest must be refused, and at once. */
import { join } from 'node:path'
import { furnish } from './furnish'
import type { Order } from './load/main'
import { fromSource, type Generator, type Service, serveCommand, startService } from './processes'
import { atLeast, atMost, type Part } from './report'
import { SECRET } from './secret'
import { count, fixed, roundsOf } from './statistics'

const ROUNDS = 3
/** Enough that twice the capacity finds a connection. */
const CONNECTIONS = 4_096

export async function overload(dir: string, generator: Generator, { seconds }: { seconds: number }): Promise<Part> {
  const services: Service[] = []
  const start = async (command: string[]) => {
    const service = await startService(command, { WATCHWORD_SECRET: SECRET })
    services.push(service)
    return service.url
  }
  try {
    const carrierUrl = `${await start(fromSource('bench/carrier.ts', '--hang'))}/send`
    const own = join(dir, 'server')
    const { key, supply } = await furnish(own, {
      issues: 100,
      carrierUrl,
      carrier: { concurrency: 1, timeoutMs: 20_000 },
    })
    const url = await start(serveCommand(own))
    let first = { request: 1, verified: 0 }
    const offer = async (order: Pick<Order, 'connections' | 'seconds'> & { arrivals?: number }) => {
      const target = { url, wire: 'rest', key } as const
      const result = await generator.run({ target, supply, first, workload: 'issue', ...order })
      first = result.position
      return result
    }
    await offer({ connections: 64, seconds: 3 })
    const rounds: Array<{
      capacity: number
      goodput: number
      acceptedP99Ms: number
      refused: number
      refusedP99Ms: number
    }> = []
    for (let round = 0; round < ROUNDS; round++) {
      const { perSecond: capacity } = await offer({ connections: 256, seconds })
      const over = await offer({ connections: CONNECTIONS, seconds, arrivals: 2 * capacity })
      const { 200: accepted = 0, 503: refused = 0, ...other } = over.statuses
      if (Object.keys(other).length > 0) throw new Error(`overload: ${over.refusal}`)
      rounds.push({
        capacity,
        goodput: over.perSecond,
        acceptedP99Ms: over.p99Ms,
        refused: refused / (accepted + refused),
        refusedP99Ms: over.refusedP99Ms,
      })
    }
    const median = (value: (round: (typeof rounds)[number]) => number) => roundsOf(rounds.map(value)).median
    const goodput = median((round) => round.goodput / round.capacity)
    const acceptedP99Ms = median((round) => round.acceptedP99Ms)
    return {
      title: 'Overload: issues at twice the capacity',
      columns: ['what', 'measured'],
      rows: [
        ['capacity, issues a second', count(median(({ capacity }) => capacity))],
        ['goodput, of capacity', fixed(goodput)],
        ['accepted, p99 ms, waiting for a connection included', count(acceptedP99Ms)],
        ['refused with 503, of what was answered', fixed(median(({ refused }) => refused))],
        ['refused, p99 ms', count(median(({ refusedP99Ms }) => refusedP99Ms))],
      ],
      goals: [
        atLeast('goodput at twice the capacity', goodput, 0.9),
        atMost('accepted at twice the capacity, p99 ms', acceptedP99Ms, 1_000),
      ],
      data: rounds,
    }
  } finally {
    await Promise.all(services.map((service) => service.stop()))
  }
}
