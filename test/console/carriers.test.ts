/** Carriers and delivery plans that operators set up in the console: credentials go in and never come out. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
// Loaded now: the first request would wait for it, and virtual time would pass.
import '../../src/console/rpc'
import type { Transport, TransportResult } from '../../src/ports/network'
import { forgetFormerCredentials } from '../../src/usecases/administer'
import { setUpToken } from '../../src/usecases/people'
import { answered } from '../support/carrier'
import { type Furnished, World } from '../support/world'
import { ConsoleClient } from './client'

const SID = `AC${'0'.repeat(32)}`
const TOKEN = 'an-auth-token-that-nobody-sees-again'
const TWILIO = {
  name: 'twilio',
  type: 'twilio',
  channels: ['sms'],
  settings: { accountSid: SID, authToken: TOKEN, from: '+15005550006' },
}

let world: World
let keys: Furnished
let owner: ConsoleClient
/** The answer of the vendor instead of its acceptance. */
let refusal: TransportResult | undefined
let sent: Array<Parameters<Transport['request']>[0]>
/** Every answer of the console. */
let answers: string[]

const asked = async (path: string, input?: unknown) => {
  const { status, body } = await owner.call(path, input)
  answers.push(JSON.stringify(body))
  return status === 200 ? body : [status, body.data]
}
const stored = async (name: string) => (await world.store.read.carriers.all()).find((one) => one.name === name)

beforeEach(async () => {
  sent = []
  refusal = undefined
  answers = []
  const vendors: Transport = {
    async request(request) {
      sent.push(request)
      if (request.url.includes('/message_templates') && request.method === 'GET')
        return answered(200, { data: [{ name: 'otp_code', language: 'ko', status: 'APPROVED' }] })
      return refusal ?? answered(201, { sid: `SM${'0'.repeat(32)}` })
    },
  }
  world = await World.start({ wrapTransport: () => vendors })
  keys = await world.furnish()
  owner = new ConsoleClient(world)
  const token = await setUpToken(world)
  await owner.call('session/setUp', { token, name: 'Ann', email: 'ann@example.com', password: 'correct horse battery' })
})
afterEach(() => world.stop())

test('every type is listed, with what an operator fills in', async () => {
  const { types } = await asked('carriers/types')
  expect(types.length).toBeGreaterThan(20)
  const [twilio, nhn, http] = ['twilio', 'nhn', 'http'].map((name) =>
    types.find(({ type }: { type: string }) => type === name),
  )
  expect(twilio).toMatchObject({ title: 'Twilio', channels: ['sms'], documentation: expect.stringMatching(/^https:/) })
  expect(twilio.settings).toContainEqual({
    name: 'authToken',
    title: 'Auth token',
    help: expect.any(String),
    secret: true,
  })
  expect(nhn.settings[0]).toMatchObject({ name: 'sms.appKey', secret: true })
  expect(http.settings.map(({ name }: { name: string }) => name)).toEqual(['url', 'headers', 'senders', 'reports'])
  expect(twilio.settings).toContainEqual(expect.objectContaining({ name: 'senders', optional: true }))
})

