/** A path has one spelling, whatever a client writes in its request line: a rule of a proxy in front holds. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { asking, sendRaw } from '../support/raw'
import { HANGS_AFTER_MS } from '../support/until'
import { newFolder, programIn, Server } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
let server: Server

beforeAll(async () => {
  server = await Server.start(programIn(folder.path))
})
afterAll(async () => {
  await server?.stop('SIGKILL')
  folder.remove()
})

const statusOf = async (path: string, method = 'GET') =>
  Number(/^HTTP\/1\.1 (\d+)/.exec(await sendRaw(server.url, asking(path, method)))?.[1])

describe('a path', () => {
  test.each([
    ['/', 302],
    ['/healthz', 200],
    ['/readyz', 200],
    ['/docs', 200],
    ['/docs/', 200],
    ['/docs/start.js', 200],
    ['/docs/icon.svg', 200],
    ['/console', 200],
    ['/console/', 200],
    ['/console/keys?app=a%2Fb', 200],
    ['/console/no/such/page', 200],
    ['/v1/openapi.json', 200],
    ['/v1/webhook-sources', 200],
    ['/v1/issues', 401],
    ['/v1/issues/0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77', 401],
    ['/v1/templates/otp%20default', 401],
  ])('%s is where it is: %i', async (path, status) => {
    expect(await statusOf(path)).toBe(status)
  })

  test.each([
    '/v1/../console',
    '/v1/%2e%2e/console/keys',
    '/v1/.%2E/console/rpc/session/current',
    '/v1/..\\console/keys',
    '/v1\\..\\console',
    '/x/../console',
    '/./console',
    '/console/../v1/openapi.json',
    '/console/x/../rpc/session/current',
    '/console/..\\readyz',
    '/healthz/../readyz',
    '/v1/x/../issues',
    '/v1/issues/../balance',
    '/v1/issues/x/../0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77',
    '/v1/rpc/otp/x/../balance',
    '/provider-reports/../readyz',
    '/%63onsole',
    '/c%6Fnsole/keys',
    '/%2Fconsole',
    '/v1/%69ssues',
    '/v1/rpc/otp/b%61lance',
    '/console%2Fkeys',
    '//console',
    '/CONSOLE',
    '/healthz/',
    '/readyz%20',
  ])('%s is nowhere', async (path) => {
    expect([await statusOf(path), await statusOf(path, 'POST')]).toEqual([404, 404])
  })

  test.each(['1.2.3.999', 'a:b', 'a:99999', ''])('nor is another host in it, asked of %j', async (host) => {
    for (const path of ['//localhost/console', '//x/healthz', '//localhost/readyz']) {
      const request = asking(path).replace('Host: localhost', `Host: ${host}`)
      expect(await sendRaw(server.url, request)).not.toContain(' 200 ')
    }
  })
})

test('who asks by a name that nobody has is told no more than a stranger', async () => {
  const isToldAll = async (host: string) =>
    (await sendRaw(server.url, asking('/readyz').replace('Host: localhost', `Host: ${host}`))).includes('checks')
  expect([await isToldAll('localhost'), await isToldAll('1.2.3.999')]).toEqual([true, false])
})
