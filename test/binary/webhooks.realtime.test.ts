/** The real clock of the released binary, by which receivers are asked again and left. Virtual time has the exact schedule. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { webhookRetryMs } from '../../src/domain/webhooks/webhook'
import { HANGS_AFTER_MS } from '../support/until'
import { released } from './compiled'
import { expectSigned, HOOK_SETTINGS, type Received, Receiver } from './hook-receiver'
import { type Json, newFolder, type Program, runJson, Server } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const FIRST_RETRY_MS = webhookRetryMs(1, undefined) ?? 0
/** For one attempt, as docs/webhooks.md has it. */
const TIMEOUT_MS = 5_000
/** Two clocks are compared, each of which is cut to whole milliseconds. */
const ROUNDING_MS = 2
const CODE = '000000'
/** More than one receiver is sent at a time. */
const EVENTS = 12

const folder = newFolder()
const [busy, hanging, quick] = [new Receiver(), new Receiver(), new Receiver()]
let program: Program
let server: Server

beforeAll(async () => {
  program = await released(folder.path, HOOK_SETTINGS)
  server = await Server.start(program)
})
afterAll(async () => {
  await server.stop('SIGKILL')
  for (const receiver of [busy, hanging, quick]) await receiver.stop()
  folder.remove()
})

/** An app that tells some receivers of each verified code; answers its key and the endpoints. */
async function appThatTells(...receivers: Receiver[]): Promise<{ key: string; hooks: Json[] }> {
  const { appId } = await runJson(program, 'app', 'create', 'demo')
  const { key } = await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'test')
  const hooks: Json[] = []
  for (const receiver of receivers) {
    const to = ['--mode', 'test', '--url', receiver.url(), '--events', 'otp.verified']
    hooks.push(await runJson(program, 'webhook', 'add', '--app', appId, ...to))
  }
  return { key, hooks }
}

async function verify(key: string, count: number): Promise<void> {
  const issued = Array.from({ length: count }, (_, n) => server.issue(key, `010-0000-00${20 + n}`))
  for (const { body } of await Promise.all(issued))
    expect((await server.verify(key, body.issueId, CODE)).body).toMatchObject({ verified: true })
}

const eventsOf = async ({ endpointId }: Json): Promise<Json[]> =>
  (await runJson(program, 'webhook', 'events', endpointId)).events

describe.concurrent('a receiver', () => {
  test('that answers 503 once is asked again after 5 s, with the same event and a fresh signature', async () => {
    busy.answer = () => new Response('later', { status: busy.received.length === 1 ? 503 : 204 })
    const { key, hooks } = await appThatTells(busy)
    const [hook] = hooks
    await verify(key, 1)
    const [first, second] = (await busy.has(2)) as [Received, Received]

    expect(second.arrivedAt - first.arrivedAt).toBeGreaterThanOrEqual(FIRST_RETRY_MS - ROUNDING_MS)
    expect(second.body).toBe(first.body)
    for (const request of [first, second]) await expectSigned(request, hook.secret)
    const timestamp = ({ headers }: Received) => Number(headers.get('x-watchword-timestamp'))
    expect(timestamp(second)).toBeGreaterThan(timestamp(first))

    // What it is told of later comes after any further try.
    await runJson(program, 'webhook', 'test', hook.endpointId)
    await busy.has(3)
    expect(busy.received.filter(({ event }) => event.id === first.event.id)).toHaveLength(2)
    expect((await eventsOf(hook)).find(({ eventId }) => eventId === first.event.id)).toMatchObject({
      status: 'delivered',
      attempts: 2,
      log: [
        { number: 1, status: 503, answer: 'later' },
        { number: 2, status: 204 },
      ],
    })
  })

  test('that hangs is left after 5 s, and delays nobody else', async () => {
    hanging.answer = () => new Promise(() => {})
    const { key, hooks } = await appThatTells(hanging, quick)
    await verify(key, EVENTS)
    const arrived = await quick.has(EVENTS)
    const held = await hanging.has(EVENTS)
    // The last of them is sent when one before it is given up; by then the other has everything.
    expect(held.at(-1)?.arrivedAt ?? 0).toBeGreaterThan(arrived.at(-1)?.arrivedAt ?? Number.POSITIVE_INFINITY)

    const timedOut = (await eventsOf(hooks[0])).flatMap(({ log }) => log)
    expect(timedOut.length).toBeGreaterThan(0)
    for (const attempt of timedOut) {
      expect(attempt).toMatchObject({ error: 'timeout' })
      expect(attempt.latencyMs).toBeGreaterThanOrEqual(TIMEOUT_MS - ROUNDING_MS)
    }
  })
})
