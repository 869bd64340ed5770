/** Access tokens of carriers, as public reports tell what went wrong with them. The vendor is made up. */
import { beforeEach, expect, test } from 'bun:test'
import { describedType } from '../../src/providers/described'
import type { DescriptionFile } from '../../src/providers/description'
import { ACME } from '../providers/acme'
import { anSms, answered, FakeVendor } from '../providers/fake-vendor-korean'

const RFC_6749 = 'RFC 6749, 2.3.1, 4.4 and 5.1'
const TOKEN_URL = 'https://id.acme.example/token'
const { send, fields, reports: _, ...rest } = ACME
const FILE = {
  ...rest,
  fields: { ...fields, account: { title: 'Account' }, secret: { title: 'Secret', secret: true } },
  auth: { type: 'oauth2', tokenUrl: TOKEN_URL, clientId: '{{account}}', clientSecret: '{{secret}}', scope: 'sms' },
  send: { sms: { ...send.sms, request: { path: '/m', json: { to: '{{to}}' } } } },
} as DescriptionFile
const CONFIG = { account: '7:7', key: 'k', secret: 'g&h' }
const TAKEN = answered(200, { ok: true, message: { id: 'm-1' } })

let vendor: FakeVendor
let given: number
/** What the token's answer says beside the token. */
let life: object
/** Tokens that the API takes no more. */
let revoked: string[]

beforeEach(() => {
  vendor = new FakeVendor()
  ;[given, life, revoked] = [0, { expires_in: 3_600 }, []]
  vendor.answer = ({ url, headers }) => {
    if (url === TOKEN_URL) return answered(200, { access_token: `t${++given}`, token_type: 'Bearer', ...life })
    return revoked.some((token) => headers.authorization === `Bearer ${token}`) ? answered(401, {}) : TAKEN
  }
})
const carrier = (file: DescriptionFile = FILE) => vendor.provider(describedType(file), CONFIG)
const sentWith = () =>
  vendor.requests.filter(({ url }) => url !== TOKEN_URL).map(({ headers }) => headers.authorization)

test(`${RFC_6749}: credentials are form-encoded in the header, or stand in the form`, async () => {
  expect((await carrier().send(anSms())).kind).toBe('accepted')
  const inBody = { ...FILE, auth: { ...FILE.auth, credentials: 'body' } } as DescriptionFile
  await carrier(inBody).send(anSms())
  const [first, , second] = vendor.requests
  expect(first?.headers.authorization).toBe(`Basic ${Buffer.from('7%3A7:g%26h').toString('base64')}`)
  expect(first?.body).toBe('grant_type=client_credentials&scope=sms')
  expect(second?.headers.authorization).toBeUndefined()
  expect(second?.body).toBe('grant_type=client_credentials&scope=sms&client_id=7%3A7&client_secret=g%26h')
  expect(sentWith()).toEqual(['Bearer t1', 'Bearer t2'])
})

test('okpy/ok#46: one token serves many messages, also those that are sent at the same time', async () => {
  const one = carrier()
  await Promise.all([1, 2, 3].map(() => one.send(anSms())))
  await one.send(anSms())
  expect(new Set(sentWith())).toEqual(new Set(['Bearer t1']))
})

test.each([
  ['nowireless4u/hpe-networking-mcp#130', { expires_in: 28_800 }, 28_800],
  ['wso2/api-manager#773: not with the last seconds of its life', { expires_in: '60' }, 31],
  ['ballerina-platform/module-ballerina-oauth2#52: a life that is not told', {}, 300],
])('%s: a token is not used beyond its life', async (_report, said, afterSec) => {
  life = said
  const one = carrier()
  await one.send(anSms())
  vendor.clock.step(afterSec * 1_000)
  await one.send(anSms())
  expect(sentWith()).toEqual(['Bearer t1', 'Bearer t2'])
})

test('nowireless4u/hpe-networking-mcp#130: a token that is refused before its time is asked for anew, once', async () => {
  const one = carrier()
  await one.send(anSms())
  revoked = ['t1']
  expect((await one.send(anSms())).kind).toBe('accepted')
  expect(sentWith()).toEqual(['Bearer t1', 'Bearer t1', 'Bearer t2'])
  revoked = ['t2', 't3']
  expect(await one.send(anSms())).toMatchObject({ kind: 'refused', retry: 'unfit' })
})

test.each([
  ['refuses the credentials', answered(401, { error: 'invalid_client' }), { kind: 'refused', retry: 'unfit' }],
  ['asks for patience', answered(429, ''), { kind: 'refused', retry: 'later' }],
  ['is not there', answered(404, ''), { kind: 'refused', retry: 'unreached', code: 'NOT_SENT_OAUTH_HTTP_404' }],
  ['answers a page', answered(200, '<p>Sign in</p>'), { kind: 'refused', code: 'NOT_SENT_OAUTH_WITHOUT_TOKEN' }],
  [
    'answers what no header may hold',
    answered(200, { access_token: 'A\r\nx: y' }),
    { kind: 'refused', code: 'NOT_SENT_OAUTH_WITHOUT_TOKEN' },
  ],
  ['is down', answered(503, ''), { kind: 'refused', retry: 'unreached', code: 'NOT_SENT_OAUTH_HTTP_503' }],
  [
    'does not answer',
    { kind: 'unknown', reason: 'TIMEOUT' } as const,
    { kind: 'refused', retry: 'unreached', code: 'NOT_SENT_OAUTH_TIMEOUT' },
  ],
])('where the server of tokens %s, nothing was sent, and nothing is ambiguous', async (_, answer, outcome) => {
  vendor.answer = () => answer
  expect(await carrier().send(anSms())).toMatchObject(outcome)
  expect(sentWith()).toEqual([])
})
