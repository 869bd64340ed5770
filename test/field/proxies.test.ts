/** What proxies, load balancers and clients send, as public reports have it. Addresses and names are made up. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { clientIpOf } from '../../src/http/authenticate'
import { World } from '../support/world'

const ORIGIN = 'https://shop.example.com'

let world: World
let key: string
let browser: string
beforeAll(async () => {
  world = await World.start()
  const { appId, test: known } = await world.furnish()
  key = known
  browser = await world.key({ appId, kind: 'pk', mode: 'test', allowedOrigins: [ORIGIN] })
})
afterAll(() => world.stop())

// BetterCorp/cloudflarewarp#19: a plugin leaves a comma. RFC 9110, 5.6.1.2: empty elements are ignored.
test.each(['203.0.113.9, ', ', 203.0.113.9', '203.0.113.9,, 127.0.0.9', '203.0.113.9 , , ', ',203.0.113.9,'])(
  'the client of X-Forwarded-For: %j is named',
  (forwarded) => {
    expect(clientIpOf('127.0.0.1', forwarded, ['127.0.0.0/8'])).toBe('203.0.113.9')
  },
)

test.each([',', ' , , '])('the proxy is the client where X-Forwarded-For is %j', (forwarded) => {
  expect(clientIpOf('127.0.0.1', forwarded, ['127.0.0.0/8'])).toBe('127.0.0.1')
})

// Azure/azure-service-bus#713, saml7n/parbaked#564. RFC 9110, 9.1: every server has GET and HEAD.
test.each(['/v1/openapi.json', '/v1/webhook-sources', '/v1/balance', '/v1/templates', '/v1/issues'])(
  'HEAD %s is answered as GET is',
  async (path) => {
    const [head, get] = [
      await world.send('HEAD', path, undefined, { key }),
      await world.send('GET', path, undefined, { key }),
    ]
    expect([head.status, get.status]).toEqual([200, 200])
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
  },
)

test.each(['/v1/issue', '/v1/verify', '/v1/nope'])('HEAD %s is no method there', async (path) => {
  expect((await world.send('HEAD', path, undefined, { key })).status).toBe(404)
})

// smithy-lang/smithy-rs#3471. RFC 8259, 11: a charset has no effect.
test.each(['application/json; charset=utf8', 'application/json;charset="UTF8"', 'application/json; charset=UTF-8'])(
  'a body of the type %s is read',
  async (type) => {
    const order = { phoneNumber: '010-0000-0000', purpose: type.slice(-12) }
    const headers = { 'content-type': type, 'idempotency-key': crypto.randomUUID() }
    expect((await world.send('POST', '/v1/issue', order, { key, headers })).status).toBe(200)
  },
)

// versatiles-org/versatiles-rs#138: a page that cannot read an answer cannot tell 404 from no network.
test.each(['/v1/nope', '/v1/verify/', '/v1/rpc/otp/nope'])('a page can read that there is no %s', async (path) => {
  const { status, headers } = await world.send('POST', path, {}, { key: browser, headers: { origin: ORIGIN } })
  expect([status, headers.get('access-control-allow-origin')]).toEqual([404, ORIGIN])
  expect(headers.get('access-control-expose-headers')?.toLowerCase()).toContain('x-request-id')
})

test('a page of a strange origin cannot', async () => {
  const strange = { origin: 'https://stranger.example.com' }
  const { headers } = await world.send('POST', '/v1/nope', {}, { key: browser, headers: strange })
  expect(headers.get('access-control-allow-origin')).toBeNull()
})
