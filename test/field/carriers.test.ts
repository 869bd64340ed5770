/** What bodies of carriers look like: answers over the real transport, and reports at the real door. Ids and words are made up. */
import { afterAll, afterEach, beforeEach, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { parseJson } from '../../src/providers/answer'
import { createTransport } from '../../src/system/transport'
import { type Furnished, REPORT_SECRET, World } from '../support/world'

const RFC_8259 =
  'RFC 8259, 6: numbers beyond 2^53 do not interoperate, so an id is kept as its digits; 8.1: a mark may be ignored'
const RFC_9110 = 'RFC 9110, 8.3 and 8.4: a charset or coding that is not said, or another than was asked for'

const utf16 = (text: string, isBig: boolean) => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le')
  return isBig ? bytes.swap16() : bytes
}

const ANSWER = '{"id":"x-1"}'
const bodies: ReadonlyArray<[report: string, authority: string, what: string, body: Uint8Array | string]> = [
  ['forwardemail/superagent#1249', RFC_8259, 'a byte order mark', `\ufeff${ANSWER}`],
  ['hapijs/bourne#28', RFC_8259, 'UTF-16, little end first', utf16(ANSWER, false)],
  ['hapijs/bourne#28', RFC_8259, 'UTF-16, big end first', utf16(ANSWER, true)],
  ['youngj/EnvayaSMS#8', RFC_9110, 'Latin-1', Buffer.from('{"id":"x-1","text":"ung\u00fcltig"}', 'latin1')],
  ['rbren/rss-parser#280', RFC_9110, 'gzip although identity was asked', gzipSync(ANSWER)],
]

let served: Uint8Array | string = ''
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(served as BodyInit) })
const transport = createTransport()
afterAll(() => server.stop(true))

test.each(bodies)('%s (%s): an answer with %s is read', async (_report, _authority, _what, body) => {
  served = body
  const url = `http://127.0.0.1:${server.port}/`
  const answer = await transport.request({ method: 'POST', url, headers: {}, body: '{}', timeoutMs: 10_000 })
  expect(answer.kind === 'answered' && parseJson(answer.body)).toMatchObject({ id: 'x-1' })
})

let world: World
let keys: Furnished
beforeEach(async () => {
  world = await World.start()
  keys = await world.furnish()
})
afterEach(() => world.stop())

/** Sends a code that the carrier calls by this id, as JSON has it. */
async function sentAs(id: string, purpose: string): Promise<string> {
  world.sms.script(() => ({ kind: 'answered', status: 200, body: `{"id":${id}}` }))
  const request = { phoneNumber: '010-1234-5678', purpose, idempotencyKey: purpose }
  const { body } = await world.run(world.call('rest', 'issue', request, { key: keys.live }))
  await world.advance(1_000)
  return body.issueId
}
const reported = (body: string | Uint8Array, type = 'application/json') =>
  world.run(
    world.send('POST', '/provider-reports/main', body, {
      headers: { authorization: `Bearer ${REPORT_SECRET}`, 'content-type': type },
    }),
  )
const statusOf = async (issueId: string) =>
  (await world.call('rest', 'getIssue', { issueId }, { key: keys.live })).body.deliveryStatus

test.each([
  ['node-webot/co-wechat-api#89', '8043358490831679489', '8043358490831679491'],
  ['demian85/gnip#18', '271781022721654784', '271781022721654785'],
  ['opencollective/opencollective-api#12125', '9007199254740993', '9007199254740992'],
  ['opencollective/opencollective-api#12125', '900719925474099267543210987654', '900719925474099267543210987655'],
])('%s: a report about %s changes that message, and none whose id is %s', async (_, mine, other) => {
  const [first, second] = [await sentAs(mine, 'first'), await sentAs(other, 'second')]
  await reported(`{"id":${mine},"status":"failed"}`)
  expect([await statusOf(first), await statusOf(second)]).toEqual(['failed', 'sent'])
  // Nor does a report about a message that nobody has.
  expect((await reported(`{"id":${other.slice(0, -1)}7,"status":"failed"}`)).body).toEqual({ recorded: 0 })
  expect(await statusOf(second)).toBe('sent')
})

const REPORT = '{"id":"m-1","status":"delivered"}'

test.each([
  ['n8n-io/n8n#35933', 'a byte order mark', `\ufeff${REPORT}`, 'application/json'],
  ['hapijs/bourne#28', 'UTF-16', utf16(REPORT, false), 'application/json; charset=utf-16'],
  [
    'youngj/EnvayaSMS#8',
    'Latin-1',
    Buffer.from(REPORT.replace('}', ',"text":"ung\u00fcltig"}'), 'latin1'),
    'application/json',
  ],
  ['sendgrid/sendgrid-parse-api-example#2', 'a form that does not say so', 'id=m-1&status=delivered', 'text/plain'],
  ['tcplugins/tcWebHooks#92', 'a form that says it is JSON', 'id=m-1&status=delivered', 'application/json'],
  ['tcplugins/tcWebHooks#92', 'JSON that says it is a form', REPORT, 'application/x-www-form-urlencoded'],
])('%s: a report with %s is recorded', async (_report, _what, body, type) => {
  const issueId = await sentAs('"m-1"', 'only')
  expect((await reported(body, type)).body).toEqual({ recorded: 1 })
  expect(await statusOf(issueId)).toBe('delivered')
})
