/** The management API: who may call it, and what it does that the console does not. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
// Loaded now: the first request would wait for it, and virtual time would pass.
import '../../src/admin/api'
import { type AdminClient, adminClient } from '../../src/admin/client'
import { adminContract } from '../../src/admin/contract'
import { everyApp } from '../../src/admin/every-app'
import { ADMIN_NOUNS, type AdminNoun, type AdminScope } from '../../src/domain/access/admin-token'
import type { App } from '../../src/domain/access/app'
import * as administer from '../../src/usecases/administer'
import { ROWS, type Things } from '../console/procedures'
import { errorOf } from '../support/error-of'
import { HANGS_AFTER_MS } from '../support/until'
import { START, World } from '../support/world'

setDefaultTimeout(HANGS_AFTER_MS)

const DAY_MS = 86_400_000
const { tokens: _, ...ROUTED } = adminContract
const ROUTES = Object.entries(ROUTED).flatMap(([noun, procedures]) =>
  Object.entries(procedures).map(([name, procedure]) => ({
    noun: noun as AdminNoun,
    name,
    route: procedure['~orpc'].route,
  })),
)

let world: World

const tokenFor = async (scopes: AdminScope[], more: Partial<administer.WantedAdminToken> = {}) =>
  (await administer.createAdminToken(world.admin, { name: 'deploy', scopes, ...more })).token

const clientOf = (token: string, ip = '192.0.2.1') =>
  adminClient({ server: 'http://localhost', token }, (request) => world.run(world.app.fetch(request, ip)))

async function request(method: string, path: string, { token, body, headers = {}, ip = '192.0.2.1' }: Sent) {
  const sent = new Request(`http://localhost/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  const response = await world.run(world.app.fetch(sent, ip))
  return { status: response.status, body: await response.json(), etag: response.headers.get('etag') ?? '' }
}

interface Sent {
  token: string
  body?: object
  headers?: Record<string, string>
  ip?: string
}

describe('the management API', () => {
  beforeEach(async () => {
    world = await World.start()
  })
  afterEach(() => world.stop())

  test('has the nouns that tokens may name', () => {
    expect<string[]>(Object.keys(ROUTED).toSorted()).toEqual([...ADMIN_NOUNS])
  })

  test('is off until there is a token', async () => {
    expect((await request('GET', '/apps', { token: 'none' })).status).toBe(404)
    const token = await tokenFor(['apps:read'])
    expect((await request('GET', '/apps', { token: 'none' })).status).toBe(401)
    expect((await request('GET', '/apps', { token })).status).toBe(200)
  })

  test('has a route for each procedure but those of tokens, each with a summary', () => {
    const routes = ROUTES.map(({ route }) => `${route.method} ${route.path?.replace(/\{\w+\}/g, '{}')}`)
    expect(new Set(routes).size).toBe(routes.length)
    for (const { route } of ROUTES) expect(route.summary).toMatch(/^[A-Z][^.]+$/)
  })

  test('describes each route, its scope and its errors', async () => {
    const token = await tokenFor(['apps:read'])
    const { body } = await request('GET', '/openapi.json', { token })
    for (const { noun, route } of ROUTES) {
      const operation = body.paths[route.path as string]?.[(route.method as string).toLowerCase()]
      const scope = `${noun}:${route.method === 'GET' ? 'read' : 'write'}`
      expect(operation).toMatchObject({ 'x-required-scopes': [scope], tags: [noun] })
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['200', '403', '404', '409', '422']))
    }
  })
})

describe('a token of one noun', () => {
  const call = async (client: AdminClient, { noun, name }: { noun: string; name: string }, input: unknown) =>
    (client as unknown as Record<string, Record<string, (input: unknown) => unknown>>)[noun]?.[name]?.(input)

  let appId: string
  let other: App
  beforeAll(async () => {
    world = await World.start()
    appId = (await world.furnish()).appId
    other = await administer.createApp(world.admin, { name: 'theirs' })
  })
  afterAll(() => world.stop())
  afterEach(async () => {
    for (const { tokenId } of await administer.listAdminTokens(world.admin))
      await administer.revokeAdminToken(world.admin, tokenId)
  })

  test.each(ROUTES)('calls $noun $name with the scope for it only, and for its apps', async (procedure) => {
    const { noun, name, route } = procedure
    const things = { ...NOTHING, appId }
    const { input, reach } = ROWS[`${noun}/${name}`] ?? { input: () => ({}), reach: 'app' }
    const isReading = route.method === 'GET'
    const others = ROUTES.map((other) => other.noun).filter((other) => other !== noun)
    const client = clientOf(await tokenFor([...new Set(others)].map((other) => `${other}:write` as const)))
    expect(await errorOf(call(client, procedure, input(things)))).toMatchObject({ status: 403 })
    const reader = clientOf(await tokenFor([`${noun}:read`]))
    if (!isReading) expect(await errorOf(call(reader, procedure, input(things)))).toMatchObject({ status: 403 })
    const ofOther = clientOf(await tokenFor([`${noun}:write`], { appIds: [other.appId] }))
    if (reach === 'app' || reach === 'installation')
      expect(await errorOf(call(ofOther, procedure, input(things)))).toMatchObject({ status: 403 })
    const writer = clientOf(await tokenFor([`${noun}:write`]))
    const answer = await call(writer, procedure, input(things)).then(
      () => 200,
      ({ status }) => status,
    )
    expect([200, 400, 404, 422]).toContain(answer)
  })
})

describe('a token', () => {
  beforeEach(async () => {
    world = await World.start()
  })
  afterEach(() => world.stop())

  test('is taken from its networks and until it ends only', async () => {
    const token = await tokenFor(['apps:read'], { allowedCidrs: ['10.0.0.0/8'], expiresAt: START + DAY_MS })
    const status = async (ip: string) => (await request('GET', '/apps', { token, ip })).status
    expect([await status('10.1.2.3'), await status('192.0.2.1')]).toEqual([200, 401])
    await world.leap(DAY_MS)
    expect(await status('10.1.2.3')).toBe(401)
  })

  test('is refused once it is revoked', async () => {
    const { token, tokenId } = await administer.createAdminToken(world.admin, { name: 'x', scopes: ['apps:read'] })
    await tokenFor(['apps:read'])
    await administer.revokeAdminToken(world.admin, tokenId)
    expect((await request('GET', '/apps', { token })).status).toBe(401)
  })

  test('may make 600 requests a minute', async () => {
    const token = await tokenFor(['apps:read'])
    for (let count = 0; count < 600; count++) expect((await request('GET', '/regions', { token })).status).toBe(200)
    expect(await request('GET', '/regions', { token })).toMatchObject({
      status: 429,
      body: { data: { limit: 'perKey' } },
    })
  })

  test('sees its apps behind pages of others', async () => {
    const app = await administer.createApp(world.admin, { name: 'shop' })
    const others = Array.from({ length: 250 }, (_, n) => ({ ...app, appId: `app_z${n}` }))
    await world.store.transaction(async (tx) => {
      for (const app of others) await tx.apps.add(app)
    })
    const namesFor = async (appIds?: string[]) =>
      (await everyApp(clientOf(await tokenFor(['apps:read'], { appIds })))).apps.map(({ appId }) => appId)
    expect((await namesFor()).filter((appId) => appId.startsWith('app_z'))).toHaveLength(250)
    expect(await namesFor(['app_z99'])).toEqual(['app_z99'])
  })

  test('is named in the log by all that it changes', async () => {
    const client = clientOf(await tokenFor(['apps:write', 'audit:read']))
    await client.apps.create({ name: 'shop' })
    expect((await client.audit.list({ limit: 1 })).rows).toMatchObject([
      { actor: 'token deploy', action: 'app.create', ip: '192.0.2.1' },
    ])
  })

  test('reads usage of its apps only, also for finance’s tools', async () => {
    const [mine, theirs] = [await world.furnish(), await administer.createApp(world.admin, { name: 'theirs' })]
    const token = await tokenFor(['usage:read'], { appIds: [mine.appId] })
    const report = (app: string) =>
      world.run(
        world.app.fetch(
          new Request(`http://localhost/reports/usage?from=2026-03-01&to=2026-03-02&app=${app}`, {
            headers: { authorization: `Bearer ${token}` },
          }),
          '192.0.2.1',
        ),
      )
    expect((await report(mine.appId)).status).toBe(200)
    expect((await report(theirs.appId)).status).toBe(403)
  })
})

describe('a change', () => {
  let token: string
  afterEach(() => world.stop())
  beforeEach(async () => {
    world = await World.start()
    token = await tokenFor(['apps:write', 'keys:write'])
  })

  test('with an idempotency key is made once, and answered alike', async () => {
    const headers = { 'idempotency-key': 'deploy-1' }
    const { appId } = await world.furnish()
    const make = (name: string) =>
      request('POST', `/apps/${appId}/keys`, { token, headers, body: { kind: 'sk', mode: 'live', name } })
    const before = (await world.store.read.keys.ofApp(appId)).length
    const first = await make('one')
    expect(await make('one')).toMatchObject({ status: 200, body: first.body })
    expect((await world.store.read.keys.ofApp(appId)).length).toBe(before + 1)
    expect(await make('two')).toMatchObject({ status: 409, body: { data: { reason: 'idempotency_key_reused' } } })
    await world.leap(DAY_MS + 1)
    const other = { 'idempotency-key': 'deploy-2' }
    await request('POST', '/apps', { token, headers: other, body: { name: 'sweeps what is old' } })
    expect((await make('two')).status).toBe(200)
  })

  test('whose answer was lost is not made again', async () => {
    const headers = { 'idempotency-key': 'lost' }
    const body = { name: 'shop' }
    await request('POST', '/apps', { token, headers, body })
    await world.write('UPDATE admin_requests SET answer = NULL')
    expect(await request('POST', '/apps', { token, headers, body })).toMatchObject({
      status: 409,
      body: { data: { reason: 'answer_lost' } },
    })
    expect((await world.store.read.apps.all()).length).toBe(1)
  })

  test('that was refused leaves its idempotency key unused', async () => {
    const headers = { 'idempotency-key': 'again' }
    expect((await request('POST', '/apps', { token, headers, body: { name: '' } })).status).toBe(422)
    expect((await request('POST', '/apps', { token, headers, body: { name: 'shop' } })).status).toBe(200)
  })

  test('of what somebody has changed since it was read is refused', async () => {
    const { appId } = await world.furnish()
    const { etag } = await request('GET', '/apps', { token })
    const rename = (name: string, tag: string) =>
      request('PUT', `/apps/${appId}/name`, { token, body: { name }, headers: { 'if-match': tag } })
    // Another app changes nothing.
    await administer.createApp(world.admin, { name: 'another' })
    expect((await rename('first', etag)).status).toBe(200)
    expect(await rename('second', etag)).toMatchObject({ status: 409, body: { data: { reason: 'changed_meanwhile' } } })
    expect((await rename('second', (await request('GET', '/apps', { token })).etag)).status).toBe(200)
    expect((await rename('third', 'W/"1"')).status).toBe(400)
  })

  test('that is refused says why in the log', async () => {
    await request('POST', '/apps', { token, body: { name: '' } })
    expect(world.logged.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ route: 'admin', status: 422, reason: 'required' }),
    )
  })

  test.each([
    ['a field that is unknown', { name: 'shop', nmae: 'x' }, 400, 'unknown_field'],
    ['a field that is missing', {}, 400, 'required'],
    ['a value that a rule does not allow', { name: ' ' }, 422, 'required'],
  ])('with %s is refused', async (_, body, status, reason) => {
    expect(await request('POST', '/apps', { token, body })).toMatchObject({
      status,
      body: { defined: true, data: { reason } },
    })
  })
})

const NOTHING: Things = {
  ...{ appId: '', issueId: 'none', testIssueId: 'none', keyId: 'none', endpointId: 'none', deliveryId: 'none' },
  ...{ eventId: 'none', relayId: 'none', incidentId: 'none', templateId: 'none' },
}
