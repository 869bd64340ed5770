/**
 * The outside, a process of its own: a carrier that takes every message after `--delay-ms`, or never answers (`--hang`),
 * and a receiver of webhooks. Tells its parent how many came, and when, on request.
 */
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { 'delay-ms': { type: 'string', default: '0' }, hang: { type: 'boolean' } } })
const delayMs = Number(values['delay-ms'])

let sent = 0
let told = 0
/** When each message came, by number, Unix milliseconds with fractions; while somebody listens. */
let arrivals: Record<string, number> | undefined

const nowMs = () => performance.timeOrigin + performance.now()

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 120,
  routes: {
    '/send': {
      POST: async (request) => {
        const at = nowMs()
        const { to, messageId } = (await request.json()) as { to: string; messageId: string }
        sent++
        if (arrivals) arrivals[to] = at
        if (values.hang) return new Promise<Response>(() => {})
        if (delayMs > 0) await Bun.sleep(delayMs)
        return Response.json({ id: messageId })
      },
    },
    '/hook': {
      POST: async (request) => {
        await request.arrayBuffer()
        told++
        if (delayMs > 0) await Bun.sleep(delayMs)
        return new Response('ok')
      },
    },
    '/count': () => Response.json({ sent, told }),
    '/listen': () => {
      arrivals = {}
      return new Response('ok')
    },
    '/arrivals': () => Response.json(arrivals ?? {}),
  },
})
process.stdout.write(`${JSON.stringify({ event: 'listening', url: `http://127.0.0.1:${server.port}` })}\n`)
