/** What is said to whom shows no key: as little as they need. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import * as administer from '../../src/usecases/administer'
import { REPORT_SECRET, World } from '../support/world'

let world: World
beforeEach(async () => {
  world = await World.start()
  await world.furnish()
  await world.advance(2_000)
})
afterEach(() => world.stop())

describe('/readyz', () => {
  const ask = (ip: string, headers: Record<string, string> = {}, host = 'localhost') =>
    world.app.fetch(new Request(`http://${host}/readyz`, { headers }), ip)
  const bodyOf = async (response: Promise<Response>) => (await response).json()

  test.each(['127.0.0.1', '127.0.0.9', '::1', '::ffff:127.0.0.1'])(
    'tells who asks on this machine what it depends on: %s',
    async (ip) => {
      expect(await bodyOf(ask(ip))).toMatchObject({
        status: 'ready',
        checks: { database: true },
        providers: { main: { state: 'healthy' } },
      })
    },
  )

  test.each(['203.0.113.1', '10.0.0.1', '192.168.1.1', '::ffff:10.0.0.1', '2001:db8::1', ''])(
    'tells %p whether it is ready, and no more',
    async (ip) => {
      expect(await bodyOf(ask(ip))).toEqual({ status: 'ready' })
    },
  )

  test.each([
    'X-Forwarded-For',
    'x-forwarded-host',
    'X-Forwarded-Proto',
    'X-Forwarded-Anything',
    'Forwarded',
    'X-Real-IP',
    'Via',
    'CF-Connecting-IP',
    'True-Client-IP',
    'X-Client-IP',
  ])('tells no more through a proxy on the same machine, which says %s, whatever it says', async (name) => {
    for (const value of ['127.0.0.1', '203.0.113.1', '', 'nonsense'])
      expect(await bodyOf(ask('127.0.0.1', { [name]: value }))).toEqual({ status: 'ready' })
  })

  test('tells no more to a page whose name leads here', async () => {
    expect(await bodyOf(ask('127.0.0.1', {}, 'evil.example'))).toEqual({ status: 'ready' })
  })

  test('tells a trusted proxy’s clients no more, whoever they say they are', async () => {
    const proxied = await World.start({ env: { WATCHWORD_TRUSTED_PROXIES: '10.0.0.0/8' } })
    const request = new Request('http://localhost/readyz', { headers: { 'x-forwarded-for': '127.0.0.1' } })
    expect(await (await proxied.app.fetch(request, '10.0.0.1')).json()).toEqual({ status: 'ready' })
    await proxied.stop()
  })

  test('says by its status that it is not', async () => {
    // The dispatcher has not looked for work for a while.
    world.clock.step(60_000)
    const response = await ask('203.0.113.1')
    expect([response.status, await response.json()]).toEqual([503, { status: 'not_ready' }])
  })

  test('is not ready once the dispatcher has not looked for work for ten seconds, and again when it has', async () => {
    const told = async () => {
      const response = await ask('127.0.0.1')
      const { status, checks } = await response.json()
      return [response.status, status, checks.database, checks.dispatcher]
    }
    // Its timers do not fire meanwhile.
    world.clock.step(9_999)
    expect(await told()).toEqual([200, 'ready', true, true])
    world.clock.step(1)
    // What was found is kept for a second.
    expect(await told()).toEqual([200, 'ready', true, true])
    world.clock.step(1_000)
    expect(await told()).toEqual([503, 'not_ready', true, false])
    await world.advance(2_000)
    expect(await told()).toEqual([200, 'ready', true, true])
    world.clock.step(10_000)
    expect(await told()).toEqual([503, 'not_ready', true, false])
  })
})

describe('reports without the right secret', () => {
  const report = { messageId: 'x', status: 'delivered' }
  const tellOf = async (name: string, headers: Record<string, string>, body: unknown = report, query = '') => {
    const answer = await world.send('POST', `/provider-reports/${name}${query}`, body, { headers })
    return { status: answer.status, body: answer.body, type: answer.headers.get('content-type') }
  }

  test.each([
    ['no secret', {}, report, ''],
    ['a wrong one', { authorization: 'Bearer wrong' }, report, ''],
    ['a wrong one in the URL', {}, report, '?token=wrong'],
    ['an empty one', { authorization: '' }, report, ''],
    ['a body that is no JSON', {}, '{', ''],
    ['no body', {}, undefined, ''],
    ['a body that is too large', {}, 'x'.repeat(70_000), ''],
  ])('do not tell which carriers there are: %s', async (_, headers, body, query) => {
    const known = await tellOf('main', headers as Record<string, string>, body, query)
    expect(known.status).toBe(body === undefined || String(body).length < 70_000 ? 401 : 413)
    for (const name of ['none', 'simulator', 'Main', 'main%20', '__proto__', 'x'.repeat(500)])
      expect(await tellOf(name, headers as Record<string, string>, body, query)).toEqual(known)
  })

  test('a carrier that reports nothing is one of them', async () => {
    await world.provide('silent', ['sms'], 'http://carrier.test/sms', { reports: false })
    expect(await tellOf('silent', {})).toEqual(await tellOf('none', {}))
  })

  test('a carrier that tries the address by a challenge is told apart by its secret alone', async () => {
    const config = {
      ...{ phoneNumberId: '106540352242922', accessToken: 'EAAJ', appSecret: 'a1'.repeat(16) },
      reportSecret: REPORT_SECRET,
    }
    await administer.setCarrier(world.admin, { name: 'meta', type: 'whatsapp', channels: ['whatsapp'], config })
    const challenge = (name: string, token: string, mode = 'subscribe') => {
      const query = `?hub.mode=${mode}&hub.challenge=1158201444&hub.verify_token=${token}`
      return world.send('GET', `/provider-reports/${name}${query}`, undefined)
    }
    const { status, headers, body } = await challenge('meta', REPORT_SECRET)
    expect([status, headers.get('content-type'), body]).toEqual([200, 'text/plain; charset=utf-8', 1_158_201_444])
    const stranger = await challenge('none', 'wrong')
    expect(stranger.status).toBe(401)
    for (const wrong of [await challenge('meta', 'wrong'), await challenge('meta', REPORT_SECRET, 'unsubscribe')])
      expect([wrong.status, wrong.body]).toEqual([401, stranger.body])
  })

  test.each([
    ['GET', 401],
    ['PUT', 404],
    ['DELETE', 404],
  ])('%s is answered alike, whatever the name', async (method, status) => {
    for (const query of ['', '?token=wrong']) {
      const answers = await Promise.all(
        ['main', 'none'].map((name) => world.send(method, `/provider-reports/${name}${query}`, undefined)),
      )
      expect(answers.map((answer) => answer.status)).toEqual([status, status])
      expect(answers[0]?.body).toEqual(answers[1]?.body)
    }
  })
})
