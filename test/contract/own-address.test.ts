/** Whether an address is one client's own: what is known of it must not be anybody's behind the same proxy. */
import { expect, test } from 'bun:test'
import { isOwnAddress } from '../../src/http/authenticate'

const PROXY = '10.0.0.1'
const CLIENT = '203.0.113.7'
const HERE = 'http://localhost:8080'
const SITE = 'https://codes.example.com'
const FORWARDED = { 'x-forwarded-for': CLIENT }

test.each([
  ['a client that comes straight', CLIENT, CLIENT, SITE, {}, true],
  ['a client of a proxy that is named', CLIENT, PROXY, SITE, FORWARDED, true],
  ['the proxy that is named itself', PROXY, PROXY, SITE, {}, false],
  ['a client that says it was forwarded, by nobody who is named', CLIENT, CLIENT, SITE, FORWARDED, false],
  ['this machine, at its own name', '127.0.0.1', '127.0.0.1', HERE, {}, true],
  ['a proxy on this machine that nobody has named', '127.0.0.1', '127.0.0.1', HERE, FORWARDED, false],
  [
    'a proxy on this machine that says nothing, before a page of another name',
    '127.0.0.1',
    '127.0.0.1',
    SITE,
    {},
    false,
  ],
])('%s', (_, address, socketAddress, origin, headers, isOwn) => {
  const request = new Request(origin, { headers })
  const from = { socketAddress, trustedProxies: ['10.0.0.0/8'], origin: new URL(origin) }
  expect(isOwnAddress(request, address, from)).toBe(isOwn)
})
