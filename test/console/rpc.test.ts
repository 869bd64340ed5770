/** Who gets into the console, what each may do there, and what nobody may. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Secret, TOTP } from 'otpauth'
import type { Access } from '../../src/admin/contract/base'
import { consoleContract } from '../../src/console/contract'
import { may, ROLES, type Role } from '../../src/domain/access/operator'
import { SignInPauses } from '../../src/runtime/limits/sign-in-pauses'
import { setUpToken } from '../../src/usecases/people'
import { errorOf } from '../support/error-of'
import { type Furnished, PLAIN_PASSWORDS, World } from '../support/world'
import { ConsoleClient } from './client'

const PASSWORD = 'correct horse battery'
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Every procedure of the contract, with the permission it names. */
const PROCEDURES = Object.entries(consoleContract).flatMap(([group, procedures]) =>
  Object.entries(procedures).map(([name, procedure]): [string, Access['permission']] => [
    `${group}/${name}`,
    (procedure['~orpc'].meta as Access).permission,
  ]),
)

describe('the console', () => {
  let world: World
  let keys: Furnished
  let owner: ConsoleClient

  const setUp = async (client: ConsoleClient, email = 'ann@example.com') => {
    const token = await setUpToken(world)
    return client.call('session/setUp', { token, name: 'Ann', email, password: PASSWORD })
  }
  const tokenOf = (url: string) => url.split('#')[1] ?? ''
  const signIn = (client: ConsoleClient, more: object = {}) =>
    client.call('session/signIn', { email: 'ann@example.com', password: PASSWORD, ...more })

  async function join(role: Role): Promise<ConsoleClient> {
    const invited = await owner.call('operators/invite', { role })
    const client = new ConsoleClient(world)
    const person = { name: role, email: `${role}${Math.random()}@example.com`, password: PASSWORD }
    expect((await client.call('session/accept', { token: tokenOf(invited.body.url), ...person })).status).toBe(200)
    return client
  }

  /** What happens while a password is hashed, which takes a while. */
  let hashing: ((password: string) => Promise<void>) | undefined

  beforeEach(async () => {
    hashing = undefined
    const hash = async (password: string) => {
      await hashing?.(password)
      return PLAIN_PASSWORDS.hash(password)
    }
    world = await World.start({ passwords: { ...PLAIN_PASSWORDS, hash } })
    keys = await world.furnish()
    owner = new ConsoleClient(world)
    await setUp(owner)
  })
  afterEach(() => world.stop())

  test('tells how the program is called from source: as the README starts it', async () => {
    const { command } = (await owner.call('system/show', {})).body
    const [file = ''] = command.split(' ').slice(-1)
    expect(await Bun.file(file).exists()).toBe(true)
    expect(await Bun.file('README.md').text()).toContain(command.replace(file, 'run quickstart'))
  })

  test('tells that the dispatcher has not looked for work for ten seconds', async () => {
    const check = async () => (await owner.call('system/show', {})).body.checks
    await world.advance(1_000)
    world.clock.step(9_999)
    expect(await check()).toEqual({ database: true, dispatcher: true })
    world.clock.step(1)
    expect(await check()).toEqual({ database: true, dispatcher: false })
  })

  describe('getting in', () => {
    test('the set-up link makes the owner, once', async () => {
      expect((await owner.call('session/current')).body.operator).toMatchObject({
        role: 'owner',
        email: 'ann@example.com',
      })
      expect(await setUpToken(world)).toBeUndefined()
    })

    test('a set-up link is the same at every start, and useless once there is an owner', async () => {
      const other = await World.start()
      const first = await setUpToken(other)
      const second = await setUpToken(other)
      const client = new ConsoleClient(other)
      const person = { name: 'Bob', email: 'bob@example.com', password: PASSWORD }
      expect(second).toBe(first as string)
      const another = { ...person, token: first?.replace(/^./, (rendered) => (rendered === 'A' ? 'B' : 'A')) }
      expect((await client.call('session/setUp', another)).status).toBe(404)
      expect((await client.call('session/setUp', { token: second, ...person })).status).toBe(200)
      expect((await client.call('session/setUp', { token: second, ...person })).status).toBe(404)
      await other.stop()
    })

    test('a set-up link is good for three days from a start, give or take an hour in which starts write nothing', async () => {
      const other = await World.start()
      const links = () => other.rows('SELECT created_at, expires_at FROM invitations')
      await setUpToken(other)
      const first = await links()
      other.clock.step(HOUR_MS - 1)
      await setUpToken(other)
      expect(await links()).toEqual(first)
      other.clock.step(1)
      await setUpToken(other)
      const at = other.clock.now()
      expect(await links()).toEqual([{ created_at: at, expires_at: at + 3 * DAY_MS }])
      other.clock.step(-HOUR_MS)
      await setUpToken(other)
      expect(await links()).toEqual([{ created_at: at - HOUR_MS, expires_at: at - HOUR_MS + 3 * DAY_MS }])
      await other.stop()
    })

    test('a set-up link that was not used makes nobody once there is an owner', async () => {
      const other = await World.start()
      const token = await setUpToken(other)
      const [link] = await other.rows('SELECT * FROM invitations')
      const client = new ConsoleClient(other)
      const setUp = (email: string) => client.call('session/setUp', { token, name: 'Bob', email, password: PASSWORD })
      expect((await setUp('bob@example.com')).status).toBe(200)
      // Another process that started at the same time has made it, too.
      const names = Object.keys(link ?? {})
      await other.write(
        `INSERT INTO invitations (${names}) VALUES (${names.map(() => '?')})`,
        ...Object.values(link ?? {}),
      )
      expect(await setUp('eve@example.com')).toMatchObject({ status: 404, body: { data: { reason: 'link_used_up' } } })
      expect(await other.rows('SELECT email FROM operators')).toEqual([{ email: 'bob@example.com' }])
      await other.stop()
    })

    test('neither cookie nor password is in the database as it is', async () => {
      const dump = JSON.stringify([
        world.rows('SELECT * FROM operators'),
        world.rows('SELECT * FROM operator_sessions'),
      ])
      expect(dump).not.toContain(owner.cookie.split('=')[1] ?? '')
      expect(await world.rows('SELECT hex(token_hash) AS hash FROM operator_sessions')).toHaveLength(1)
    })

    test('wrong address and wrong password are told alike', async () => {
      const client = new ConsoleClient(world)
      const wrong = await signIn(client, { password: 'something else' })
      const unknown = await signIn(client, { email: 'nobody@example.com' })
      expect([wrong.status, wrong.body.message]).toEqual([401, unknown.body.message])
    })

    test('a weak password is refused', async () => {
      const change = { current: PASSWORD, password: 'short' }
      expect((await owner.call('session/changePassword', change)).status).toBe(400)
    })
  })

  test('signing in writes back nothing of what changed meanwhile', async () => {
    const { changeRights, openSession } = await import('../../src/usecases/people')
    await join('owner')
    const [ann] = await world.store.read.people.all()
    if (!ann) throw new Error('nobody is there')
    const deps = {
      store: world.store,
      clock: world.clock,
      random: world.random,
      vault: world.vault,
      node: {
        limits: { acquire: async () => ({ release() {} }) },
        signInLimits: new SignInPauses(),
      },
      passwords: { hash: async (text: string) => text, verify: async () => true },
    }
    const visitor = { ip: '10.0.0.1', hasOwnAddress: true, device: { browser: 'Safari', system: 'iPhone' } }
    await changeRights(deps, { name: 'test' }, ann.operatorId, { role: 'viewer' })
    await openSession(deps, visitor, ann)
    expect((await world.store.read.people.all())[0]?.role).toBe('viewer')
    for (const before of [{ passwordHash: 'of before a reset' }, { totpSecret: 'of before it was taken off' }]) {
      expect(await errorOf(openSession(deps, visitor, { ...ann, ...before }))).toMatchObject({ kind: 'unauthorized' })
    }
  })

  test('of two changes of a password at once one counts, and the other is told', async () => {
    const second = new ConsoleClient(world)
    await signIn(second)
    const passwords = ['the first new password', 'the second new password']
    // The change of one ends the session of the other: both are asked before either has changed anything.
    const both = Promise.withResolvers<void>()
    const hashed = new Set<string>()
    hashing = (password) => {
      if (hashed.add(password).size === passwords.length) both.resolve()
      return both.promise
    }
    const answers = await Promise.all(
      [owner, second].map((client, n) =>
        client.call('session/changePassword', { current: PASSWORD, password: passwords[n] }),
      ),
    )
    const told = answers.map(({ status, body }) => [status, body.data?.reason])
    expect(told.toSorted()).toEqual([
      [200, undefined],
      [400, 'password_changed'],
    ])
    for (const [n, password] of passwords.entries())
      expect((await signIn(new ConsoleClient(world), { password })).status).toBe(answers[n]?.status === 200 ? 200 : 401)
  })

  describe('a session', () => {
    test('ends when its owner signs out, and a stolen cookie with it', async () => {
      const thief = new ConsoleClient(world)
      thief.cookie = owner.cookie
      expect((await thief.call('apps/list')).status).toBe(200)
      await owner.call('session/signOut')
      expect((await thief.call('apps/list')).status).toBe(401)
    })

    test('ends everywhere at once', async () => {
      const second = new ConsoleClient(world)
      await signIn(second)
      expect((await owner.call('session/signOutEverywhere')).body).toEqual({ sessions: 2 })
      for (const client of [owner, second]) expect((await client.call('apps/list')).status).toBe(401)
    })

    test('ends when its owner changes the password elsewhere', async () => {
      const second = new ConsoleClient(world)
      await signIn(second)
      const change = { current: PASSWORD, password: 'another good password' }
      expect((await second.call('session/changePassword', change)).status).toBe(200)
      expect((await owner.call('apps/list')).status).toBe(401)
      expect((await second.call('apps/list')).status).toBe(200)
      expect((await signIn(new ConsoleClient(world))).status).toBe(401)
    })

    test('ends after twelve idle hours', async () => {
      world.clock.step(11 * HOUR_MS)
      expect((await owner.call('apps/list')).status).toBe(200)
      world.clock.step(12 * HOUR_MS - 1)
      expect((await owner.call('apps/list')).status).toBe(200)
      world.clock.step(12 * HOUR_MS)
      expect((await owner.call('apps/list')).status).toBe(401)
    })

    test('ends after seven days in any case, though it was never idle', async () => {
      for (let hours = 0; hours < 7 * 24 - 1; hours++) {
        world.clock.step(HOUR_MS)
        expect((await owner.call('apps/list')).status).toBe(200)
      }
      world.clock.step(HOUR_MS - 1)
      expect((await owner.call('apps/list')).status).toBe(200)
      expect((await owner.call('session/current')).body.operator).toBeDefined()
      world.clock.step(1)
      expect((await owner.call('apps/list')).status).toBe(401)
      expect((await owner.call('session/current')).body.operator).toBeUndefined()
    })

    test('ends with its account', async () => {
      const viewer = await join('viewer')
      const { operator } = (await viewer.call('session/current')).body
      expect((await owner.call('operators/remove', { operatorId: operator.operatorId })).status).toBe(200)
      expect((await viewer.call('apps/list')).status).toBe(401)
    })
  })

  describe('what other sites and other credentials can do', () => {
    test.each([
      ['another origin', { origin: 'https://evil.example' }],
      ['no origin', { origin: undefined }],
      ['an empty origin', { origin: '' }],
      ['the null origin', { origin: 'null' }],
    ])('a request of %s is refused, cookie or not', async (_, headers) => {
      for (const client of [owner, new ConsoleClient(world)])
        expect((await client.call('apps/list', undefined, headers)).status).toBe(403)
    })

    test('a foreign Host does not make a foreign page our own where the public URL is known', async () => {
      const other = await World.start({ env: { WATCHWORD_PUBLIC_URL: 'https://otp.example.com' } })
      const ask = (host: string, origin: string) =>
        other.app.fetch(
          new Request(`http://${host}/console/rpc/session/current`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', origin },
            body: '{"json":{}}',
          }),
          '127.0.0.1',
        )
      expect((await ask('evil.example', 'http://evil.example')).status).toBe(403)
      expect((await ask('evil.example', 'https://otp.example.com')).status).toBe(200)
      expect((await ask('127.0.0.1:8787', 'http://127.0.0.1:8787')).status).toBe(200)
      await other.stop()
    })

    test.each([
      '{"json":{},"meta":[null]}',
      '{"json":{},"meta":[[0,"__proto__","x"]]}',
      '{"json":null,"meta":[[0,"a","__proto__","b"]]}',
    ])('a body that only looks like a request is refused as one: %s', async (body) => {
      const headers = { origin: 'http://localhost', 'content-type': 'application/json' }
      expect((await world.send('POST', '/console/rpc/session/current', body, { headers })).status).toBe(400)
    })

    test('a form, which other sites can send, is no request', async () => {
      const form = await owner.call('apps/list', undefined, { 'content-type': 'application/x-www-form-urlencoded' })
      expect(form.status).toBe(400)
    })

    test('GET changes and tells nothing', async () => {
      const answer = await world.send('GET', '/console/rpc/apps/list', undefined, { headers: { cookie: owner.cookie } })
      expect(answer.status).toBe(404)
    })

    test('an API key opens nothing here', async () => {
      const stranger = new ConsoleClient(world)
      for (const key of [keys.live, keys.test]) {
        const answer = await stranger.call('apps/list', undefined, { authorization: `Bearer ${key}` })
        expect(answer.status).toBe(401)
      }
    })

    test('a session opens nothing under /v1', async () => {
      const answer = await world.send('GET', '/v1/balance', undefined, { headers: { cookie: owner.cookie } })
      expect(answer.status).toBe(401)
    })
  })

  describe('roles', () => {
    test('every procedure names its permission, and all but the door need one', () => {
      const open = PROCEDURES.filter(([, permission]) => permission === null).map(([path]) => path)
      expect(open.sort()).toEqual(
        ['accept', 'current', 'invitation', 'setUp', 'signIn'].map((name) => `session/${name}`),
      )
    })

    test.each(PROCEDURES.filter(([, permission]) => permission !== null))('%s needs %s', async (path, permission) => {
      expect((await new ConsoleClient(world).call(path, {})).status).toBe(401)
      for (const role of ROLES) {
        // Ending one's own sessions is tried above.
        if (path.startsWith('session/sign')) continue
        const client = role === 'owner' ? owner : await join(role)
        const { status } = await client.call(path, {})
        expect({ role, isForbidden: status === 403 }).toEqual({
          role,
          isForbidden: permission !== null && !may(role, permission),
        })
      }
    })

    test('a role that is changed counts at once', async () => {
      const client = await join('developer')
      const { operator } = (await client.call('session/current')).body
      await owner.call('operators/changeRole', { operatorId: operator.operatorId, role: 'viewer' })
      const create = { appId: keys.appId, kind: 'sk', mode: 'test' }
      expect((await client.call('keys/create', create)).status).toBe(403)
    })

    test('the last owner stays one', async () => {
      const { operator } = (await owner.call('session/current')).body
      const id = { operatorId: operator.operatorId }
      expect((await owner.call('operators/changeRole', { ...id, role: 'viewer' })).status).toBe(400)
      expect((await owner.call('operators/remove', id)).status).toBe(400)
    })

    test('who may no longer invite has invited nobody', async () => {
      const second = await join('owner')
      const { url } = (await second.call('operators/invite', { role: 'owner' })).body
      const { operator } = (await second.call('session/current')).body
      await owner.call('operators/changeRole', { operatorId: operator.operatorId, role: 'viewer' })
      const person = { name: 'Eve', email: 'eve@example.com', password: PASSWORD }
      const accept = { token: tokenOf(url), ...person }
      expect((await new ConsoleClient(world).call('session/accept', accept)).status).toBe(404)
    })

    test('an invitation works once, can be withdrawn, and ends after three days', async () => {
      const person = { name: 'Eve', email: 'eve@example.com', password: PASSWORD }
      const accept = (url: string, email = person.email) =>
        new ConsoleClient(world).call('session/accept', { token: tokenOf(url), ...person, email })
      const used = (await owner.call('operators/invite', { role: 'viewer' })).body.url
      expect([(await accept(used)).status, (await accept(used, 'x@example.com')).status]).toEqual([200, 404])
      const withdrawn = (await owner.call('operators/invite', { role: 'viewer' })).body.url
      const [{ invitationId }] = (await owner.call('operators/list')).body.invitations
      await owner.call('operators/withdraw', { invitationId })
      const late = (await owner.call('operators/invite', { role: 'viewer' })).body.url
      expect((await accept(withdrawn, 'y@example.com')).status).toBe(404)
      world.clock.step(3 * DAY_MS)
      expect((await accept(late, 'z@example.com')).status).toBe(404)
    })
  })

  describe('a second factor', () => {
    const codeOf = (secret: string) =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: world.clock.now() })

    test('is asked for once it was proved, and can be taken off with the password', async () => {
      for (const current of ['', 'not the password']) {
        const { status, body } = await owner.call('session/totpBegin', { current })
        expect([status, body.data]).toEqual([400, { param: 'current', reason: 'wrong_password' }])
      }
      const { secret } = (await owner.call('session/totpBegin', { current: PASSWORD })).body
      expect((await signIn(new ConsoleClient(world))).status).toBe(200)
      expect((await owner.call('session/totpConfirm', { totp: '000000' })).status).toBe(400)
      expect((await owner.call('session/totpConfirm', { totp: codeOf(secret) })).status).toBe(200)
      const without = await signIn(new ConsoleClient(world))
      expect([without.status, without.body.data]).toEqual([401, { reason: 'totp_needed' }])
      expect((await signIn(new ConsoleClient(world), { totp: '000000' })).status).toBe(401)
      // The code that proved it is spent.
      world.clock.step(30_000)
      const code = codeOf(secret)
      expect((await signIn(new ConsoleClient(world), { totp: code })).status).toBe(200)
      // Whoever has seen it being typed comes too late.
      expect((await signIn(new ConsoleClient(world), { totp: code })).status).toBe(401)
      // A stolen session cannot put another factor in its place.
      const other = (await owner.call('session/totpBegin', { current: PASSWORD })).body.secret
      expect((await owner.call('session/totpConfirm', { totp: codeOf(other) })).status).toBe(400)
      expect((await owner.call('session/totpRemove', { current: 'wrong' })).status).toBe(400)
      expect((await owner.call('session/totpRemove', { current: PASSWORD })).status).toBe(200)
      expect((await signIn(new ConsoleClient(world))).status).toBe(200)
    })

    describe('that was shown and not proved yet', () => {
      const begin = async (client = owner) =>
        (await client.call('session/totpBegin', { current: PASSWORD })).body.secret
      const confirm = (secret: string, client = owner) => client.call('session/totpConfirm', { totp: codeOf(secret) })
      const refused = { status: 400, body: { data: { param: 'totp', reason: 'totp_begin_anew' } } }

      test('can be proved for ten minutes', async () => {
        const [early, late] = [await join('viewer'), await join('viewer')]
        const secrets = [await begin(early), await begin(late)] as const
        world.clock.step(10 * MINUTE_MS - 1)
        expect((await confirm(secrets[0], early)).status).toBe(200)
        world.clock.step(1)
        expect(await confirm(secrets[1], late)).toMatchObject(refused)
        expect((await late.call('session/current')).body.operator.hasTotp).toBe(false)
      })

      test('is its operator’s alone, and the one shown last', async () => {
        const viewer = await join('viewer')
        const first = await begin()
        expect(await confirm(first, viewer)).toMatchObject(refused)
        const second = await begin()
        expect((await confirm(first)).body.data.reason).toBe('totp_wrong')
        expect((await confirm(second)).status).toBe(200)
      })

      test('is forgotten once it is proved: taken off, it does not come back by itself', async () => {
        const secret = await begin()
        expect((await confirm(secret)).status).toBe(200)
        expect((await owner.call('session/totpRemove', { current: PASSWORD })).status).toBe(200)
        expect(await confirm(secret)).toMatchObject(refused)
        expect((await owner.call('session/current')).body.operator.hasTotp).toBe(false)
      })
    })

    test('is sealed in the database', async () => {
      const { secret } = (await owner.call('session/totpBegin', { current: PASSWORD })).body
      await owner.call('session/totpConfirm', { totp: codeOf(secret) })
      const [row] = await world.rows<{ totp_secret: Uint8Array }>('SELECT totp_secret FROM operators')
      expect(Buffer.from(row?.totp_secret ?? []).toString('latin1')).not.toContain(secret)
    })
  })

  describe('what is stored of a phone', () => {
    const phoneNumber = '010-1234-5678'
    beforeEach(async () => {
      const order = { phoneNumber, purpose: 'login', idempotencyKey: 'k', metadata: { plan: 'pro' } }
      expect((await world.call('rest', 'issue', order, { key: keys.live })).status).toBe(200)
      await world.settle()
    })

    test('is read back, told and erased by an owner, from the console, and the log has no number', async () => {
      expect((await owner.call('privacy/read', { phoneNumber })).body).toEqual({ phoneNumber: '+821012345678' })
      const { head, issues } = (await owner.call('privacy/export', { phoneNumber, appId: keys.appId })).body
      expect(head).toMatchObject({ format: 'watchword-phone-export', phoneNumber: '+821012345678' })
      expect(issues).toMatchObject([{ purpose: 'login', metadata: { plan: 'pro' } }])
      expect((await owner.call('privacy/erase', { phoneNumber })).body).toEqual({
        erased: { issues: 1, counted: 1, events: 0 },
      })
      const { issues: left } = (await owner.call('privacy/export', { phoneNumber })).body
      expect(left[0]).toMatchObject({ erasedAt: expect.any(String) })
      expect(left[0].metadata).toBeUndefined()
      const { operator } = (await owner.call('session/current')).body
      const { rows } = (await owner.call('audit/list', { limit: 4 })).body
      expect(rows.map(({ action }: { action: string }) => action)).toEqual([
        ...['privacy.export', 'privacy.erased', 'privacy.erase', 'privacy.export'],
      ])
      for (const row of rows) expect(row).toMatchObject({ actor: operator.operatorId, ip: '127.0.0.1' })
      expect(JSON.stringify(rows)).not.toContain('12345678')
    })

    test('is no number, or nobody’s', async () => {
      for (const wrong of ['nobody', '010-0000-0000'])
        for (const procedure of ['read', 'export', 'erase'])
          expect(await owner.call(`privacy/${procedure}`, { phoneNumber: wrong })).toMatchObject({
            status: 400,
            body: { data: { param: 'phoneNumber' } },
          })
      expect((await owner.call('privacy/erase', { phoneNumber, appId: 'app_none' })).status).toBe(404)
    })

    test('belongs to nobody else’s role', async () => {
      for (const role of ['developer', 'viewer'] as const) {
        const client = await join(role)
        for (const procedure of ['read', 'export', 'erase'])
          expect((await client.call(`privacy/${procedure}`, { phoneNumber })).status).toBe(403)
      }
      expect((await owner.call('privacy/export', { phoneNumber })).body.issues[0].erasedAt).toBeUndefined()
    })

    test('is kept as long as the app says, which is shown', async () => {
      const shown = async () => (await owner.call('apps/list')).body
      expect(await shown()).toMatchObject({ liveRetentionDays: 180 })
      for (const retentionDays of [30, undefined]) {
        expect((await owner.call('apps/setRetention', { appId: keys.appId, retentionDays })).status).toBe(200)
        expect((await shown()).apps[0].retentionDays).toBe(retentionDays)
      }
      expect(await owner.call('apps/setRetention', { appId: keys.appId, retentionDays: 1 })).toMatchObject({
        status: 400,
        body: { data: { param: 'days', reason: 'out_of_range' } },
      })
    })
  })

  describe('the audit log', () => {
    const entries = async () => (await owner.call('audit/list', {})).body.rows
    const verify = async () => (await owner.call('audit/verify')).body

    test('has who did what and from where, and no secret', async () => {
      const made = await owner.call('keys/create', { appId: keys.appId, kind: 'sk', mode: 'test' })
      await owner.call('keys/revoke', { keyId: made.body.keyId })
      await owner.call('wallet/topUp', { appId: keys.appId, amount: 5, reference: 'invoice-1' })
      const [topUp, revoke, create] = await entries()
      const { operator } = (await owner.call('session/current')).body
      expect(create).toMatchObject({
        actor: operator.operatorId,
        action: 'key.create',
        target: made.body.keyId,
        ip: '127.0.0.1',
      })
      expect([revoke.action, topUp.action, topUp.detail]).toEqual([
        'key.revoke',
        'credit.credit',
        { amountDelta: 5, reference: 'invoice-1' },
      ])
      const log = JSON.stringify(await entries())
      for (const secret of [made.body.key, PASSWORD, owner.cookie.split('=')[1] ?? ''])
        expect(log).not.toContain(secret)
    })

    test.each([
      ['changed', "UPDATE audit_entries SET detail = '{}' WHERE seq = 3"],
      ['left out', 'DELETE FROM audit_entries WHERE seq = 3'],
      ['given another name', "UPDATE audit_entries SET actor = 'op_somebody' WHERE seq = 3"],
    ])('tells that an entry was %s', async (_, sabotage) => {
      for (let n = 0; n < 5; n++) await owner.call('apps/create', { name: `app ${n}` })
      expect(await verify()).toMatchObject({ isIntact: true })
      await world.write(sabotage)
      expect(await verify()).toMatchObject({ isIntact: false })
    })

    test('a change that is refused leaves no entry', async () => {
      const before = (await entries()).length
      await owner.call('webhooks/add', {
        appId: keys.appId,
        mode: 'live',
        url: 'nonsense',
        events: ['otp.sent'],
        filters: {},
        template: '',
      })
      await owner.call('wallet/clawback', { appId: keys.appId, amount: 1_000_000_000 })
      expect((await entries()).filter(({ action }: { action: string }) => action.startsWith('webhook'))).toEqual([])
      expect((await entries()).length - before).toBeLessThanOrEqual(1)
    })
  })
})
