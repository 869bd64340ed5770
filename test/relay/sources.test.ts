/** Relays: other platforms hand over codes, each in its own words. Decisions: "Relays". */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { RELAY_SOURCES, type RelaySource } from '../../src/domain/relays/relay'
import * as administer from '../../src/usecases/administer'
import { HANGS_AFTER_MS } from '../support/until'
import { type Furnished, World } from '../support/world'

setDefaultTimeout(HANGS_AFTER_MS)

const TO = '+821012345678'
const PLATFORM_SECRET = Buffer.from('a secret of the platform, long').toString('base64')

type Signed = Record<string, string>
const hmac = (key: string | Buffer, text: string, encoding: 'hex' | 'base64') =>
  createHmac('sha256', key).update(text).digest(encoding)
const json = { 'content-type': 'application/json' }

let tries = 0
/** How each platform signs, as its documentation has it; `at`: seconds. */
const standard = (prefix: string) => (body: string, secret: string, at: number) => {
  // Supabase names each try anew, Svix the message.
  const id = prefix === 'svix' ? `msg_${hmac('', body, 'hex')}` : `msg_${tries++}`
  const key = Buffer.from(secret.replace(/^(v1,)?whsec_/, ''), 'base64')
  const signature = `v1,${hmac(key, `${id}.${at}.${body}`, 'base64')}`
  const other = `v1,${hmac('another', body, 'base64')}`
  return {
    ...json,
    ...{ [`${prefix}-id`]: id, [`${prefix}-timestamp`]: String(at), [`${prefix}-signature`]: `${other}, ${signature}` },
  }
}
const bearer = (_: string, secret: string) => ({ ...json, authorization: `Bearer ${secret}` })

interface Platform {
  sign(body: string, secret: string, at: number): Signed
  body(code: string): object
  /** Its signature ends. */
  isTimed?: true
  /** The text that goes out; undefined: our template. */
  text?(code: string): string
}

const PLATFORMS: Record<RelaySource, Platform> = {
  supabase: {
    sign: standard('webhook'),
    isTimed: true,
    body: (otp) => ({
      metadata: { uuid: crypto.randomUUID(), name: 'send-sms', ip_address: '203.0.113.9' },
      user: { id: '6481a5c1-3d37-4a56-9f6a-bee08c554965', phone: TO.slice(1) },
      sms: { otp, phone: TO.slice(1), sms_type: 'mfa' },
    }),
  },
  kratos: {
    sign: bearer,
    body: (code) => ({ to: TO, text: `Your login code: ${code}`, type: 'login_code_valid', code }),
    text: (code) => `Your login code: ${code}`,
  },
  zitadel: {
    sign: (body, secret, at) => ({
      ...json,
      'zitadel-signature': `t=${at},v1=${hmac('former', body, 'hex')},v1=${hmac(secret, `${at}.${body}`, 'hex')}`,
    }),
    isTimed: true,
    body: (oTP) => ({
      contextInfo: { eventType: 'session.otp.sms.challenged', recipientPhoneNumber: TO },
      templateData: { title: 'untranslated', text: `${oTP} is your OTP` },
      args: { oTP, lastPhone: TO, expiry: 300_000_000_000 },
    }),
    text: (code) => `${code} is your OTP`,
  },
  logto: {
    sign: (_, secret) => ({ ...json, authorization: secret }),
    body: (code) => ({ to: TO.slice(1), type: 'SignIn', payload: { code, locale: 'en' }, ip: '203.0.113.9' }),
  },
  authgear: {
    sign: (body, secret) => ({ ...json, 'x-authgear-body-signature': hmac(secret, body, 'hex') }),
    body: (code) => ({
      ...{ to: TO, body: `Code: ${code}`, language_tag: 'en', template_name: 'authenticate_primary_oob_sms.txt' },
      template_variables: { code },
    }),
    text: (code) => `Code: ${code}`,
  },
  clerk: {
    sign: standard('svix'),
    isTimed: true,
    body: (otp_code) => ({
      type: 'sms.created',
      data: { to_phone_number: TO, message: `${otp_code} is your code`, slug: 'verification_code', data: { otp_code } },
    }),
    text: (code) => `${code} is your code`,
  },
  authsignal: {
    sign: (body, secret, at) => ({
      ...json,
      'x-signature-v2': `t=${at},v2=${hmac(secret, `${at}.${body}`, 'base64').replace('=', '')}`,
    }),
    isTimed: true,
    body: (code) => ({ version: 1, id: code, type: 'sms.created', data: { to: TO, code, idempotencyKey: `i${code}` } }),
  },
  otpgateway: {
    sign: (_, secret) => ({ ...json, authorization: `Basic ${Buffer.from(`user:${secret}`).toString('base64')}` }),
    body: (otp) => ({ otp: { namespace: 'app', id: 'u1', to: TO, otp }, subject: '', body: `Code ${otp}` }),
    text: (code) => `Code ${code}`,
  },
  plain: {
    sign: bearer,
    body: (code) => ({ to: TO, text: `Keycloak: ${code}` }),
    text: (code) => `Keycloak: ${code}`,
  },
}

let world: World
let keys: Furnished
beforeEach(async () => {
  world = await World.start()
  keys = await world.furnish()
})
afterEach(() => world.stop())

const nowSec = () => Math.floor(world.clock.now() / 1_000)

async function open(source: RelaySource, more: Partial<administer.WantedRelay> = {}) {
  const wanted = { name: 'login', source, mode: 'live' as const, ...more }
  const { relay, newSecret } = await administer.addRelay(world.admin, keys.appId, wanted)
  if (newSecret === undefined) await administer.changeRelaySecret(world.admin, relay.relayId, PLATFORM_SECRET)
  return { path: `/relay/${source}/${relay.relayId}`, relay, secret: newSecret ?? PLATFORM_SECRET }
}

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
    expect(received().length).toBe(1)
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

  test('of a test relay is sent nowhere and costs nothing', async () => {
    const { path, secret } = await open('plain', { mode: 'test' })
    expect((await hand(path, secret, { to: TO, text: 'Code 482913' })).status).toBe(200)
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

  test('is held by caps of its prefix, without a rule about typing', async () => {
    const { path, secret } = await open('plain')
    const statuses: number[] = []
    for (let n = 0; n < 80; n++)
      statuses.push((await hand(path, secret, { to: `+8210123400${10 + n}`, code: `48${1000 + n}`, text: 'x' })).status)
    expect(statuses.filter((status) => status === 200).length).toBe(60)
    expect(new Set(statuses.slice(60))).toEqual(new Set([429]))
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
