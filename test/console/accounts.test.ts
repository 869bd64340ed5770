/** What is told of people: what the audit log holds of them, who they are, and why somebody does not get in. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Secret, TOTP } from 'otpauth'
// Loaded now: the first request would wait for it, and virtual time would pass.
import '../../src/console/rpc'
import { join, resetPassword, setUpToken } from '../../src/usecases/people'
import { errorOf } from '../support/error-of'
import { World } from '../support/world'
import { ConsoleClient } from './client'

const PASSWORD = 'correct horse battery'
const HOUR_MS = 3_600_000
const NEW_PASSWORD = 'staple of a correct horse'

let world: World
let ann: ConsoleClient
let bob: ConsoleClient
const ids = { ann: '', bob: '' }

const idOf = async (client: ConsoleClient): Promise<string> =>
  (await client.call('session/current')).body.operator.operatorId
const signIn = (client: ConsoleClient, more: object = {}) =>
  client.call('session/signIn', { email: 'bob@example.com', password: PASSWORD, ...more })
const invite = async () => (await ann.call('operators/invite', { role: 'viewer' })).body.url.split('#')[1]
const invitations = async () => (await ann.call('operators/list')).body.invitations

beforeEach(async () => {
  world = await World.start()
  ann = new ConsoleClient(world, '192.0.2.1')
  const token = await setUpToken(world)
  await ann.call('session/setUp', { token, name: 'Ann', email: 'ann@example.com', password: PASSWORD })
  bob = new ConsoleClient(world, '192.0.2.2')
  const person = { name: 'Bob', email: 'bob@example.com', password: PASSWORD }
  await bob.call('session/accept', { token: await invite(), ...person })
  Object.assign(ids, { ann: await idOf(ann), bob: await idOf(bob) })
})
afterEach(() => world.stop())

/** The newest entries, oldest first: who, from where, what, to whom, how. */
async function noted(count: number) {
  const entries = await world.store.read.audit.page({ limit: count })
  return entries.toReversed().map(({ actor, ip, action, target, detail }) => [actor, ip, action, target, detail])
}

test('the audit log has who was invited, by whom, and who came or was not to come', async () => {
  const [, invited, joined, opened] = await noted(4)
  expect(invited).toEqual([ids.ann, '192.0.2.1', 'operator.invite', expect.any(String), { role: 'viewer' }])
  expect([joined, opened]).toEqual([
    [ids.bob, '192.0.2.2', 'operator.join', ids.bob, { role: 'viewer' }],
    [ids.bob, '192.0.2.2', 'session.open', ids.bob, {}],
  ])
  await invite()
  const [{ invitationId }] = await invitations()
  await ann.call('operators/withdraw', { invitationId })
  expect(await noted(2)).toEqual([
    [ids.ann, '192.0.2.1', 'operator.invite', invitationId, { role: 'viewer' }],
    [ids.ann, '192.0.2.1', 'operator.withdraw', invitationId, {}],
  ])
})

test('the audit log has what became of an account', async () => {
  const operatorId = ids.bob
  await ann.call('operators/changeRole', { operatorId, role: 'developer' })
  await ann.call('operators/unlock', { operatorId })
  await bob.call('session/changePassword', { current: PASSWORD, password: NEW_PASSWORD })
  await bob.call('session/signOutEverywhere')
  await resetPassword(
    { ...world, passwords: { hash: async () => 'x', verify: async () => false, isCommon: () => false } },
    { name: 'cli' },
    'bob@example.com',
  )
  await ann.call('operators/remove', { operatorId })
  const role = 'developer'
  expect(await noted(7)).toEqual([
    [ids.ann, '192.0.2.1', 'operator.role', operatorId, { role }],
    [ids.ann, '192.0.2.1', 'operator.unlock', operatorId, { role }],
    [operatorId, '192.0.2.2', 'operator.password', operatorId, { role }],
    [operatorId, '192.0.2.2', 'session.open', operatorId, {}],
    [operatorId, '192.0.2.2', 'session.end_all', operatorId, { ended: 1 }],
    ['cli', undefined, 'operator.reset', operatorId, { role }],
    [ids.ann, '192.0.2.1', 'operator.remove', operatorId, { role }],
  ])
})

