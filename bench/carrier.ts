/**
 * The outside, a process of its own: a carrier that takes every message after `--delay-ms`, or never answers (`--hang`),
 * and a receiver of webhooks; over TLS with `--tls`. Tells its parent how many came, and when, on request.
 */
import { parseArgs } from 'node:util'
import { CERT, KEY } from '../test/system/certificate'

const { values } = parseArgs({
  options: { 'delay-ms': { type: 'string', default: '0' }, hang: { type: 'boolean' }, tls: { type: 'boolean' } },
})
const delayMs = Number(values['delay-ms'])

export interface Counted {
  sent: number
  told: number
}

/** Of a message. */
export interface Arrival {
  /** Unix milliseconds with fractions. */
  at: number
  /** Where it is said apart from the text. */
  code?: string | undefined
}

const counted: Counted = { sent: 0, told: 0 }
/** Of each number the newest; while somebody listens. */
let arrivals: Record<string, Arrival> | undefined

const nowMs = () => performance.timeOrigin + performance.now()

interface Message {
  to: string
  messageId?: string
  code?: string
}

/** As each of those that send says it. */
const READERS: Record<string, (body: never) => Message> = {
  '/send': (message: Message) => message,
  '/send/otpgateway': ({ otp }: { otp: { to: string; otp: string } }) => ({ to: otp.to, code: otp.otp }),
  '/send/supabase': ({ user, sms }: { user: { phone: string }; sms: { otp: string } }) => ({
    to: `+${user.phone}`,
    code: sms.otp,
  }),
}

async function take(request: Request, read: (body: never) => Message): Promise<Response> {
  const at = nowMs()
  const { to, messageId, code } = read((await request.json()) as never)
  counted.sent++
  if (arrivals) arrivals[to] = { at, code }
  if (values.hang) return new Promise<Response>(() => {})
  if (delayMs > 0) await Bun.sleep(delayMs)
  const reporting = reportsTo
  if (reporting) setTimeout(() => void report(reporting, messageId), REPORTS_AFTER_MS)
  return Response.json({ id: messageId })
}

const REPORTS_AFTER_MS = 500
/** Where reports go, and what opens that door. */
let reportsTo: { url: string; secret: string } | undefined

async function report({ url, secret }: { url: string; secret: string }, messageId: string | undefined): Promise<void> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ messageId, status: 'delivered' })
  await fetch(url, { method: 'POST', headers, body }).then(
    (answer) => answer.arrayBuffer(),
    () => {},
  )
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 120,
  ...(values.tls && { tls: { cert: CERT, key: KEY } }),
  routes: {
    ...Object.fromEntries(
      Object.entries(READERS).map(([path, read]) => [path, { POST: (request: Request) => take(request, read) }]),
    ),
    '/hook': {
      POST: async (request) => {
        await request.arrayBuffer()
        counted.told++
        if (delayMs > 0) await Bun.sleep(delayMs)
        return new Response('ok')
      },
    },
    '/report-to': {
      POST: async (request) => {
        reportsTo = (await request.json()) as typeof reportsTo
        return new Response('ok')
      },
    },
    '/count': () => Response.json(counted),
    '/listen': () => {
      arrivals = {}
      return new Response('ok')
    },
    /** And listens no more. */
    '/arrivals': () => {
      const told = arrivals ?? {}
      arrivals = undefined
      return Response.json(told)
    },
  },
})
process.stdout.write(`${JSON.stringify({ event: 'listening', url: server.url.origin })}\n`)
