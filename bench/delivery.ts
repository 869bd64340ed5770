/** From the commit of an issue to the carrier's socket, and how many messages and webhooks a second get there. */
import { join } from 'node:path'
import type { Counted } from './carrier'
import { type Furniture, furnish } from './furnish'
import { Connection, httpRequest } from './load/connection'
import type { Supply, Target } from './load/workloads'
import { arrivalsAt, counted, listen } from './outside'
import { fromSource, type Generator, type Service, serveCommand, startService } from './processes'
import { atLeast, atMost, type Part } from './report'
import { SECRET } from './secret'
import { count, fixed, quantile, roundsOf } from './statistics'

const LOCAL_HOOKS = { WATCHWORD_WEBHOOK_ALLOW_HTTP: 'true', WATCHWORD_WEBHOOK_ALLOW_CIDR: '127.0.0.0/8' }
const WAITING = 100_000

export async function delivery(dir: string, generator: Generator, { messages }: { messages: number }): Promise<Part> {
  const idle = await idleLatency(join(dir, 'idle'))
  const messagesASecond = await drain(join(dir, 'messages'), { queued: messages, webhooks: false, delayMs: 20 })
  const webhooksASecond = await drain(join(dir, 'webhooks'), { queued: messages, webhooks: true, delayMs: 20 })
  const quickWebhooks = await drain(join(dir, 'quick-webhooks'), { queued: messages, webhooks: true, delayMs: 0 })
  const api = await besideAQueue(dir, generator)
  return {
    title: 'Delivery',
    columns: ['what', 'measured'],
    rows: [
      ['answered issue → carrier’s socket, idle, p50 ms', fixed(idle.p50)],
      ['the same, p99 ms', fixed(idle.p99)],
      ['messages a second, carrier answers after 20 ms', count(messagesASecond)],
      ['webhooks a second, receiver answers after 20 ms', count(webhooksASecond)],
      ['webhooks a second, receiver answers at once', count(quickWebhooks)],
      [`issues a second with ${count(WAITING)} messages queued, of without`, fixed(api.ratio)],
    ],
    goals: [
      atMost('commit to carrier’s socket, idle, p50 ms', idle.p50, 5),
      atLeast('webhooks a second, to a quick receiver', quickWebhooks, 3_000),
      atLeast(`issues with ${count(WAITING)} queued, of without`, api.ratio, 0.8),
    ],
    data: { idle, messagesASecond, webhooksASecond, quickWebhooks, api },
  }
}

async function withServices<T>(run: (start: (command: string[]) => Promise<Service>) => Promise<T>): Promise<T> {
  const services: Service[] = []
  try {
    return await run(async (command) => {
      const service = await startService(command, { WATCHWORD_SECRET: SECRET, ...LOCAL_HOOKS })
      services.push(service)
      return service
    })
  } finally {
    await Promise.all(services.map((service) => service.stop()))
  }
}

const nowMs = () => performance.timeOrigin + performance.now()

/** One issue at a time, with pauses: from its answer, which follows the commit, to the carrier. */
const idleLatency = (dir: string) =>
  withServices(async (start) => {
    const carrier = await start(fromSource('bench/carrier.ts'))
    const { key } = await furnish(dir, { issues: 100, carrierUrl: `${carrier.url}/send` })
    const server = await start(serveCommand(dir))
    await listen(carrier)
    const connection = await Connection.open(new URL(server.url))
    const answered = new Map<string, number>()
    const WARM_UP = 100
    for (let n = 0; n < WARM_UP + 200; n++) {
      const phoneNumber = `+8210${20_000_000 + n}`
      const body = JSON.stringify({ phoneNumber, purpose: 'idle', idempotencyKey: `idle-${n}` })
      await connection.send(httpRequest('POST', '/v1/issue', { Authorization: `Bearer ${key}` }, body))
      if (n >= WARM_UP) answered.set(phoneNumber, nowMs())
      await Bun.sleep(10)
    }
    await Bun.sleep(100)
    connection.close()
    const arrivals = await arrivalsAt(carrier)
    const took = [...answered].map(([to, at]) => (arrivals[to]?.at ?? Number.POSITIVE_INFINITY) - at)
    took.sort((a, b) => a - b)
    return { p50: quantile(took, 0.5), p99: quantile(took, 0.99) }
  })

/** How fast a queue empties; with `webhooks`, how fast the events of the same messages are told after it has. */
const drain = (dir: string, { queued, webhooks, delayMs }: { queued: number; webhooks: boolean; delayMs: number }) =>
  withServices(async (start) => {
    const carrier = await start(fromSource('bench/carrier.ts', `--delay-ms=${delayMs}`))
    const furniture: Furniture = {
      issues: 100,
      queued,
      carrierUrl: `${carrier.url}/send`,
      carrier: { concurrency: 256 },
    }
    await furnish(dir, webhooks ? { ...furniture, webhookUrl: `${carrier.url}/hook` } : furniture)
    await start(serveCommand(dir))
    const reached = async (name: keyof Counted, target: number) => {
      while ((await counted(carrier))[name] < target) await Bun.sleep(20)
      return { at: performance.now(), count: (await counted(carrier))[name] }
    }
    if (webhooks) await reached('sent', queued)
    // The first tenth warms up, the last ones trickle.
    const name = webhooks ? 'told' : 'sent'
    const already = (await counted(carrier))[name]
    const from = await reached(name, already + (queued - already) * 0.2)
    const to = await reached(name, already + (queued - already) * 0.95)
    return ((to.count - from.count) / (to.at - from.at)) * 1_000
  })

/** Two servers whose carrier never answers, one with a long queue; asked in turns. */
const besideAQueue = (dir: string, generator: Generator) =>
  withServices(async (start) => {
    const carrier = await start(fromSource('bench/carrier.ts', '--hang'))
    const open = async (name: string, queued: number) => {
      const own = join(dir, name)
      const stuck = { concurrency: 1, timeoutMs: 20_000 }
      const { key, supply } = await furnish(own, {
        issues: 100,
        queued,
        carrierUrl: `${carrier.url}/send`,
        carrier: stuck,
      })
      const { url } = await start(serveCommand(own))
      const target: Target = { url, wire: 'rest', key }
      return { target, supply, first: { request: 1, verified: 0 } }
    }
    const load = async (
      side: { target: Target; supply: Supply; first: { request: number; verified: number } },
      seconds = 0.7,
    ) => {
      const result = await generator.run({ ...side, workload: 'issue', connections: 64, seconds })
      side.first = result.position
      return result.perSecond
    }
    const empty = await open('without', 0)
    const full = await open('with', WAITING)
    await load(empty, 2)
    await load(full, 2)
    const ratios: number[] = []
    for (let round = 0; round < 5; round++) {
      const without = await load(empty)
      ratios.push((await load(full)) / without)
    }
    const { median, ...spread } = roundsOf(ratios)
    return { ratio: median, ...spread }
  })