describe('a carrier', () => {
  test('is added, sends, and its secret is in no answer, log or entry of the audit log', async () => {
    expect(await asked('carriers/add', TWILIO)).toEqual({
      reportUrl: 'http://localhost/provider-reports/twilio',
      isVerifyToken: false,
    })
    const order = { name: 'twilio', to: '010-1234-0009', channel: 'sms' }
    expect(await asked('carriers/test', order)).toMatchObject({ kind: 'accepted' })
    expect(sent[0]?.headers.authorization).toBe(`Basic ${btoa(`${SID}:${TOKEN}`)}`)
    expect(await asked('carriers/settings', { name: 'twilio' })).toMatchObject({
      type: { title: 'Twilio' },
      channels: ['sms'],
      settings: { accountSid: SID, from: '+15005550006' },
      secrets: ['authToken'],
    })
    await asked('carriers/list')
    const { rows } = await asked('audit/list', {})
    expect(rows[0]).toMatchObject({ action: 'provider.set', target: 'twilio' })
    expect(answers.join()).not.toContain(TOKEN)
    expect(world.logged.join()).not.toContain(TOKEN)
  })

  test('of a name that is taken is refused, and the other one stays as it is', async () => {
    await asked('carriers/add', TWILIO)
    const before = await stored('twilio')
    const other = { ...TWILIO, settings: { ...TWILIO.settings, authToken: 'another' } }
    const taken = (name: string) => [400, { param: 'name', reason: 'name_taken', about: { name } }]
    expect(await asked('carriers/add', other)).toEqual(taken('twilio'))
    expect(await asked('carriers/add', { ...TWILIO, name: 'main' })).toEqual(taken('main'))
    expect(await stored('twilio')).toEqual(before)
  })

  test('with a wrong setting is refused in the words of its type', async () => {
    const wrong = (settings: object) =>
      asked('carriers/add', { ...TWILIO, settings: { ...TWILIO.settings, ...settings } })
    expect(await wrong({ accountSid: 'AC1' })).toEqual([
      400,
      {
        param: 'config.accountSid',
        reason: 'invalid_setting',
        about: { says: 'must be an account SID: AC and 32 hex digits' },
      },
    ])
    expect(await wrong({ from: ' ' })).toEqual([400, { param: 'config.from', reason: 'required' }])
    expect(await wrong({ colour: 'red' })).toEqual([400, { param: 'config.colour', reason: 'unknown_field' }])
    expect(await asked('carriers/add', { ...TWILIO, channels: [] })).toMatchObject([400, { param: 'channel' }])
    expect(await stored('twilio')).toBeUndefined()
  })

  test('is changed: an empty secret keeps the stored one, and another one takes its place', async () => {
    await asked('carriers/add', TWILIO)
    const change = (settings: object) => asked('carriers/change', { name: 'twilio', channels: ['sms'], settings })
    expect(await change({ accountSid: SID, authToken: '', from: 'Acme' })).toEqual({ ok: true })
    expect((await stored('twilio'))?.config).toEqual({ accountSid: SID, authToken: TOKEN, from: 'Acme' })
    await change({ accountSid: SID, authToken: 'a-new-one', from: 'Acme' })
    expect((await stored('twilio'))?.config).toMatchObject({ authToken: 'a-new-one' })
    expect(await asked('carriers/change', { name: 'none', channels: ['sms'], settings: {} })).toMatchObject([404, {}])
    expect(answers.join()).not.toContain('a-new-one')
  })

  test('gives its secrets to another address only if they are typed again', async () => {
    await asked('carriers/add', TWILIO)
    const move = (authToken: string) =>
      asked('carriers/change', {
        name: 'twilio',
        channels: ['sms'],
        settings: { accountSid: SID, authToken, from: 'Acme', apiBase: 'https://elsewhere.example' },
      })
    expect(await move('')).toEqual([400, { param: 'config.authToken', reason: 'required' }])
    expect((await stored('twilio'))?.config.apiBase).toBeUndefined()
    expect(await move(TOKEN)).toEqual({ ok: true })
  })

  test('of groups of settings has those that are filled in', async () => {
    const sms = { 'sms.appKey': 'a', 'sms.secretKey': 's', 'sms.from': '0212345678' }
    const nhn = { name: 'nhn', type: 'nhn', channels: ['sms', 'alimtalk'], settings: sms }
    await asked('carriers/add', nhn)
    const config = { sms: { appKey: 'a', secretKey: 's', from: '0212345678' } }
    expect((await stored('nhn'))?.config).toMatchObject(config)
    const talk = { 'alimtalk.appKey': 'b', 'alimtalk.secretKey': 't', 'alimtalk.senderKey': 'k' }
    const settings = { 'sms.from': '0299999999', ...talk }
    await asked('carriers/change', { name: 'nhn', channels: ['sms'], settings })
    expect(await stored('nhn')).toMatchObject({
      channels: ['sms'],
      config: {
        sms: { ...config.sms, from: '0299999999' },
        alimtalk: { appKey: 'b', secretKey: 't', senderKey: 'k' },
      },
    })
  })

  test('that the command line has set up keeps what is no setting of the form', async () => {
    await world.provide('main', ['sms'], 'https://carrier.example/send?key=k', { idPath: 'data.id' })
    const before = await stored('main')
    expect(await asked('carriers/settings', { name: 'main' })).toMatchObject({
      settings: { reports: 'true' },
      secrets: ['url'],
    })
    const channels = ['sms', 'whatsapp']
    const settings = { reports: 'true' }
    expect(await asked('carriers/change', { name: 'main', channels, settings })).toEqual({ ok: true })
    expect(await stored('main')).toEqual({ ...before, channels, changedAt: expect.any(Number) } as typeof before)
    expect(answers.join()).not.toContain('key=k')
  })

  test('of any HTTP API or SMPP session has headers, numbers and flags of what is typed', async () => {
    const any = (headers: string) => ({
      ...{ name: 'any', type: 'http', channels: ['sms'] },
      settings: { url: 'https://carrier.example/send', headers },
    })
    expect(await asked('carriers/add', any('a key'))).toMatchObject([
      400,
      { param: 'config.headers', reason: 'invalid_setting' },
    ])
    await asked('carriers/add', any('X-Api-Key: k\nX-Account: a:b'))
    const headers = { 'X-Api-Key': 'k', 'X-Account': 'a:b' }
    expect((await stored('any'))?.config).toMatchObject({ url: 'https://carrier.example/send', headers })
    const smpp = { host: 'smsc.example', port: '2776', tls: 'true', systemId: 'me', password: 'p' }
    await asked('carriers/add', { name: 'smsc', type: 'smpp', channels: ['sms'], settings: smpp })
    expect((await stored('smsc'))?.config).toEqual({ ...smpp, port: 2776, tls: true })
    const { settings } = await asked('carriers/settings', { name: 'smsc' })
    expect(settings).toEqual({ host: 'smsc.example', port: '2776', tls: 'true', systemId: 'me' })
    const changed = { ...settings, tls: '', 'source.address': 'Acme' }
    await asked('carriers/change', { name: 'smsc', channels: ['sms'], settings: changed })
    const { tls: _, ...config } = { ...smpp, port: 2776, source: { address: 'Acme' } }
    expect((await stored('smsc'))?.config).toEqual(config)
    await asked('carriers/change', { name: 'smsc', channels: ['sms'], settings: { ...changed, 'source.address': '' } })
    expect((await stored('smsc'))?.config.source).toBeUndefined()
  })

  test('shows its new report secret once', async () => {
    const vonage = { name: 'vonage', type: 'vonage', channels: ['sms'] }
    const settings = { apiKey: 'abcd1234', apiSecret: 'secret', from: 'Acme' }
    const { reportSecret, isVerifyToken } = await asked('carriers/add', { ...vonage, settings })
    expect([reportSecret.length >= 16, isVerifyToken]).toEqual([true, false])
    answers = []
    await asked('carriers/settings', { name: 'vonage' })
    expect(await asked('carriers/change', { name: 'vonage', channels: ['sms'], settings })).toEqual({ ok: true })
    expect(answers.join()).not.toContain(reportSecret)
    expect((await stored('vonage'))?.config.reportSecret).toBe(reportSecret)
  })

  describe('whose credentials are rotated', () => {
    const settings = { accountSid: SID, authToken: 'the-new-one', from: '+15005550006' }
    const rotate = () =>
      asked('carriers/rotate', {
        ...{ name: 'twilio', channels: ['sms'], settings },
        test: { to: '010-1234-0009', channel: 'sms' },
      })
    beforeEach(() => asked('carriers/add', TWILIO))

    test('sends a test by the new ones first, and keeps the old ones until that is accepted', async () => {
      refusal = answered(401, { code: 20003 })
      expect(await rotate()).toMatchObject({ isRotated: false, kind: 'refused' })
      expect(sent[0]?.headers.authorization).toBe(`Basic ${btoa(`${SID}:the-new-one`)}`)
      expect((await stored('twilio'))?.config.authToken).toBe(TOKEN)
      refusal = undefined
      const steps = ['address', 'connection', 'certificate', 'answer', 'account', 'message']
      expect(await rotate()).toMatchObject({
        isRotated: true,
        reports: true,
        steps: steps.map((name) => ({ name, state: 'done' })),
      })
      expect((await stored('twilio'))?.config.authToken).toBe('the-new-one')
      expect(sent).toHaveLength(2)
      expect(answers.join()).not.toContain(TOKEN)
      expect(answers.join()).not.toContain('the-new-one')
    })

    test('has reports by both for a day, after which the old ones are deleted', async () => {
      const reported = async (token: string) => {
        const path = '/provider-reports/twilio'
        const body = new URLSearchParams({ MessageSid: `SM${'0'.repeat(32)}`, MessageStatus: 'delivered' })
        const signed = [...body].sort().reduce((text, [name, value]) => text + name + value, `http://localhost${path}`)
        const headers = {
          'content-type': 'application/x-www-form-urlencoded',
          'x-twilio-signature': createHmac('sha1', token).update(signed).digest('base64'),
        }
        return (await world.send('POST', path, body.toString(), { headers })).status
      }
      expect([await reported(TOKEN), await reported('the-new-one')]).toEqual([200, 401])
      await rotate()
      await world.advance(1_500)
      expect([await reported(TOKEN), await reported('the-new-one'), await reported('another')]).toEqual([200, 200, 401])
      world.clock.step(23 * 3_600_000)
      expect(await reported(TOKEN)).toBe(200)
      world.clock.step(3_600_000)
      expect([await reported(TOKEN), await reported('the-new-one')]).toEqual([401, 200])
      await forgetFormerCredentials(world)
      const { former, config } = (await stored('twilio')) ?? {}
      expect([former, config?.authToken]).toEqual([undefined, 'the-new-one'])
    })

    test('are checked before anything is sent', async () => {
      expect(
        await asked('carriers/rotate', { ...TWILIO, name: 'none', test: { to: '1', channel: 'sms' } }),
      ).toMatchObject([404, { reason: 'no_such' }])
      const wrong = { ...TWILIO, settings: { ...settings, accountSid: 'AC1' } }
      expect(await asked('carriers/rotate', { ...wrong, test: { to: '1', channel: 'sms' } })).toMatchObject([
        400,
        { param: 'config.accountSid' },
      ])
      expect(sent).toEqual([])
    })
  })

  test('is paused and resumed', async () => {
    expect(await asked('carriers/pause', { name: 'main' })).toEqual({ ok: true })
    expect((await asked('carriers/list')).providers[1]).toMatchObject({ name: 'main', state: 'paused' })
    expect(await asked('carriers/resume', { name: 'main' })).toEqual({ ok: true })
    expect((await asked('carriers/list')).providers[1]).toMatchObject({ name: 'main', state: 'healthy' })
    expect(await asked('carriers/pause', { name: 'none' })).toMatchObject([404, { reason: 'no_such' }])
  })

  test('is removed', async () => {
    expect(await asked('carriers/remove', { name: 'main' })).toEqual({ ok: true })
    expect(await stored('main')).toBeUndefined()
    expect(await asked('carriers/remove', { name: 'main' })).toMatchObject([404, { reason: 'no_such' }])
  })
})

