/** Review numbers: reviewers of an app store sign in with a fixed code, and no message is sent. Decisions: "Review numbers". */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createProofVerifier } from '../../client/server'
import { DAY_MS } from '../../src/domain/shared/value'
import * as administer from '../../src/usecases/administer'
import { erasePhone } from '../../src/usecases/erase-phone'
import { errorOf } from '../support/error-of'
import { HANGS_AFTER_MS } from '../support/until'
import { UNTOLD } from '../support/untold'
import { type Furnished, WIRES, World } from '../support/world'

setDefaultTimeout(HANGS_AFTER_MS)

const PHONE = '010-1234-5678'

describe.each(WIRES)('a review number over %s', (wire) => {
  let world: World
  let keys: Furnished
  let code: string
  let made = 0

  beforeEach(async () => {
    world = await World.start()
    keys = await world.furnish()
    code = (await add()).code
  })
  afterEach(() => world.stop())

  const admin = () => ({ ...world.admin, numbering: world.config.numbering })
  const add = (more: Partial<administer.WantedReviewNumber> = {}) =>
    administer.addReviewNumber(admin(), keys.appId, {
      ...{ name: 'App Store', phoneNumber: PHONE, days: 30, dailyMax: 3, ...more },
    })
  const call = (operation: Parameters<World['call']>[1], input: object) =>
    world.call(wire, operation, input, { key: keys.live })
  const issue = (input: object = {}) =>
    call('issue', { phoneNumber: PHONE, purpose: `p${made}`, idempotencyKey: `k${made++}`, ...input })
  const verify = (issueId: string, tried: string) => call('verify', { issueId, code: tried, phoneNumber: PHONE })
  const wallet = async () => (await world.rows('SELECT balance, reserved FROM wallets'))[0]

  test('is forgotten with its phone', async () => {
    const { idempotencyDays, liveRetentionDays } = world.config
    const deps = { ...admin(), telemetry: UNTOLD, idempotencyDays, liveRetentionDays }
    await world.run(erasePhone(deps, { phoneNumber: PHONE }))
    expect(await administer.listReviewNumbers(admin(), keys.appId)).toEqual([])
  })

  test('gets the same code each time, for nothing, and no carrier is asked', async () => {
    const before = await wallet()
    for (const _ of [1, 2]) {
      const { status, body } = await issue()
      expect(status).toBe(200)
      for (const table of ['outbox', 'jobs', 'attempts']) expect(await world.rows(`SELECT * FROM ${table}`)).toEqual([])
      await world.settle()
      const wrong = code === '111111' ? '222222' : '111111'
      expect((await verify(body.issueId, wrong)).body).toMatchObject({ verified: false, reasonCode: 'MISMATCH' })
      expect((await verify(body.issueId, code)).body).toMatchObject({ verified: true })
      expect((await verify(body.issueId, code)).body).toMatchObject({ verified: false })
      expect((await call('status', { issueId: body.issueId })).body).toMatchObject({
        ...{ deliveryStatus: 'delivered', overallStatus: 'verified', providerOutcomeCode: 'REVIEW_NUMBER' },
      })
    }
    expect(world.sms.requests).toEqual([])
    expect(await wallet()).toEqual(before)
  })

  test('tells of its code as of one that was sent and delivered', async () => {
    const events = ['otp.sent', 'otp.delivered', 'otp.verified'] as const
    await administer.addEndpoint(world.admin, {
      appId: keys.appId,
      mode: 'live',
      url: 'https://a.example/hook',
      events,
    })
    const { body } = await issue()
    await verify(body.issueId, code)
    const told = await world.rows('SELECT type FROM webhook_events ORDER BY event_id')
    expect(told.map(({ type }) => type)).toEqual([...events])
  })

  test('is answered where no carrier is configured', async () => {
    await administer.removeCarrier(world.admin, 'main')
    expect((await issue()).status).toBe(200)
    expect((await issue({ phoneNumber: '010-8765-4321' })).status).toBe(503)
  })

  test('gets so many codes a day', async () => {
    for (const expected of [200, 200, 200, 429]) expect((await issue()).status).toBe(expected)
  })

  test('gets a message with a code of its own again after its end, and once it is removed', async () => {
    world.clock.step(30 * DAY_MS)
    expect((await issue()).status).toBe(200)
    await world.settle()
    expect(world.sms.requests.length).toBe(1)
    await add()
    await administer.removeReviewNumber(world.admin, keys.appId, 'App Store')
    expect((await issue()).status).toBe(200)
    await world.settle()
    expect(world.sms.requests.length).toBe(2)
  })

  test('is one of its app alone, and has another code there', async () => {
    const other = await world.furnish()
    const { code: ofOther } = await administer.addReviewNumber(admin(), other.appId, {
      ...{ name: 'Play', phoneNumber: '010-8765-4321', days: 1, dailyMax: 1 },
    })
    expect(ofOther).not.toBe(code)
    await world.call(wire, 'issue', { phoneNumber: PHONE, purpose: 'p', idempotencyKey: 'k' }, { key: other.live })
    await world.settle()
    expect(world.sms.requests.length).toBe(1)
  })

  test('has proofs that say so, and verifiers refuse them unless told otherwise', async () => {
    const { issueId } = (await issue({ purpose: 'sign-in' })).body
    const { proof } = (await verify(issueId, code)).body
    const options = {
      ...{ baseUrl: 'http://localhost/v1', appId: keys.appId, purpose: 'sign-in', now: () => world.clock.now() },
      fetch: (request: Request) => world.app.fetch(request, '127.0.0.1'),
    }
    expect(await errorOf(createProofVerifier(options)(proof))).toMatchObject({ reason: 'review_number' })
    const allowed = await createProofVerifier({ ...options, allowReviewNumbers: true })(proof)
    expect(allowed).toMatchObject({ mode: 'live', test: true, issueId })
  })

  test('stands in the audit log by its name, and its number and code nowhere', async () => {
    await issue()
    const audit = JSON.stringify(await world.rows('SELECT * FROM audit_entries'))
    expect(audit).toContain('review.add')
    expect(audit).not.toContain(code)
    expect(JSON.stringify(await world.rows('SELECT * FROM apps'))).not.toMatch(new RegExp(`12345678|${code}`))
    expect(await errorOf(add({ name: 'Another' }))).toMatchObject({ kind: 'conflict' })
    for (const wrong of [{ days: 0 }, { days: 91 }, { dailyMax: 101 }, { name: ' ' }, { phoneNumber: '12' }])
      expect(await errorOf(add(wrong))).toMatchObject({ kind: 'invalid' })
  })
})
