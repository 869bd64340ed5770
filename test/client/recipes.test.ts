/** The receivers of the README, as they stand there, behind real HTTP on loopback. */
import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { sampleEvent } from '../../contract/event'
import { newSecret, signatureHeaders } from '../../src/domain/webhook-signature'
import { ROOT } from '../binary/support'

const SECRET = newSecret(Buffer.alloc(32, 7))
const EVENT = sampleEvent('otp.verified')
const BODY = JSON.stringify(EVENT)

interface Listening {
  url: string
  stop: () => Promise<unknown>
}

function listenWithBun(served: { routes: object } | { fetch: (request: Request) => unknown }): Listening {
  const server = Bun.serve({ ...(served as { fetch: () => Response }), hostname: '127.0.0.1', port: 0 })
  return { url: server.url.href, stop: () => server.stop(true) }
}

const listenWithNode = (handler: Parameters<typeof createServer>[1]): Promise<Listening> =>
  new Promise((resolve) => {
    const server = createServer(handler as never).listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      resolve({
        url: `http://127.0.0.1:${port}/`,
        stop: () => new Promise((stopped) => server.close(stopped).closeAllConnections()),
      })
    })
  })

const RECIPES = {
  bun: async () => listenWithBun((await import('./recipes/bun')).default),
  hono: async () => listenWithBun({ fetch: (await import('./recipes/hono')).default.fetch }),
  express: async () => listenWithNode((await import('./recipes/express')).default),
}

const unset = process.env.OTP_WEBHOOK_SECRET
const said = spyOn(console, 'log')

beforeAll(() => {
  process.env.OTP_WEBHOOK_SECRET = SECRET
})
beforeEach(() => {
  said.mockReset()
})
afterAll(() => {
  said.mockRestore()
  if (unset === undefined) delete process.env.OTP_WEBHOOK_SECRET
  else process.env.OTP_WEBHOOK_SECRET = unset
})

describe.each(['bun', 'hono', 'express'] as const)('the receiver for %s', (name) => {
  let receiver: Listening
  beforeAll(async () => {
    receiver = await RECIPES[name]()
  })
  afterAll(() => receiver.stop())

  const post = (sent: string, signed = sent, ageSec = 0, secret = SECRET) =>
    fetch(`${receiver.url}webhooks/otp`, {
      method: 'POST',
      body: sent,
      headers: {
        'content-type': 'application/json',
        ...signatureHeaders({
          eventId: EVENT.id,
          body: signed,
          secrets: [secret],
          timestampSec: Math.floor(Date.now() / 1_000) - ageSec,
        }),
      },
    })

  test('stands in the README', async () => {
    const recipe = await Bun.file(join(import.meta.dir, `recipes/${name}.ts`)).text()
    const readme = await Bun.file(join(ROOT, 'README.md')).text()
    expect(readme).toContain(`\`\`\`ts\n${recipe}\`\`\`\n`)
  })

  test('takes an event', async () => {
    const { status } = await post(BODY)
    expect(status).toBe(204)
    expect(said.mock.calls).toEqual([[`${EVENT.data.id} is verified`]])
  })

  test('takes the bytes as they are', async () => {
    const { status } = await post(`{ "note": "확인", ${BODY.slice(1)}\n`)
    expect(status).toBe(204)
  })

  test('takes events it has no use for', async () => {
    const { status } = await post(JSON.stringify(sampleEvent('otp.sent')))
    expect(status).toBe(204)
    expect(said).not.toHaveBeenCalled()
  })

  test.each([
    ['another body', 'bad_signature', () => post(BODY, `${BODY} `)],
    ['another secret', 'bad_signature', () => post(BODY, BODY, 0, newSecret(Buffer.alloc(32, 9)))],
    ['an old request', 'expired', () => post(BODY, BODY, 310)],
    [
      'no signature',
      'missing_header',
      () =>
        fetch(`${receiver.url}webhooks/otp`, {
          method: 'POST',
          body: BODY,
          headers: { 'content-type': 'application/json' },
        }),
    ],
  ])('refuses %s', async (_, reason, request) => {
    const answer = await request()
    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual({ reason })
    expect(said).not.toHaveBeenCalled()
  })
})