test('the template of a WhatsApp carrier is looked at and created, and its verify token shown once', async () => {
  const settings = {
    ...{ phoneNumberId: '12345', businessAccountId: '67890', accessToken: 'EAAJ', appSecret: '0'.repeat(32) },
  }
  const meta = { name: 'meta', type: 'whatsapp', channels: ['whatsapp'], settings }
  expect(await asked('carriers/add', meta)).toMatchObject({ isVerifyToken: true, reportSecret: expect.any(String) })
  const template = (languages: string[], name = 'meta') =>
    asked('carriers/whatsappTemplate', { name, languages, minutes: 5, androidApps: [] })
  const states = { template: 'otp_code', languages: [{ language: 'ko', status: 'APPROVED' }] }
  expect(await template([])).toEqual(states)
  expect(sent.map(({ method }) => method)).toEqual(['GET'])
  expect(await template(['en_US'])).toEqual(states)
  expect(JSON.parse(sent[1]?.body ?? '')).toMatchObject({ name: 'otp_code', language: 'en_US' })
  expect(await template(['English'])).toMatchObject([400, { param: 'language' }])
  expect(await template([], 'main')).toMatchObject([404, { reason: 'no_such' }])
})

test('delivery plans of an app are set, replaced, shown and removed', async () => {
  const { appId } = keys
  const plans = async () => (await asked('apps/list')).apps[0].plans
  expect(await plans()).toBeUndefined()
  const legs = [{ channel: 'whatsapp', waitSec: 8 }, { channel: 'sms' }]
  expect(await asked('apps/setPlan', { appId, channel: 'sms', legs })).toEqual({ ok: true })
  const korea = { channel: 'sms', country: 'KR', legs: [{ channel: 'sms' }] }
  await asked('apps/setPlan', { appId, ...korea, legs })
  await asked('apps/setPlan', { appId, ...korea })
  expect(await plans()).toEqual([{ channel: 'sms', legs }, korea])
  await asked('apps/setPlan', { appId, channel: 'sms', legs, resend: 'first' })
  expect(await plans()).toContainEqual({ channel: 'sms', legs, resend: 'first' })
  const twice = [{ channel: 'sms', waitSec: 8 }, { channel: 'sms' }]
  expect(await asked('apps/setPlan', { appId, channel: 'sms', legs: twice })).toMatchObject([400, { param: 'legs' }])
  expect(await asked('apps/removePlan', { appId, channel: 'sms' })).toEqual({ ok: true })
  expect(await asked('apps/removePlan', { appId, channel: 'sms' })).toMatchObject([404, { reason: 'no_such' }])
  expect(await plans()).toEqual([korea])
})

