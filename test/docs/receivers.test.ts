/** The receivers of docs/webhooks.md, as they stand there: whole programs behind real HTTP on loopback. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { sampleEvent } from '../../contract/event'
import { newSecret, signatureHeaders } from '../../src/domain/webhooks/signature'
import { HANGS_AFTER_MS, until } from '../support/until'
import { type Block, blocksOf } from './pages'
import { type Port, Reader } from './reader'
import { RECEIVERS, receiverSections } from './stories'

setDefaultTimeout(HANGS_AFTER_MS)

const EVENT = sampleEvent('otp.verified')
const BODY = JSON.stringify(EVENT)

/** The program once more, beside the one of the page. */
const again = (text: string): Block => ({
  page: 'receivers.test.ts',
  line: 0,
  under: [],
  language: 'sh',
  marks: { serve: '3001' },
  text,
})

describe.each([...RECEIVERS])('the receiver with %s', (name) => {
  let reader: Reader
  let secret: string
  beforeAll(async () => {
    reader = new Reader()
    await reader.follow(blocksOf('docs/webhooks.md', receiverSections(name)))
    secret = await reader.printed('whsec_')
  })
  afterAll(() => reader.stop())

  const send = (body: string, headers: Record<string, string> = {}, port: Port = '3000') =>
    fetch(`${reader.url(port)}/webhooks/otp`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    })

  const post = (sent: string, { signed = sent, ageSec = 0, by = secret, port = '3000' as Port } = {}) => {
    const timestampSec = Math.floor(Date.now() / 1_000) - ageSec
    return send(sent, signatureHeaders({ eventId: EVENT.id, body: signed, secrets: [by], timestampSec }), port)
  }

  test('takes an event', async () => {
    expect((await post(BODY)).status).toBe(204)
    await until(async () => (await reader.logs()).includes(`${EVENT.data.id} is verified`), 'the receiver to handle it')
  })

  test('takes the bytes as they are', async () => {
    expect((await post(`{ "note": "확인", ${BODY.slice(1)}\n`)).status).toBe(204)
  })

  test('takes events it has no use for', async () => {
    const said = await reader.logs()
    expect((await post(JSON.stringify(sampleEvent('otp.sent')))).status).toBe(204)
    expect(await reader.logs()).toBe(said)
  })

  test.each([
    ['another body', 'bad_signature', () => post(BODY, { signed: `${BODY} ` })],
    ['another secret', 'bad_signature', () => post(BODY, { by: newSecret(Buffer.alloc(32, 9)) })],
    ['an old request', 'expired', () => post(BODY, { ageSec: 310 })],
    ['no signature', 'missing_header', () => send(BODY)],
  ])('refuses %s', async (_, reason, request) => {
    const answer = await request()
    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual({ reason })
  })

  test('answers 500 while it has no secret, so that the event comes again', async () => {
    const program = name === 'Bun' ? 'bun receiver.ts' : 'node receiver.mjs'
    await reader.follow([again(`PORT=3001 ${program}\n`)])
    expect((await post(BODY, { port: '3001' })).status).toBe(500)
    expect(await reader.logs()).not.toContain('is verified')
  })
})

test('the receiver without a framework runs on Bun, too', async () => {
  const reader = new Reader()
  try {
    await reader.follow(blocksOf('docs/webhooks.md', receiverSections('Node, without a framework')))
    await reader.follow([again('PORT=3001 OTP_WEBHOOK_SECRET=whsec_… bun receiver.mjs\n')])
    const headers = signatureHeaders({
      eventId: EVENT.id,
      body: BODY,
      secrets: [await reader.printed('whsec_')],
      timestampSec: Math.floor(Date.now() / 1_000),
    })
    const { status } = await fetch(`${reader.url('3001')}/webhooks/otp`, { method: 'POST', body: BODY, headers })
    expect(status).toBe(204)
  } finally {
    await reader.stop()
  }
})