test('the audit log has when a second factor was put on and taken off', async () => {
  const { secret, uri } = (await bob.call('session/totpBegin', { current: PASSWORD })).body
  const account = new URL(uri)
  expect(decodeURIComponent(account.pathname)).toEndWith('/Watchword:bob@example.com')
  expect([account.searchParams.get('issuer'), account.searchParams.get('secret')]).toEqual(['Watchword', secret])
  const totp = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: world.clock.now() })
  await bob.call('session/totpConfirm', { totp })
  await bob.call('session/totpRemove', { current: PASSWORD })
  expect(await noted(2)).toEqual([
    [ids.bob, '192.0.2.2', 'operator.totp_on', ids.bob, { role: 'viewer' }],
    [ids.bob, '192.0.2.2', 'operator.totp_off', ids.bob, { role: 'viewer' }],
  ])
})

test('the code that switches a second factor on signs nobody in', async () => {
  const { secret } = (await bob.call('session/totpBegin', { current: PASSWORD })).body
  const totp = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: world.clock.now() })
  expect((await bob.call('session/totpConfirm', { totp: totp() })).status).toBe(200)
  const spent = await signIn(new ConsoleClient(world), { totp: totp() })
  expect([spent.status, spent.body.data.reason]).toEqual([401, 'totp_used'])
  await world.leap(30_000)
  expect((await signIn(new ConsoleClient(world), { totp: totp() })).status).toBe(200)
})

test.each(['Eve\u001b[2J', 'Eve\u0007', 'Eve\u202eevE', 'Eve\u009bm'])(
  'a name or a note that would move a terminal is refused: %j',
  async (name) => {
    const accepted = await new ConsoleClient(world).call('session/accept', {
      ...{ token: await invite(), name, email: 'eve@example.com', password: PASSWORD },
    })
    const invited = await ann.call('operators/invite', { role: 'viewer', note: name })
    expect([accepted.status, invited.status]).toEqual([400, 400])
  },
)

test('who does not get in, or may not change something, is told why', async () => {
  const { secret } = (await bob.call('session/totpBegin', { current: PASSWORD })).body
  const totp = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: world.clock.now() })
  const refusals = [
    await bob.call('session/totpConfirm', { totp: '000000' }),
    await bob.call('session/totpConfirm', { totp: totp() }),
    await bob.call('session/totpConfirm', { totp: totp() }),
    await world.leap(30_000).then(() => signIn(new ConsoleClient(world), { totp: '000000' })),
    await signIn(new ConsoleClient(world), { totp: totp() }),
    await signIn(new ConsoleClient(world), { totp: totp() }),
    await signIn(new ConsoleClient(world), { password: 'wrong' }),
    await bob.call('session/changePassword', { current: 'wrong', password: NEW_PASSWORD }),
    await new ConsoleClient(world).call('session/accept', {
      token: 'x'.repeat(20),
      name: 'Eve',
      email: 'eve@example.com',
      password: PASSWORD,
    }),
    await new ConsoleClient(world).call('session/accept', {
      token: await invite(),
      name: 'Eve',
      email: 'BOB@example.com',
      password: PASSWORD,
    }),
  ]
  expect(refusals.map(({ status, body }) => [status, body.data?.reason])).toEqual([
    [400, 'totp_wrong'],
    [200, undefined],
    [400, 'totp_begin_anew'],
    [401, 'totp_wrong'],
    [200, undefined],
    [401, 'totp_used'],
    [401, 'wrong_credentials'],
    [400, 'wrong_password'],
    [404, 'link_used_up'],
    [400, 'email_taken'],
  ])
})