test('a route and a plan are set for several countries at once, and a number is explained without being stored', async () => {
  const { appId } = keys
  const countries = ['KR', 'JP']
  expect(await asked('carriers/setRoute', { channel: 'sms', countries, providers: ['main'] })).toEqual({ ok: true })
  expect((await asked('carriers/routes')).routes.map(({ country }: { country: string }) => country)).toEqual([
    'JP',
    'KR',
  ])
  const wrong = { channel: 'sms', countries: ['GB', 'Britain'], providers: ['main'] }
  expect(await asked('carriers/setRoute', wrong)).toMatchObject([400, { param: 'country' }])
  expect((await asked('carriers/routes')).routes).toHaveLength(2)
  const legs = [{ channel: 'sms' }]
  await asked('apps/setPlan', { appId, channel: 'sms', countries, legs })
  expect((await asked('apps/list')).apps[0].plans).toEqual(
    countries.map((country) => ({ channel: 'sms', country, legs })),
  )

  const explained = await asked('carriers/explain', { appId, to: '010-9876-5432', channel: 'sms', kind: 'sk' })
  expect(explained).toMatchObject({
    country: 'KR',
    isPlanned: true,
    legs: [{ carriers: [{ name: 'main', state: 'next' }] }],
  })
  expect(sent).toEqual([])
  await asked('audit/list', {})
  expect(answers.join() + world.logged.join()).not.toMatch(/9876-?5432/)
})
