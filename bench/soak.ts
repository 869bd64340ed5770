/** Memory under mixed load for an hour: issues, verifies, messages and webhooks, at a rate that never changes. */
import { furnish } from './furnish'
import { fromSource, type Generator, residentBytes, type Service, serveCommand, startService } from './processes'
import type { Part } from './report'
import { SECRET } from './secret'
import { count, fixed } from './statistics'

const ARRIVALS = 60
const MINUTE_MS = 60_000
const MB = 1e6

export async function soak(dir: string, generator: Generator, { minutes }: { minutes: number }): Promise<Part> {
  const services: Service[] = []
  const start = async (command: string[]) => {
    const service = await startService(command, {
      WATCHWORD_SECRET: SECRET,
      WATCHWORD_WEBHOOK_ALLOW_HTTP: 'true',
      WATCHWORD_WEBHOOK_ALLOW_CIDR: '127.0.0.0/8',
    })
    services.push(service)
    return service
  }
  const memory: number[] = []
  try {
    const carrier = await start(fromSource('bench/carrier.ts', '--delay-ms=20'))
    const carrierUrl = `${carrier.url}/send`
    // Three of ten requests verify one.
    const issues = Math.ceil(minutes * 60 * ARRIVALS * 0.3) + 1_000
    const { key, supply } = await furnish(dir, { issues, carrierUrl, webhookUrl: `${carrier.url}/hook` })
    const server = await start(serveCommand(dir))
    const look = setInterval(() => memory.push(residentBytes(server) / MB), MINUTE_MS)
    const result = await generator.run({
      target: { url: server.url, wire: 'rest', key },
      supply,
      first: { request: 1, verified: 0 },
      workload: 'mix',
      connections: 16,
      seconds: minutes * 60,
      arrivals: ARRIVALS,
    })
    clearInterval(look)
    if (result.refusal) throw new Error(`soak: ${result.refusal}`)
    const every = Math.max(1, Math.floor(minutes / 12))
    return {
      title: `${count(result.requests)} requests of a mix in ${minutes} minutes, each message and webhook delivered`,
      columns: ['after minutes', 'memory, MB'],
      rows: memory.flatMap((mb, index) => ((index + 1) % every === 0 ? [[String(index + 1), fixed(mb, 0)]] : [])),
      goals: [],
      data: { memory, result },
    }
  } finally {
    await Promise.all(services.map((service) => service.stop()))
  }
}