test('people are listed as they are, and those who are expected', async () => {
  await invite()
  const createdAt = world.clock.now()
  world.clock.step(60_000)
  await signIn(new ConsoleClient(world))
  const { operators, invitations } = (await ann.call('operators/list')).body
  const byName = operators.toSorted((a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name))
  const common = { hasTotp: false, createdAt }
  expect(byName).toEqual([
    { operatorId: ids.ann, email: 'ann@example.com', name: 'Ann', role: 'owner', lastSeenAt: createdAt, ...common },
    {
      operatorId: ids.bob,
      email: 'bob@example.com',
      name: 'Bob',
      role: 'viewer',
      lastSeenAt: createdAt + 60_000,
      ...common,
    },
  ])
  const expiresAt = createdAt + 3 * 24 * 60 * 60_000
  expect(invitations).toEqual([{ invitationId: expect.any(String), role: 'viewer', invitedBy: 'Ann', expiresAt }])
})

test('a link tells whom it is from until its three days are over, and no longer', async () => {
  const token = await invite()
  const { expiresAt } = (await bob.call('session/invitation', { token })).body
  world.clock.step(expiresAt - world.clock.now() - 1)
  const { body } = await bob.call('session/invitation', { token })
  expect(body).toEqual({ role: 'viewer', invitedBy: 'Ann', expiresAt })
  // Her session has ended meanwhile.
  await ann.call('session/signIn', { email: 'ann@example.com', password: PASSWORD })
  expect(await invitations()).toHaveLength(1)
  world.clock.step(expiresAt - world.clock.now())
  expect((await bob.call('session/invitation', { token })).status).toBe(404)
  expect(await invitations()).toEqual([])
})

test('who loses the right to invite while they do has invited nobody', async () => {
  await ann.call('operators/changeRole', { operatorId: ids.bob, role: 'owner' })
  const [changed, invited] = await Promise.all([
    ann.call('operators/changeRole', { operatorId: ids.bob, role: 'viewer' }),
    bob.call('operators/invite', { role: 'owner' }),
  ])
  expect([changed.status, invited.status]).toEqual([200, 403])
  expect(await invitations()).toEqual([])
})

test('a link whose time is over when the account is made has made none', async () => {
  const token = await invite()
  const { expiresAt } = (await bob.call('session/invitation', { token })).body
  const passwords = {
    hash: async () => {
      world.clock.step(expiresAt - world.clock.now())
      return 'x'
    },
    verify: async () => false,
    isCommon: () => false,
  }
  const person = { token, name: 'Eve', email: 'eve@example.com', password: PASSWORD }
  expect(await errorOf(join({ ...world, passwords }, { ip: undefined }, person))).toMatchObject({
    detail: { reason: 'link_used_up' },
  })
  expect((await world.store.read.people.all()).map(({ name }) => name).toSorted()).toEqual(['Ann', 'Bob'])
})

test('who is removed has invited nobody, and the last owner may be named owner again', async () => {
  const { ann: operatorId } = ids
  expect((await ann.call('operators/changeRole', { operatorId, role: 'owner' })).status).toBe(200)
  await ann.call('operators/changeRole', { operatorId: ids.bob, role: 'owner' })
  const token = (await bob.call('operators/invite', { role: 'owner' })).body.url.split('#')[1]
  await ann.call('operators/remove', { operatorId: ids.bob })
  expect(await invitations()).toEqual([])
  const person = { token, name: 'Eve', email: 'eve@example.com', password: PASSWORD }
  expect((await bob.call('session/accept', person)).status).toBe(404)
})

test('pauses that are lifted twice in a moment are lifted twice', async () => {
  const liftedAt = async () => {
    await ann.call('operators/unlock', { operatorId: ids.bob })
    return (await world.store.read.people.all()).find(({ operatorId }) => operatorId === ids.bob)?.unlockedAt
  }
  const now = world.clock.now()
  expect([await liftedAt(), await liftedAt()]).toEqual([now, now + 1])
  world.clock.step(-60_000)
  expect(await liftedAt()).toBe(now + 2)
})

