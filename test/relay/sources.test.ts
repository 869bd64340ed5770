/** Relays: other platforms hand over codes, each in its own words. Decisions: "Relays". */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { RELAY_SOURCES, type RelaySource } from '../../src/domain/relays/relay'
import * as administer from '../../src/usecases/administer'
import { erasePhone } from '../../src/usecases/erase-phone'
import { exportPhone } from '../../src/usecases/export-phone'
import { HANGS_AFTER_MS } from '../support/until'
import { UNTOLD } from '../support/untold'
import { type Furnished, World } from '../support/world'
import { bearer, json, openRelay, PLATFORMS, type Signed, TO } from './platforms'

setDefaultTimeout(HANGS_AFTER_MS)

let world: World
let keys: Furnished
beforeEach(async () => {
  world = await World.start()
  keys = await world.furnish()
})
afterEach(() => world.stop())

const nowSec = () => Math.floor(world.clock.now() / 1_000)

const open = (source: RelaySource, more: Partial<administer.WantedRelay> = {}) =>
  openRelay(world, keys.appId, source, more)

async function post(path: string, body: object | string, headers: Signed) {
  const answer = await world.send('POST', path, typeof body === 'string' ? body : JSON.stringify(body), { headers })
  await world.settle()
  return answer
}

const received = () => world.sms.requests.map(({ to, text }) => ({ to, text }))

describe.each([...RELAY_SOURCES])('%s', (source) => {
  const platform = PLATFORMS[source]

  test('hands over a code: one text for it, one credit, also where it tries again', async () => {
    const { path, secret } = await open(source)
    const body = JSON.stringify(platform.body('482913'))
    for (const later of [0, 1, 2]) {
      const answer = await post(path, body, platform.sign(body, secret, nowSec() + later))
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toStartWith('application/json')
      if (source === 'authgear') expect(answer.body).toEqual({ code: 'ok', info: { provider_name: 'watchword' } })
      expect(JSON.stringify(answer.body)).not.toMatch(/482913|12345678/)
    }
    const [message, ...more] = received()
    expect(more).toEqual([])
    expect(message?.to).toBe(TO)
    if (platform.text) expect(message?.text).toBe(platform.text('482913'))
    else expect(message?.text).toContain('482913')
    expect(await world.rows('SELECT balance, reserved FROM wallets')).toEqual([{ balance: 1_000, reserved: 1 }])
    expect(
      await world.report('main', { messageId: world.sms.requests[0]?.messageId ?? '', status: 'delivered' }),
    ).toMatchObject({ status: 200 })
    expect(await world.rows('SELECT balance, reserved FROM wallets')).toEqual([{ balance: 999, reserved: 0 }])
    const another = JSON.stringify(platform.body('5917GH'.replace('GH', '38')))
    expect((await post(path, another, platform.sign(another, secret, nowSec()))).status).toBe(200)
    expect(received().length).toBe(2)
  })

  test('is refused with a wrong secret, a changed body and at another relay, and nothing is sent', async () => {
    const { path, secret } = await open(source)
    const other = await open(source === 'plain' ? 'kratos' : 'plain', { name: 'other' })
    const body = JSON.stringify(platform.body('482913'))
    const signed = platform.sign(body, secret, nowSec())
    const attacks: Array<[string, string, Signed]> = [
      [path, body, platform.sign(body, 'x'.repeat(32), nowSec())],
      [path, body, json],
      [other.path, body, signed],
      [`/relay/${source}/rly_unknown`, body, signed],
    ]
    if (!['kratos', 'logto', 'otpgateway', 'plain'].includes(source))
      attacks.push([path, body.replace('482913', '482914'), signed])
    for (const [at, text, headers] of attacks) expect((await post(at, text, headers)).status).toBe(401)
    expect(received()).toEqual([])
  })

  test('is told in its own words what is refused', async () => {
    const { path, secret } = await open(source)
    const body = JSON.stringify(platform.body('482913')).replaceAll(TO.slice(1), '821')
    const { status, body: said } = await post(path, body, platform.sign(body, secret, nowSec()))
    if (source === 'supabase') {
      expect(status).toBe(200)
      expect(said.error).toMatchObject({ http_code: 400, message: expect.any(String) })
    } else {
      expect(status).toBe(400)
      if (source === 'authgear') expect(said.code).toBe('invalid_phone_number')
    }
    expect(received()).toEqual([])
  })
})

