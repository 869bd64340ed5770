/** A browser key is public: what somebody who found one cannot do to a backend of the same app. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import * as administer from '../../src/usecases/administer'
import { type Furnished, WIRES, World } from '../support/world'

const ORIGIN = 'https://shop.example.com'
const PHONE = '010-1234-5678'

describe.each(WIRES)('over %s, with a live browser key', (wire) => {
  let world: World
  let keys: Furnished
  let browser: string
  let made = 0

  beforeEach(async () => {
    world = await World.start({ env: { WATCHWORD_LIMIT_PK_ISSUES_PER_MIN_PER_IP: '1000' } })
    keys = await world.furnish()
    browser = await world.key({ appId: keys.appId, kind: 'pk', mode: 'live', allowedOrigins: [ORIGIN] })
  })
  afterEach(() => world.stop())

  const issue = (key: string, input: object = {}) =>
    world.call(
      wire,
      'issue',
      { phoneNumber: PHONE, purpose: `p${made}`, idempotencyKey: `k${made++}`, ...input },
      { key, headers: { origin: ORIGIN } },
    )

  /** Another process takes over the same database. */
  async function restart(): Promise<void> {
    await world.settle()
    world = await World.start({ place: world.place, clock: world.clock })
    await world.settle()
  }

  test('the idempotency keys of a backend are out of reach: neither its issue is learned nor its key taken', async () => {
    const same = { idempotencyKey: 'signup-42', purpose: 'signup' }
    const backends = await issue(keys.live, same)
    world.clock.step(30_000)
    const theirs = await issue(browser, same)
    expect([backends.status, theirs.status]).toEqual([200, 200])
    expect(theirs.body.issueId).not.toBe(backends.body.issueId)

    expect((await issue(browser, { idempotencyKey: 'login-1', purpose: 'login' })).status).toBe(200)
    expect((await issue(keys.live, { idempotencyKey: 'login-1', purpose: 'other' })).status).toBe(200)
  })

  test('each kind of key goes on to answer its own idempotency keys as before', async () => {
    for (const key of [keys.live, browser]) {
      world.clock.step(30_000)
      const first = await issue(key, { idempotencyKey: 'mine', purpose: 'mine' })
      expect((await issue(key, { idempotencyKey: 'mine', purpose: 'mine' })).body).toEqual(first.body)
      expect((await issue(key, { idempotencyKey: 'mine', purpose: 'yours' })).status).toBe(409)
    }
  })

  test('a backend’s allowance for a phone is not used up, nor the other way round', async () => {
    for (let n = 0; n < 5; n++) expect((await issue(browser)).status).toBe(200)
    expect((await issue(browser)).status).toBe(429)
    for (let n = 0; n < 5; n++) expect((await issue(keys.live)).status).toBe(200)
    expect((await issue(keys.live)).status).toBe(429)
  })

  test('the allowances are kept apart over a restart', async () => {
    for (let n = 0; n < 5; n++) await issue(browser)
    await restart()
    expect((await issue(browser)).status).toBe(429)
    expect((await issue(keys.live)).status).toBe(200)
  })

  test('a newer code still replaces an older one, whoever issued it (rule 8)', async () => {
    const { body } = await issue(keys.live, { purpose: 'signup' })
    world.clock.step(30_000)
    await issue(browser, { purpose: 'signup' })
    const verify = { issueId: body.issueId, code: '000000' }
    expect((await world.call(wire, 'verify', verify, { key: keys.live })).body.reasonCode).toBe('REPLACED')
  })

  describe('the text of a message', () => {
    const template = {
      templateId: 'hello',
      name: 'Hello',
      body: '#{who} #{code}',
      channelSupport: ['sms' as const],
      variables: { who: { required: true } },
      providerTemplateCode: 'hello',
    }
    const hello = (key: string, who: string) => issue(key, { templateId: 'hello', templateVariables: { who } })

    beforeEach(async () => {
      await world.run(administer.saveTemplate(world.admin, keys.appId, template))
    })

    test('is not theirs to write, nor its sender: 403 names the field, and nothing is issued or charged', async () => {
      const sender = await issue(browser, { from: 'BANK' })
      expect(sender.status).toBe(403)
      expect(sender.body).toMatchObject({
        defined: true,
        code: 'FORBIDDEN',
        data: { param: 'from', reason: 'from_not_allowed' },
      })
      const link = await hello(browser, 'BANK: https://evil.example')
      expect(link.status).toBe(403)
      expect(link.body.data).toEqual({ param: 'templateVariables.who', reason: 'free_text_not_allowed' })
      expect(await world.rows('SELECT 1 FROM issues')).toEqual([])
      expect((await hello(browser, 'Ann')).status).toBe(200)
    })

    test.each([
      ['new line', 'Ann\nBANK: pay'],
      ['carriage return', 'Ann\rBANK'],
      ['control character', '\u001b[31mAnn'],
      ['line separator', 'Ann\u2028BANK'],
    ])('has no %s in a variable, whichever key writes it', async (_, who) => {
      const [key] = (await world.store.read.keys.ofApp(keys.appId)).filter(({ kind }) => kind === 'pk')
      await world.run(administer.allowKey(world.admin, key?.keyId ?? '', ['text']))
      for (const writer of [keys.live, browser]) {
        const refused = await hello(writer, who)
        expect(refused.status).toBe(400)
        expect(refused.body).toMatchObject({
          ...{ defined: true, code: 'BAD_REQUEST', status: 400 },
          data: { param: 'templateVariables.who', reason: 'invalid_characters' },
        })
      }
      const inTest = { phoneNumber: '010-0000-0000', templateId: 'hello', templateVariables: { who } }
      expect((await issue(keys.test, inTest)).body.data.reason).toBe('invalid_characters')
      expect(await world.rows('SELECT 1 FROM issues')).toEqual([])
    })

    test('is a backend’s to write, and that of a key whose policy says so', async () => {
      expect((await hello(keys.live, 'https://shop.example.com/orders/1')).status).toBe(200)
      expect((await issue(keys.live, { from: '0212345678' })).status).toBe(200)
      const [key] = (await world.store.read.keys.ofApp(keys.appId)).filter(({ kind }) => kind === 'pk')
      await world.run(administer.allowKey(world.admin, key?.keyId ?? '', ['from', 'text']))
      expect((await hello(browser, 'https://shop.example.com/orders/1')).status).toBe(200)
      expect((await issue(browser, { from: '0212345678', phoneNumber: '010-1234-9999' })).status).toBe(200)
      await world.run(administer.allowKey(world.admin, key?.keyId ?? '', []))
      expect((await issue(browser, { from: '0212345678' })).status).toBe(403)
    })

    test('is not restricted in test mode', async () => {
      const testKey = await world.key({ appId: keys.appId, kind: 'pk', mode: 'test', allowedOrigins: [ORIGIN] })
      const input = { phoneNumber: '010-0000-0000', from: 'BANK', templateId: 'hello' }
      expect((await issue(testKey, { ...input, templateVariables: { who: 'https://a.example' } })).status).toBe(200)
    })
  })
})