test('a password that was reset ends every session, takes the second factor off, and is a good one', async () => {
  const { secret } = (await bob.call('session/totpBegin', { current: PASSWORD })).body
  const totp = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: world.clock.now() })
  await bob.call('session/totpConfirm', { totp })
  const passwords = {
    hash: async (password: string) => `plain:${password}`,
    verify: async () => false,
    isCommon: () => false,
  }
  const { operator, password } = await resetPassword({ ...world, passwords }, { name: 'cli' }, ' BOB@example.com')
  expect([operator.operatorId, password]).toEqual([ids.bob, expect.stringMatching(/^[\w-]{20}$/)])
  expect((await bob.call('apps/list')).status).toBe(401)
  expect((await signIn(new ConsoleClient(world))).status).toBe(401)
  expect((await signIn(bob, { password })).status).toBe(200)
  expect((await bob.call('session/current')).body.operator.hasTotp).toBe(false)
})

test('a right password may be asked for again and again, a wrong one five times in a quarter of an hour', async () => {
  const takeOff = async (current: string) => (await bob.call('session/totpRemove', { current })).status
  for (let n = 0; n < 6; n++) expect(await takeOff(PASSWORD)).toBe(200)
  for (let n = 0; n < 5; n++) expect(await takeOff('wrong')).toBe(400)
  expect(await takeOff(PASSWORD)).toBe(429)
  world.clock.step(15 * 60_000)
  expect(await takeOff(PASSWORD)).toBe(200)
})

test('of the addresses somebody has signed in from the latest twenty are known', async () => {
  for (let n = 0; n < 22; n++) expect((await signIn(new ConsoleClient(world, `198.51.100.${n}`))).status).toBe(200)
  const addresses = 'SELECT count(*) AS known FROM operator_addresses WHERE operator_id = ?'
  expect(await world.rows(addresses, ids.bob)).toEqual([{ known: 20 }])
})

test('when a session was seen last is stored once a minute at most', async () => {
  const seen = async () => {
    await bob.call('apps/list')
    return world.rows<{ at: number }>('SELECT last_seen_at AS at FROM operator_sessions WHERE operator_id = ?', ids.bob)
  }
  const openedAt = world.clock.now()
  world.clock.step(60_000)
  expect(await seen()).toEqual([{ at: openedAt }])
  world.clock.step(1)
  expect(await seen()).toEqual([{ at: openedAt + 60_001 }])
})

