/** A receiver of webhooks on loopback, and how it verifies what it gets. */
import { expect } from 'bun:test'
import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { verifyWebhook } from '../../client/webhook'
import { until } from '../support/until'
import type { Json } from './support'

export const HOOK_SETTINGS = { WATCHWORD_WEBHOOK_ALLOW_HTTP: 'true', WATCHWORD_WEBHOOK_ALLOW_CIDR: '127.0.0.0/8' }
export const ANSWER = 'What-the-receiver-answers-3b7d'

export interface Received {
  path: string
  headers: Headers
  /** As it came. */
  body: string
  event: Json
  arrivedAt: number
  answeredAt: number | undefined
}

/** A receiver on loopback that remembers every request and takes all of them until told otherwise. */
export class Receiver {
  readonly received: Received[] = []
  answer: (request: Received) => Response | Promise<Response> = () => new Response(ANSWER)
  readonly #server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 60,
    fetch: async (request) => {
      const body = await request.text()
      const { pathname: path } = new URL(request.url)
      const arrivedAt = Date.now()
      const one = { path, headers: request.headers, body, event: parse(body), arrivedAt, answeredAt: undefined }
      const received: Received = one
      this.received.push(received)
      const answer = await this.answer(received)
      received.answeredAt = Date.now()
      return answer
    },
  })

  get port(): number {
    return this.#server.port ?? 0
  }

  url(path = '/hooks'): string {
    return `http://127.0.0.1:${this.port}${path}`
  }

  at = (path: string) => this.received.filter((request) => request.path === path)
  types = (path = '/hooks') => this.at(path).map(({ event }) => event.type)

  async has(count: number, path = '/hooks'): Promise<Received[]> {
    await until(() => this.at(path).length >= count, `${count} requests to ${path}`)
    return this.at(path)
  }

  stop = () => this.#server.stop(true)
}

export function parse(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const signatureOf = (secret: string, { headers, body }: Received) =>
  createHmac('sha256', secret)
    .update(`${headers.get('x-watchword-timestamp')}.${body}`)
    .digest('hex')

export const standardHeaders = ({ headers }: Received) => ({
  'webhook-id': headers.get('webhook-id') ?? '',
  'webhook-timestamp': headers.get('webhook-timestamp') ?? '',
  'webhook-signature': headers.get('webhook-signature') ?? '',
})

/** By hand, by our client and by somebody else's. */
export async function expectSigned(request: Received, secret: string): Promise<void> {
  const { headers, body, event } = request
  expect(headers.get('x-watchword-signature')).toBe(signatureOf(secret, request))
  expect(Math.abs(Number(headers.get('x-watchword-timestamp')) - request.arrivedAt / 1_000)).toBeLessThan(5)
  expect<unknown>(await verifyWebhook({ body, headers, secret })).toEqual(event)
  expect(new Webhook(secret).verify(body, standardHeaders(request))).toEqual(event)
  expect(headers.get('webhook-id')).toBe(event.id)
}
