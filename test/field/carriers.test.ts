/** What bodies of carriers look like: answers over the real transport, and reports at the real door. Ids and words are made up. */
import { afterAll, afterEach, beforeEach, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { parseBody, parseJson } from '../../src/providers/answer'
import { createTransport } from '../../src/system/transport'
import * as administer from '../../src/usecases/administer'
import { type Furnished, REPORT_SECRET, SMS_URL, World } from '../support/world'

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

const W3C_XML = 'W3C XML 1.0, 2.4 and 4.1: characters may be written as entities, and a digit is text'

/** Of a carrier that is set up by the settings of `http` alone. */
const wroteAs = (config: object) =>
  administer.setCarrier(world.admin, {
    ...{ name: 'main', type: 'http', channels: ['sms'] },
    config: { url: SMS_URL, reportSecret: REPORT_SECRET, reports: true, ...config },
  })

test.each([
  [W3C_XML, '<response><status>0</status><id>00800719925474099301</id></response>', 'response.id'],
  [
    W3C_XML,
    '<?xml version="1.0" encoding="UTF-8"?>\n<s:r xmlns:s="urn:x"><s:m ref="00800719925474099301"/></s:r>',
    'r.m.ref',
  ],
  [W3C_XML, '\ufeff<list><m><id>00800719925474099301</id></m><m><id>2</id></m></list>', 'list.m.0.id'],
])('%s: an answer in XML is read, and its id as it is written', async (_, body, idPath) => {
  await world.run(wroteAs({ idPath }))
  world.sms.script(() => ({ kind: 'answered', status: 200, body }))
  await world.run(
    world.call(
      'rest',
      'issue',
      { phoneNumber: '010-1234-5678', purpose: 'p', idempotencyKey: 'x' },
      { key: keys.live },
    ),
  )
  await world.advance(1_000)
  expect(await world.rows('SELECT outcome, provider_message_id AS id FROM attempts')).toEqual([
    { outcome: 'accepted', id: '00800719925474099301' },
  ])
})

test('a document with entities of its own, and one that is not well-formed, are no answer', () => {
  const bomb = '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><r><id>&b;</id></r>'
  for (const text of [bomb, '<r><id>1</r>', '<html><body><br>502</body></html>', '<', ''])
    expect(parseBody(text)).toBeUndefined()
  expect(parseBody('<r><id>a&amp;b&#49;</id></r>')).toEqual({ r: { id: 'a&b1' } })
})

const MULTIPART = (fields: Record<string, string>) =>
  `${Object.entries(fields)
    .map(([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('')}--x--\r\n`

test.each([
  ['XML', '<dlr><id>m-1</id><status>delivered</status></dlr>', 'text/xml', { itemsPath: 'dlr' }],
  [
    'several in one XML',
    '<dlrs><dlr><id>m-0</id><status>failed</status></dlr><dlr><id>m-1</id><status>delivered</status></dlr></dlrs>',
    'application/xml',
    { itemsPath: 'dlrs.dlr' },
  ],
  ['XML with attributes', '<dlr id="m-1" status="delivered"/>', 'text/plain', { itemsPath: 'dlr' }],
  ['a form of several parts', MULTIPART({ id: 'm-1', status: 'delivered' }), 'multipart/form-data; boundary=x', {}],
  [
    'a list in JSON',
    '{"results":[{"id":"m-0","status":"failed"},{"id":"m-1","status":"delivered"}]}',
    'application/json',
    { itemsPath: 'results' },
  ],
  ['repeated fields', 'id=m-0&status=failed&id=m-1&status=delivered', 'application/x-www-form-urlencoded', {}],
])('a report as %s is recorded', async (_, body, type, report) => {
  await world.run(wroteAs({ report }))
  const issueId = await sentAs('"m-1"', 'only')
  expect((await reported(body, type)).body).toEqual({ recorded: 1 })
  expect(await statusOf(issueId)).toBe('delivered')
})

test.each<[string, string, string, object?]>([
  ['a list that the settings do not name', '{"results":[{"id":"m-1","status":"delivered"}]}', 'application/json'],
  [
    'ids by another name',
    '[{"msgid":"m-1","status":"delivered"},{"msgid":"m-2","status":"failed"}]',
    'application/json',
  ],
  ['a form of several parts without its end', '--x\r\nnothing', 'multipart/form-data; boundary=x'],
  ['plain words', 'delivered m-1', 'text/plain'],
  [
    'reports in another place',
    '{"results":[{"id":"m-1","status":"delivered"}]}',
    'application/json',
    { itemsPath: 'dlrs' },
  ],
])(
  'a body with %s is refused and counted, and not answered 200 and dropped',
  async (...[, body, type, report = {}]) => {
    await world.run(wroteAs({ report }))
    const issueId = await sentAs('"m-1"', 'only')
    expect((await reported(body, type)).status).toBe(400)
    expect(await statusOf(issueId)).toBe('sent')
    expect(world.logged.join()).toContain('"outcome":"unreadable"')
  },
)

/** What carriers want to be sent: https://github.com/<report>. */
test.each([
  ['MSG91/sendotp-node#11', 'the life of a code in minutes', '{{expiresInSec|dividedBy:60|roundedUp}}', '2'],
  ['thunder-id/thunderid#4763', 'never 0 minutes', '{{expiresInSec|dividedBy:6000|roundedUp}}', '1'],
  ['python-smpplib/python-smpplib#254', 'whole minutes below it', '{{expiresInSec|dividedBy:60|roundedDown}}', '1'],
  ['python-smpplib/python-smpplib#254', 'the nearest', '{{expiresInSec|dividedBy:60|rounded}}', '2'],
])('%s: a field has %s', async (_report, _what, ttl, expected) => {
  await world.run(world.provide('main', ['sms'], SMS_URL, { body: { ttl } }))
  const request = { phoneNumber: '010-1234-5678', purpose: 'p', idempotencyKey: 'k', expiresInSec: 90 }
  await world.run(world.call('rest', 'issue', request, { key: keys.live }))
  await world.advance(1_000)
  expect<unknown>(world.sms.requests.at(-1)).toEqual({ ttl: expected })
})

test('mgomes/api_auth#135 (RFC 1864): a header has the MD5 of the body as it is sent, also where the body is not ASCII', async () => {
  const headers = { 'content-md5': '{{body|md5Base64}}', 'x-sum': '{{body|md5}}' }
  await world.run(world.provide('main', ['sms'], SMS_URL, { headers, body: { text: '인증 {{code}}' } }))
  await sentAs('"m-1"', 'p')
  const body = JSON.stringify(world.sms.requests.at(-1))
  expect(body).toContain('인증')
  const sum = new Bun.CryptoHasher('md5').update(body)
  const hex = sum.digest('hex')
  expect(world.sms.headers.at(-1)).toMatchObject({
    'content-md5': Buffer.from(hex, 'hex').toString('base64'),
    'x-sum': hex,
  })
})