describe('the sessions of an operator', () => {
  const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 Version/26.0 Safari/604.1'
  let phone: ConsoleClient
  const list = async (client: ConsoleClient) => (await client.call('session/list')).body.sessions
  const isIn = async (client: ConsoleClient) => (await client.call('session/current')).body.operator !== undefined

  beforeEach(async () => {
    world.clock.step(1_000)
    phone = new ConsoleClient(world, '192.0.2.3')
    const credentials = { email: 'bob@example.com', password: PASSWORD }
    expect((await phone.call('session/signIn', credentials, { 'user-agent': IPHONE })).status).toBe(200)
  })

  test('are listed with their device, and without an address, a token or its hash', async () => {
    const sessions = await list(bob)
    const id = expect.stringMatching(/^[0-9a-f]{16}$/)
    const at = world.clock.now()
    expect(sessions).toEqual([
      { sessionId: id, createdAt: at, lastSeenAt: at, browser: 'Safari', system: 'iPhone', isThis: false },
      { sessionId: id, createdAt: at - 1_000, lastSeenAt: at - 1_000, browser: '', system: '', isThis: true },
    ])
    expect((await list(phone)).map(({ isThis }: { isThis: boolean }) => isThis)).toEqual([true, false])
    expect(JSON.stringify(await world.rows('SELECT * FROM operator_sessions'))).not.toContain('192.0.2')
  })

  test('that are over are not listed', async () => {
    world.clock.step(11 * HOUR_MS)
    expect(await list(bob)).toHaveLength(2)
    world.clock.step(2 * HOUR_MS)
    expect(await list(bob)).toHaveLength(1)
  })

  test('are ended one at a time, or all but this one; the audit log has both', async () => {
    const [{ sessionId }] = await list(bob)
    await bob.call('session/end', { sessionId })
    expect([await isIn(phone), await isIn(bob)]).toEqual([false, true])
    expect((await bob.call('session/end', { sessionId })).status).toBe(404)
    await signIn(phone)
    expect((await bob.call('session/endOthers')).body).toEqual({ sessions: 1 })
    expect([await isIn(phone), await isIn(bob)]).toEqual([false, true])
    expect((await noted(3)).filter(([, , action]) => action !== 'session.open')).toEqual([
      [ids.bob, '192.0.2.2', 'session.end', ids.bob, { sessionId }],
      [ids.bob, '192.0.2.2', 'session.end_all', ids.bob, { ended: 1 }],
    ])
  })

  test('are seen and ended by an owner, and by nobody else', async () => {
    const { sessions } = (await ann.call('operators/sessions', { operatorId: ids.bob })).body
    expect(sessions).toHaveLength(2)
    const [{ sessionId }] = sessions
    // Somebody else's session is none of one's own.
    expect((await ann.call('session/end', { sessionId })).status).toBe(404)
    expect((await bob.call('operators/sessions', { operatorId: ids.ann })).status).toBe(403)
    await ann.call('operators/endSession', { operatorId: ids.bob, sessionId })
    expect([await isIn(phone), await isIn(bob)]).toEqual([false, true])
    expect((await ann.call('operators/endSessions', { operatorId: ids.bob })).body).toEqual({ sessions: 1 })
    expect([await isIn(bob), await isIn(ann)]).toEqual([false, true])
    expect(await noted(2)).toEqual([
      [ids.ann, '192.0.2.1', 'session.end', ids.bob, { sessionId }],
      [ids.ann, '192.0.2.1', 'session.end_all', ids.bob, { ended: 1 }],
    ])
  })
})

test('a key has a name and a creator, who may be gone; a rotated one keeps the name', async () => {
  const { appId } = await world.furnish()
  await world.advance(1)
  await ann.call('operators/changeRole', { operatorId: ids.bob, role: 'developer' })
  const create = (name: string) => bob.call('keys/create', { appId, kind: 'sk', mode: 'test', name })
  const { keyId } = (await create('  Backend of the shop ')).body
  const shown = async (client: ConsoleClient) => {
    const { keys } = (await client.call('keys/list', { appId })).body
    return keys.slice(0, 1).map(({ name, creator }: { name?: string; creator: object }) => [name, creator])
  }
  const bobs = { name: 'Bob', isCommandLine: false }
  expect(await shown(bob)).toEqual([['Backend of the shop', { ...bobs, isMine: true }]])
  expect(await shown(ann)).toEqual([['Backend of the shop', { ...bobs, isMine: false }]])
  expect((await create('x'.repeat(101))).body.data).toMatchObject({ param: 'name', reason: 'too_long' })
  world.clock.step(1_000)
  await ann.call('keys/rotate', { keyId, overlapHours: 0 })
  expect(await shown(ann)).toEqual([['Backend of the shop', { name: 'Ann', isCommandLine: false, isMine: true }]])
  await ann.call('operators/remove', { operatorId: ids.bob })
  const { keys } = (await ann.call('keys/list', { appId })).body
  expect(keys.find((key: { keyId: string }) => key.keyId === keyId).creator).toEqual({
    ...{ isCommandLine: false, isMine: false },
  })
})
