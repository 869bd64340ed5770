/** Test mode beyond what `conformance.test.ts` holds every server to. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Furnished, WIRES, World } from '../support/world'

describe.each(WIRES)('test mode over %s', (wire) => {
  let world: World
  let keys: Furnished
  let made = 0

  beforeEach(async () => {
    world = await World.start()
    keys = await world.furnish()
  })
  afterEach(() => world.stop())

  const issue = (phoneNumber: string, input: object = {}, key = keys.test) =>
    world.call(wire, 'issue', { phoneNumber, purpose: 'test', idempotencyKey: `k${made++}`, ...input }, { key })
  const status = async (issueId: string) => (await world.call(wire, 'status', { issueId }, { key: keys.test })).body
  const verify = async (issueId: string, code = '000000') =>
    (await world.call(wire, 'verify', { issueId, code }, { key: keys.test })).body
  const magic = (xx: number) => `010-0000-00${String(xx).padStart(2, '0')}`

  test('03: stays sent and ambiguous, with its code, and verifies', async () => {
    const { body } = await issue(magic(3))
    await world.advance(30_000)
    expect(await status(body.issueId)).toMatchObject({
      deliveryStatus: 'sent',
      providerOutcomeAmbiguous: true,
      providerOutcomeCode: 'TEST_PROVIDER_OUTCOME_UNKNOWN',
    })
    expect(await verify(body.issueId)).toMatchObject({ verified: true })
  })

  test.each([
    [6, 429, 'TOO_MANY_REQUESTS', { limit: 'perPhone', policy: 'platform', retryAfterMs: 60_000 }, '60'],
    [7, 402, 'PAYMENT_REQUIRED', { code: 'INSUFFICIENT_CREDIT' }, null],
    [8, 402, 'PAYMENT_REQUIRED', { code: 'TRIAL_DAILY_LIMIT_EXCEEDED', resetAt: '2026-03-02T00:00:00.000Z' }, null],
    [9, 503, 'SERVICE_UNAVAILABLE', undefined, '2'],
  ])('0%i: %i %s', async (xx, expectedStatus, code, data, retryAfter) => {
    const { status, body, headers } = await issue(magic(xx))
    expect(status).toBe(expectedStatus)
    expect(body).toEqual({
      defined: true,
      code,
      status: expectedStatus,
      message: expect.any(String),
      ...(data && { data }),
    })
    expect(headers.get('retry-after')).toBe(retryAfter)
    expect(await world.rows('SELECT * FROM issues')).toEqual([])
  })

  test('10: the AlimTalk is the default channel, and the code of either leg verifies', async () => {
    const { body } = await issue(magic(10))
    await world.advance(5_000)
    const projection = (await world.call(wire, 'getIssue', { issueId: body.issueId }, { key: keys.test })).body
    expect(projection).toMatchObject({ channel: 'alimtalk', deliveryStatus: 'delivered' })
    expect(await verify(body.issueId)).toMatchObject({ verified: true })
    expect(await world.rows('SELECT leg, outcome FROM attempts ORDER BY number')).toEqual([
      { leg: 'alimtalk', outcome: 'accepted' },
      { leg: 'sms', outcome: 'accepted' },
    ])
  })

  test('01 fails on AlimTalk, too: only scenario 10 falls back', async () => {
    const { body } = await issue(magic(1), { channel: 'alimtalk' })
    await world.advance(2_900)
    expect(await status(body.issueId)).toMatchObject({ deliveryStatus: 'sent' })
    await world.advance(200)
    expect(await status(body.issueId)).toMatchObject({ deliveryStatus: 'failed' })
  })

  test('nothing is sent and nothing is billed', async () => {
    for (const xx of [0, 1, 3, 10]) await issue(magic(xx))
    await world.advance(10_000)
    expect(world.sms.requests).toEqual([])
    expect(world.kakao.requests).toEqual([])
    const { items } = (await world.call(wire, 'listIssues', {}, { key: keys.test })).body
    for (const item of items) expect(item).toMatchObject({ billingStatus: 'released', debitedAmount: 0 })
    expect(await world.rows('SELECT balance, reserved FROM wallets')).toEqual([{ balance: 1_000, reserved: 0 }])
  })

  test('live and test data are separate', async () => {
    const { body } = await issue(magic(0))
    expect((await world.call(wire, 'status', { issueId: body.issueId }, { key: keys.live })).status).toBe(404)
    expect((await world.call(wire, 'listIssues', {}, { key: keys.live })).body).toEqual({ items: [], mode: 'live' })
  })

  test('a delivery in the middle of which the process died is ambiguous, and is not simulated again', async () => {
    const { body } = await issue(magic(0))
    await world.advance(500)
    world.clock.forgetTimers()
    const after = await World.start({ place: world.place, clock: world.clock })
    await after.advance(40_000)
    const answer = await after.call(wire, 'status', { issueId: body.issueId }, { key: keys.test })
    expect(answer.body).toMatchObject({
      deliveryStatus: 'sent',
      providerOutcomeAmbiguous: true,
      providerOutcomeCode: 'INTERRUPTED',
    })
    world = after
  })

  test('test issues are kept for seven days', async () => {
    const { body } = await issue(magic(0))
    await world.leap(200_000)
    world.clock.step(7 * 86_400_000 - 300_000)
    await world.sweep()
    expect((await world.call(wire, 'status', { issueId: body.issueId }, { key: keys.test })).status).toBe(200)
    world.clock.step(300_000)
    await world.sweep()
    expect((await world.call(wire, 'status', { issueId: body.issueId }, { key: keys.test })).status).toBe(404)
    expect(await world.rows('SELECT * FROM attempts')).toEqual([])
    expect(await world.rows('SELECT 1 FROM issues WHERE key_hash IS NOT NULL')).toEqual([])
  })
})