describe.each(RELAY_SOURCES.filter((source) => PLATFORMS[source].isTimed))('a request of %s', (source) => {
  const platform = PLATFORMS[source]

  test('is refused 301 seconds later, and earlier', async () => {
    const { path, secret } = await open(source)
    const body = JSON.stringify(platform.body('482913'))
    for (const apart of [-301, 301])
      expect((await post(path, body, platform.sign(body, secret, nowSec() + apart))).status).toBe(401)
    expect((await post(path, body, platform.sign(body, secret, nowSec() - 299))).status).toBe(200)
  })

  test('is refused where somebody recorded it and sends it again, and no second text goes out', async () => {
    const { path, secret } = await open(source)
    const body = JSON.stringify(platform.body('482913'))
    const signed = platform.sign(body, secret, nowSec())
    expect((await post(path, body, signed)).status).toBe(200)
    expect((await post(path, body, signed)).status).toBe(401)
    // Nor with more beside the signature, or with the header of another platform.
    for (const [name, value] of Object.entries(signed).filter(([name]) => name.includes('signature'))) {
      const more = { [name]: source === 'zitadel' || source === 'authsignal' ? `${value},v0=x` : `${value} v0,x` }
      expect((await post(path, body, { ...signed, ...more })).status).toBe(401)
    }
    if (source === 'zitadel' || source === 'authsignal')
      expect((await post(path, body, { ...signed, 'webhook-signature': 'v1,x' })).status).toBe(401)
    expect(received().length).toBe(1)
  })
})

test('what Clerk delivers itself is not sent a second time, and other events are taken', async () => {
  const { path, secret } = await open('clerk')
  const { data } = PLATFORMS.clerk.body('482913') as { data: object }
  for (const event of [
    { type: 'sms.created', data: { ...data, delivered_by_clerk: true } },
    { type: 'user.created', data: {} },
  ]) {
    const body = JSON.stringify(event)
    expect((await post(path, body, PLATFORMS.clerk.sign(body, secret, nowSec()))).status).toBe(200)
  }
  expect(received()).toEqual([])
})

test('Authgear is told apart a wrong number and a message without a code', async () => {
  const { path, secret } = await open('authgear')
  for (const [message, code] of [
    [{ to: '+821', body: 'Code: 482913' }, 'invalid_phone_number'],
    [{ to: TO, body: 'Follow https://example.com' }, 'unsupported_request'],
  ] as const) {
    const body = JSON.stringify(message)
    const { body: said } = await post(path, body, PLATFORMS.authgear.sign(body, secret, nowSec()))
    expect(said.code).toBe(code)
    // Its description may reach the user: no link to our own documentation.
    expect(said.description).not.toContain('/docs')
  }
})

const REASONS = {
  'a limit': [429, () => administer.blockPlace(world.admin, keys.appId, { country: 'KR' })],
  'an empty wallet': [
    402,
    () => administer.clawBackCredit(world.admin, { appId: keys.appId, amount: 1_000, reference: 'x' }),
  ],
} as const

describe.each(Object.entries(REASONS))('%s', (_, [expected, cause]) => {
  test.each(['supabase', 'logto', 'authgear', 'plain'] as const)('is no word to users of %s', async (source) => {
    const { path, secret } = await open(source)
    await world.run<unknown>(cause())
    const body = JSON.stringify(PLATFORMS[source].body('482913'))
    const { status, body: said } = await post(path, body, PLATFORMS[source].sign(body, secret, nowSec()))
    const message = 'No code can be sent at the moment. Try again later'
    const words = said.error?.message ?? said.error ?? said.description ?? said
    expect([source === 'supabase' ? said.error.http_code : status, words]).toEqual([expected, message])
  })
})

