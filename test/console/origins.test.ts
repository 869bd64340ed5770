/** Where the console may be opened, and what its cookie can do. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { setUpToken } from '../../src/usecases/people'
import { World, type WorldOptions } from '../support/world'

const PASSWORD = 'correct horse battery'
const PERSON = { name: 'Ann', email: 'ann@example.com', password: PASSWORD }

let worlds: World[] = []
afterEach(async () => {
  for (const world of worlds) await world.stop()
  worlds = []
})

async function open(
  env: Record<string, string> = {},
  options: Pick<WorldOptions, 'place' | 'seed'> = {},
): Promise<World> {
  const world = await World.start({ env, ...options })
  worlds.push(world)
  return world
}

/** A procedure, called by a page of `origin`, or by what is no page, at the server that is called `at`. */
async function ask(
  world: World,
  {
    at,
    origin = at,
    cookie = '',
    ip = '127.0.0.1',
  }: { at: string; origin?: string | null; cookie?: string; ip?: string },
  procedure = 'session/current',
  input: object = {},
) {
  const request = new Request(`${at}/console/rpc/${procedure}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(origin !== null && { origin }), cookie },
    body: JSON.stringify({ json: input }),
  })
  const response = await world.run(world.app.fetch(request, ip))
  const set = response.headers.get('set-cookie') ?? ''
  return { status: response.status, body: (await response.json()).json, set, cookie: set.split(';')[0] ?? '' }
}

const setUp = async (world: World, at: { at: string; origin?: string }) =>
  ask(world, at, 'session/setUp', { token: await setUpToken(world), ...PERSON })

describe('the console is answered', () => {
  test.each(['http://localhost', 'http://localhost:8787', 'http://127.0.0.1:8787', 'http://[::1]:8787'])(
    'at %s without any setting',
    async (at) => {
      expect((await ask(await open(), { at })).status).toBe(200)
    },
  )

  test.each([
    'https://otp.example.com',
    'http://otp.example.com:8787',
    'http://192.168.1.5:8787',
    'http://evil.example:8787',
    'http://localhost.evil.example:8787',
    'http://127.0.0.1.nip.io:8787',
    'http://foo.localhost:8787',
    'http://127.0.0.2:8787',
  ])('not at %s until the setting says so, and then it is', async (at) => {
    const refused = await ask(await open(), { at })
    expect([refused.status, refused.body.data.reason]).toEqual([403, 'public_url_needed'])
    expect(refused.body.message).toContain('WATCHWORD_PUBLIC_URL')
    expect((await ask(await open({ WATCHWORD_PUBLIC_URL: at }), { at })).status).toBe(200)
  })

  test('a proxy that puts another Host is told of the setting, too', async () => {
    const { body } = await ask(await open(), { at: 'http://127.0.0.1:8787', origin: 'https://otp.example.com' })
    expect(body.data.reason).toBe('public_url_needed')
  })

  test.each([
    ['a page on a sibling port', 'http://localhost:3000'],
    ['a page on the same port by another loopback name', 'http://127.0.0.1:8787'],
    ['a page over https on the same port', 'https://localhost:8787'],
    ['no page', null],
    ['a page of nowhere', ''],
    ['a page that hides', 'null'],
  ])('not for %s', async (_, origin) => {
    const settings: Record<string, string>[] = [{}, { WATCHWORD_PUBLIC_URL: 'https://otp.example.com' }]
    for (const env of settings) {
      const { status, body } = await ask(await open(env), { at: 'http://localhost:8787', origin })
      expect([status, body.data.reason]).toEqual([403, 'foreign_origin'])
    }
  })

  test('not for a page whose name was made to lead here, once the setting is there', async () => {
    const world = await open({ WATCHWORD_PUBLIC_URL: 'https://otp.example.com' })
    expect((await ask(world, { at: 'http://evil.example:8787' })).status).toBe(403)
    expect((await ask(world, { at: 'http://evil.example', origin: 'https://otp.example.com' })).status).toBe(200)
  })

  test('while the API is answered under any name', async () => {
    const world = await open()
    const { test: key } = await world.furnish()
    const request = new Request('http://any.example/v1/balance', { headers: { authorization: `Bearer ${key}` } })
    expect((await world.app.fetch(request, '203.0.113.1')).status).toBe(200)
  })
})

describe('its cookie', () => {
  const HTTPS = 'https://otp.example.com'
  const proxied = { at: 'http://127.0.0.1:8787', origin: HTTPS }
  let world: World
  beforeEach(async () => {
    world = await open({ WATCHWORD_PUBLIC_URL: HTTPS })
  })

  test('can be set by this host over https alone, read by no script, sent by no other site', async () => {
    const { set } = await setUp(world, proxied)
    const rules = set.split('; ').slice(1)
    expect(set).toMatch(/^__Host-watchword-[0-9a-f]{12}=[\w-]{43}; /)
    expect(rules.sort()).toEqual(['HttpOnly', 'Max-Age=604800', 'Path=/', 'SameSite=Strict', 'Secure'])
  })

  test('is a plain one from http://localhost, where Safari would keep no other, with all else as it is', async () => {
    for (const at of ['http://localhost:8787', 'http://127.0.0.1:8787', 'http://[::1]:8787']) {
      const { set } = await setUp(await open(), { at })
      expect(set).toMatch(/^watchword-[0-9a-f]{12}=[\w-]{43}; /)
      expect(set.split('; ').slice(1).sort()).toEqual([
        'HttpOnly',
        'Max-Age=604800',
        'Path=/console',
        'SameSite=Strict',
      ])
    }
  })

  test('of one kind does not count as the other', async () => {
    const { cookie } = await setUp(world, proxied)
    const [name = '', token = ''] = cookie.split('=')
    const isIn = async (cookie: string) => (await ask(world, { ...proxied, cookie })).body.operator !== undefined
    expect(await isIn(cookie)).toBe(true)
    for (const other of [name.replace('__Host-', ''), '__Secure-watchword', 'watchword', name.slice(0, -1)])
      expect(await isIn(`${other}=${token}`)).toBe(false)
    expect(await isIn(`other=1; ${cookie}; ${name.replace('__Host-', '')}=of-a-sibling-port`)).toBe(true)
  })

  test('is called otherwise in each installation: two on one host sign nobody out of the other', async () => {
    const at = { at: 'http://localhost:8787' }
    const beside = { at: 'http://localhost:9797' }
    const [one, two] = [await open(), await open()]
    const jar = `${(await setUp(one, at)).cookie}; ${(await setUp(two, beside)).cookie}`
    expect((await ask(one, { ...at, cookie: jar })).body.operator.email).toBe(PERSON.email)
    expect((await ask(two, { ...beside, cookie: jar })).body.operator.email).toBe(PERSON.email)
    await ask(two, { ...beside, cookie: jar }, 'session/signOut')
    expect((await ask(one, { ...at, cookie: jar })).body.operator.email).toBe(PERSON.email)
  })

  test('keeps its name over a restart', async () => {
    const { cookie } = await setUp(world, proxied)
    const again = await open({ WATCHWORD_PUBLIC_URL: HTTPS }, { place: world.place })
    expect((await ask(again, { ...proxied, cookie })).body.operator.email).toBe(PERSON.email)
  })

  test('opens nothing under /v1, though it is sent there', async () => {
    const { cookie } = await setUp(world, proxied)
    for (const path of ['/v1/balance', '/v1/templates', '/v1/issues'])
      expect((await world.send('GET', path, undefined, { headers: { cookie } })).status).toBe(401)
    expect((await world.send('POST', '/v1/rpc/otp/balance', {}, { headers: { cookie } })).status).toBe(401)
  })

  test('ends at signing out, under the rules it was set with', async () => {
    const { cookie } = await setUp(world, proxied)
    const { set } = await ask(world, { ...proxied, cookie }, 'session/signOut')
    expect(set).toMatch(/^__Host-watchword-[0-9a-f]{12}=; Path=\/; HttpOnly; Secure; SameSite=Strict; Max-Age=0$/)
  })
})
