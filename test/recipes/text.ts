import type { Recipe } from './recipe'

const ROUTES = 'src/http/routes.ts'
const APP = 'src/app.ts'

export const text: Recipe = {
  heading: 'A message without a code',
  mostFiles: 5,
  insertions: [
    {
      file: 'src/usecases/send-text.ts',
      text: `/** Send a text that carries no code, as a message alone. */
import type { ApiKey } from '../domain/access/api-key'
import { messageTypeFor } from '../domain/message/template'
import type { IssueDependencies } from './issue-code'
import { sendAlone } from './send/alone'
import { keyHashOf } from './send/request'
import { rulesOf } from './shared/mode'

interface AskedText {
  phoneNumber: string
  text: string
  idempotencyKey: string
}

/** Throws what \`send\` throws. */
export function sendText(deps: IssueDependencies, key: ApiKey, asked: AskedText): Promise<{ issueId: string }> {
  const rules = rulesOf(deps.modes, key)
  const recipient = rules.recipient(asked.phoneNumber, key.region)
  const request = {
    ...{ caller: key, rules, recipient, idempotencyDays: deps.idempotencyDays },
    keyHash: keyHashOf(deps.vault, key, \`text \${asked.idempotencyKey}\`),
    fingerprint: deps.vault.fingerprint(JSON.stringify([recipient.identity, asked.text])),
    ...{ purpose: 'text', channel: 'sms' as const, templateId: 'text', smsFallback: true },
    ...{ metadata: {}, expiresInSec: 3_600 },
  }
  const { to, scenario } = recipient
  return sendAlone(deps, request, () => ({
    rendered: {
      ...{ to, scenario, text: asked.text, from: undefined, messageType: messageTypeFor(asked.text, undefined) },
      ...{ templateId: 'text', templateCode: '', variables: {} },
    },
  }))
}
`,
    },
    {
      file: 'src/http/texts.ts',
      text: `/** \`POST /texts\`: an app sends a text. */
import type { IssueDependencies } from '../usecases/issue-code'
import { sendText } from '../usecases/send-text'
import { type AuthenticateDependencies, authenticate, type RequestContext } from './authenticate'
import { ACCESS } from '../../contract/scope'
import { Json, readJsonBody } from './json'

export const answerText =
  (deps: IssueDependencies & AuthenticateDependencies) =>
  async (request: Request, context: RequestContext): Promise<Json> => {
    const { key } = await authenticate(deps, context, ACCESS.issue, () => {})
    const { phoneNumber, text, idempotencyKey } = await readJsonBody(request)
    const asked = { phoneNumber: String(phoneNumber), text: String(text), idempotencyKey: String(idempotencyKey) }
    return new Json(200, await sendText(deps, key, asked))
  }
`,
    },
    { file: 'src/http/route-table.ts', behind: "  '/relay/:source/:relay',\n", text: "  '/texts',\n" },
    {
      file: ROUTES,
      behind: '  relay: AnswerRelay\n',
      text: "  texts: ReturnType<typeof import('./texts').answerText>\n",
    },
    { file: ROUTES, behind: '    relay,\n    usageReport,\n', text: '    texts,\n' },
    {
      file: ROUTES,
      behind:
        "      return { route: 'usage-report', response: await usageReport(request, url, callerOf(incoming).clientIp) }\n",
      text: "    if (path === '/texts') return { route: 'texts', response: await texts(request, { headers: request.headers, search: url.search, ...callerOf(incoming) }) }\n",
    },
    {
      file: APP,
      behind: "import { createRelays } from './http/relay/relay'\n",
      text: "import { answerText } from './http/texts'\n",
    },
    { file: APP, behind: '    relay: createRelays(issuing),\n', text: '    texts: answerText(issuing),\n' },
  ],
  onPostgresToo: true,
  proof: `
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { addEndpoint, setPlan, setRoute } from '../../src/usecases/administer'
import { erasePhone } from '../../src/usecases/erase-phone'
import { VirtualClock } from '../support/clock'
import { Receivers } from '../support/receiver'
import { UNTOLD } from '../support/untold'
import { START, VOICE_URL, World } from '../support/world'

const TEXT = { phoneNumber: '010-1234-5678', text: 'Your parcel is at the door', idempotencyKey: 'one' }

let world: World
let receivers: Receivers
let keys: { appId: string; live: string }
beforeEach(async () => {
  const clock = new VirtualClock(START)
  receivers = new Receivers(clock.now)
  world = await World.start({ clock, hooks: receivers })
  keys = await world.furnish()
  const events = ['message.sent', 'message.delivered', 'message.failed'] as const
  await addEndpoint(world.admin, { appId: keys.appId, mode: 'live', url: 'https://a.example/', events: [...events] })
})
afterEach(() => world.stop())

const send = async (asked: object = TEXT) => {
  const answer = await world.send('POST', '/texts', asked, { key: keys.live })
  await world.settle()
  return answer
}
const told = () => receivers.arrived.map(({ body }) => JSON.parse(body).type)

test('a text is sent once, reported, told of and charged, and no operation of /v1 knows it', async () => {
  const { status, body } = await send()
  expect(status).toBe(200)
  expect((await send()).body).toEqual(body)
  expect((await send({ ...TEXT, text: 'Another' })).status).toBe(409)
  expect(world.sms.accepted).toMatchObject([{ to: '+821012345678', text: TEXT.text }])
  await world.report('main', { messageId: world.sms.accepted[0]?.messageId ?? '', status: 'delivered' })
  await world.advance(5_000)
  expect(told()).toEqual(['message.sent', 'message.delivered'])
  const [debit] = await world.rows("SELECT amount_delta, entry_type FROM ledger_entries WHERE entry_type = 'debit'")
  expect(debit).toEqual({ amount_delta: -1, entry_type: 'debit' })
  for (const operation of ['status', 'verify'] as const) {
    const asked = { issueId: body.issueId, ...(operation === 'verify' && { code: '123456' }) }
    const { body: answer } = await world.call('rest', operation, asked, { key: keys.live })
    expect(answer.reasonCode ?? answer.code).toBe('NOT_FOUND')
  }
})

test('a text falls back to the next leg of the plan', async () => {
  await world.provide('caller', ['voice'], VOICE_URL)
  await setRoute(world.admin, { channel: 'voice', country: 'KR', appId: undefined, carriers: ['caller'] })
  await setPlan(world.admin, keys.appId, {
    channel: 'sms',
    country: undefined,
    legs: [{ channel: 'sms', waitSec: 30 }, { channel: 'voice' }],
  })
  await world.advance(2_000)
  await send()
  await world.report('main', { messageId: world.sms.accepted[0]?.messageId ?? '', status: 'failed', code: 'OFF' })
  await world.advance(5_000)
  expect([world.sms.requests.length, world.voice.requests.length]).toEqual([1, 1])
})

test('a text is erased with its phone, and then not sent', async () => {
  world.sms.answer = () => ({ kind: 'refused', retry: 'later', code: 'BUSY' }) as never
  await send()
  const { numbering } = world.config
  await world.run(erasePhone({ ...world.admin, numbering, telemetry: UNTOLD }, { phoneNumber: TEXT.phoneNumber }))
  expect(await world.rows('SELECT * FROM outbox')).toEqual([])
  const [row] = await world.rows('SELECT metadata, origin, erased_at FROM issues')
  expect(row).toMatchObject({ metadata: null, origin: null, erased_at: expect.anything() })
})
`,
}