describe('a relayed code', () => {
  const hand = async (path: string, secret: string, body: object) => {
    const text = JSON.stringify(body)
    return post(path, text, bearer(text, secret))
  }

  test('is no issue of /v1: not listed, not read, not verified', async () => {
    const { path, secret } = await open('plain')
    const { body } = await hand(path, secret, { to: TO, text: 'Code 48291356' })
    const issueId = body.id
    for (const wire of ['rest', 'rpc'] as const) {
      const call = (operation: Parameters<World['call']>[1], input: object) =>
        world.call(wire, operation, input, { key: keys.live })
      expect((await call('status', { issueId })).status).toBe(404)
      expect((await call('getIssue', { issueId })).status).toBe(404)
      expect((await call('listIssues', {})).body.items).toEqual([])
      const verdict = await call('verify', { issueId, code: '48291356', phoneNumber: TO })
      if (verdict.status === 200) expect(verdict.body).toMatchObject({ verified: false, reasonCode: 'NOT_FOUND' })
      else expect(verdict.status).toBe(400)
      expect((await call('verify', { issueId, code: '482913' })).body).toMatchObject({ reasonCode: 'NOT_FOUND' })
    }
    // Nor does one of /v1 for the same phone replace it, or it that one.
    const own = await world.call(
      'rest',
      'issue',
      { phoneNumber: TO, purpose: 'login', idempotencyKey: 'k' },
      { key: keys.live },
    )
    await hand(path, secret, { to: TO, text: 'Code 11112222' })
    const status = await world.call('rest', 'status', { issueId: own.body.issueId }, { key: keys.live })
    expect(status.body.overallStatus).toBe('in_progress')
  })

  test('is charged in the ledger without the id of an issue', async () => {
    const { path, secret } = await open('plain')
    await hand(path, secret, { to: TO, text: 'Code 48291356' })
    await world.settle()
    await world.report('main', { messageId: world.sms.accepted[0]?.messageId ?? '', status: 'delivered' })
    await world.settle()
    const { items } = (await world.call('rest', 'listCreditLedger', {}, { key: keys.live })).body
    expect(items[0]).toMatchObject({ entryType: 'debit', amountDelta: -1 })
    expect(items[0]).not.toHaveProperty('issueId')
  })

  test('may be 4 to 10 letters or digits, and nothing else', async () => {
    const { path, secret } = await open('plain')
    for (const code of ['4821', 'VBX53M', '1234567890'])
      expect((await hand(path, secret, { to: TO, code, text: `Code: ${code}` })).status).toBe(200)
    for (const code of ['482', '12345678901', '12 34', 'ab\n12'])
      expect((await hand(path, secret, { to: TO, code, text: 'x' })).status).toBe(400)
    expect((await hand(path, secret, { to: TO, text: 'no code here' })).status).toBe(400)
    expect((await hand(path, secret, { to: TO, code: '4821', text: 'a\u0000b 4821' })).status).toBe(400)
  })

  test('is sealed while it waits and gone afterwards, and stands in no row', async () => {
    const { path, secret } = await open('plain')
    await hand(path, secret, { to: TO, code: 'QX77ZP', text: 'Code QX77ZP' })
    await world.advance(1_000)
    for (const { name } of await world.rows<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'"))
      expect(JSON.stringify(await world.rows(`SELECT * FROM "${name}"`))).not.toMatch(/QX77ZP|12345678/)
  })

  test('is exported and erased with its phone', async () => {
    const { path, secret } = await open('plain')
    const { body } = await hand(path, secret, { to: TO, text: 'Code 482913' })
    const { numbering, idempotencyDays } = world.config
    const deps = { ...world.admin, numbering, idempotencyDays, telemetry: UNTOLD }
    const { issues } = await world.run(exportPhone(deps, { phoneNumber: TO }))
    expect(issues.map(({ issueId }) => issueId)).toEqual([body.id])
    await world.report('main', { messageId: world.sms.requests[0]?.messageId ?? '', status: 'delivered' })
    await world.run(erasePhone(deps, { phoneNumber: TO }))
    // The row is counted for some days more, as those of `/v1` are.
    expect(await world.rows('SELECT erased_at IS NOT NULL AS gone, metadata, prefix_hash FROM issues')).toEqual([
      { gone: 1, metadata: null, prefix_hash: null },
    ])
    expect(await world.rows('SELECT * FROM outbox')).toEqual([])
  })

  test('is told by message events, never by those of codes', async () => {
    const { path, secret } = await open('plain')
    const url = 'http://hooks.test/'
    const events = ['otp.sent', 'otp.delivered', 'otp.expired', 'message.sent', 'message.delivered', 'message.failed']
    await administer.addEndpoint(world.admin, { appId: keys.appId, mode: 'live', url, events })
    await hand(path, secret, { to: TO, text: 'Code 482913' })
    await world.report('main', { messageId: world.sms.requests[0]?.messageId ?? '', status: 'delivered' })
    await world.advance(11 * 60_000)
    const told = await world.rows<{ type: string }>('SELECT type FROM webhook_events')
    expect(told.map(({ type }) => type).sort()).toEqual(['message.delivered', 'message.sent'])
  })

  test('of a test relay is sent nowhere, costs nothing, and keeps nothing of the number', async () => {
    const { path, secret } = await open('plain', { mode: 'test' })
    for (const to of [TO, '+821087654321'])
      expect((await hand(path, secret, { to, text: 'Code 482913' })).status).toBe(200)
    const hashes = await world.rows<{ hash: string }>('SELECT hex(phone_hash) AS hash FROM issues')
    const ofNumber = world.admin.vault.phoneHash(TO).toHex().toUpperCase()
    expect(hashes.length).toBe(2)
    expect(hashes.map(({ hash }) => hash)).not.toContain(ofNumber)
    expect(received()).toEqual([])
    expect(await world.rows('SELECT balance FROM wallets')).toEqual([{ balance: 1_000 }])
  })

  test('goes by the legs of the relay, and by its template', async () => {
    const legs = [{ channel: 'alimtalk', waitSec: 8 }, { channel: 'sms' }] as const
    const { path, secret } = await open('plain', { legs, templateId: 'otp_default_en' })
    await hand(path, secret, { to: TO, code: '482913', text: 'not this one' })
    expect(world.kakao.requests.length).toBe(1)
    await world.advance(9_000)
    expect(received().map(({ text }) => text)).toEqual([
      'Your verification code is 482913. Do not share it with anyone.',
    ])
  })

  test('goes by the plan of its app where the relay has no legs', async () => {
    const legs = [{ channel: 'alimtalk', waitSec: 8 }, { channel: 'sms' }] as const
    await administer.setPlan(world.admin, keys.appId, { channel: 'sms', country: undefined, legs })
    const { path, secret } = await open('plain')
    await hand(path, secret, { to: TO, code: '482913', text: 'yours' })
    expect([world.kakao.requests.length, received().length]).toEqual([1, 0])
    await world.advance(9_000)
    expect(received().length).toBe(1)
  })

  test('with the code of another occasion is another message', async () => {
    const { path, secret } = await open('plain')
    for (const type of ['login', 'login', 'recovery'])
      expect((await hand(path, secret, { to: TO, code: '4829', type, text: `${type} 4829` })).status).toBe(200)
    expect(received().map(({ text }) => text)).toEqual(['login 4829', 'recovery 4829'])
  })

  test('is held by caps of its prefix, without a rule about typing', async () => {
    const { path, secret } = await open('plain')
    const statuses: number[] = []
    for (let n = 0; n < 310; n++)
      statuses.push((await hand(path, secret, { to: `+82101234${1000 + n}`, code: `48${1000 + n}`, text: 'x' })).status)
    expect(statuses.filter((status) => status === 200).length).toBe(300)
    expect(new Set(statuses.slice(300))).toEqual(new Set([429]))
  })

  test('has a limit for one end user who presses "send" again and again, and leaves all others theirs', async () => {
    const { path, secret } = await open('plain')
    const send = (n: number, ip: string) =>
      hand(path, secret, { to: `+8210${2000 + 37 * n}${1000 + n}`, code: `48${1000 + n}`, text: 'x', ip })
    const stranger: number[] = []
    for (let n = 0; n < 40; n++) stranger.push((await send(n, '198.51.100.7')).status)
    expect(stranger.filter((status) => status === 200).length).toBe(10)
    for (let n = 40; n < 60; n++) expect((await send(n, `203.0.113.${n}`)).status).toBe(200)
  })

  test('is not held by the limit of browser keys: sixty people in a minute are no crowd', async () => {
    const { path, secret } = await open('plain')
    for (let n = 0; n < 100; n++) {
      const to = `+8210${2000 + 37 * n}${1000 + n}`
      expect([to, (await hand(path, secret, { to, code: `48${1000 + n}`, text: 'x' })).status]).toEqual([to, 200])
    }
  })

  test('goes on with the secret before for a day', async () => {
    const { path, secret, relay } = await open('plain')
    const { newSecret = '' } = await administer.changeRelaySecret(world.admin, relay.relayId, undefined)
    for (const [n, one] of [secret, newSecret].entries())
      expect((await hand(path, one, { to: TO, code: `48291${n}`, text: 'x' })).status).toBe(200)
    world.clock.step(24 * 3_600_000)
    expect((await hand(path, secret, { to: TO, code: '482915', text: 'x' })).status).toBe(401)
    expect((await hand(path, newSecret, { to: TO, code: '482916', text: 'x' })).status).toBe(200)
    await administer.removeRelay(world.admin, relay.relayId)
    expect((await hand(path, newSecret, { to: TO, code: '482917', text: 'x' })).status).toBe(401)
  })
})
