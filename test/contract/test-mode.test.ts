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

  test.each([
    '010-0000-0000',
    '01000000000',
    '010 0000 0000',
    '+82 10-0000-0000',
    '+821000000000',
    '82 10 0000 0000',
    '(010) 0000.0000',
    '+44 7700 900000',
    '+447700900000',
    '+1 212 555-0100',
    '1-907-555-0100',
    '+1 (415) 555 0100',
  ])('%s is a magic number', async (phoneNumber) => {
    const { status, body } = await issue(phoneNumber)
    expect(status).toBe(200)
    expect(body.mode).toBe('test')
    expect(await verify(body.issueId)).toMatchObject({ verified: true, mode: 'test' })
  })

  test.each([
    '010-1234-5678',
    '010-0000-0100',
    '010-0001-0000',
    '+81 10-0000-0000',
    '+44 7700 910000',
    '+1 212 555-0200',
    '+1 212 556-0100',
    '7700 900000',
    'abc',
    '010-0000-000',
  ])('%s is none: 400 TEST_NUMBER_REQUIRED', async (phoneNumber) => {
    const { status, body } = await issue(phoneNumber)
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'BAD_REQUEST', data: { code: 'TEST_NUMBER_REQUIRED' } })
    expect(body.message.split(/\s/)[0]).toBe('TEST_NUMBER_REQUIRED')
  })

  test('+82 10 and 010 are one number: the second issue replaces the first', async () => {
    const first = await issue('010-0000-0000')
    await issue('+82 10-0000-0000')
    expect(await verify(first.body.issueId)).toMatchObject({ reasonCode: 'REPLACED' })
  })

  /** Delivery status just before and just after each moment of the specification's timelines. */
  const delivered = {
    at: [
      [900, 'queued'],
      [1_100, 'sent'],
      [1_900, 'sent'],
      [2_100, 'delivered'],
      [60_000, 'delivered'],
    ],
  }
  const timelines: Array<[number, object, { at: Array<[number, string]> }]> = [
    [0, {}, delivered as never],
    [
      1,
      {},
      {
        at: [
          [900, 'queued'],
          [1_100, 'sent'],
          [2_900, 'sent'],
          [3_100, 'failed'],
          [60_000, 'failed'],
        ],
      },
    ],
    [
      2,
      {},
      {
        at: [
          [900, 'queued'],
          [1_100, 'sent'],
          [29_900, 'sent'],
          [30_100, 'delivered'],
        ],
      },
    ],
    [
      3,
      {},
      {
        at: [
          [900, 'queued'],
          [1_100, 'sent'],
          [60_000, 'sent'],
        ],
      },
    ],
    [4, {}, delivered as never],
    [5, {}, delivered as never],
    [
      10,
      {},
      {
        at: [
          [900, 'queued'],
          [1_100, 'sent'],
          [2_900, 'sent'],
          [3_100, 'sent'],
          [3_900, 'sent'],
          [4_100, 'delivered'],
        ],
      },
    ],
    [
      10,
      { smsFallback: false },
      {
        at: [
          [900, 'queued'],
          [1_100, 'sent'],
          [2_900, 'sent'],
          [3_100, 'failed'],
        ],
      },
    ],
    [10, { channel: 'sms' }, delivered as never],
    [11, {}, delivered as never],
    [57, {}, delivered as never],
    [99, {}, delivered as never],
    [0, { channel: 'alimtalk' }, delivered as never],
  ]
  test.each(timelines)('scenario %i with %o keeps its timeline', async (xx, input, { at }) => {
    const { body } = await issue(magic(xx), input)
    let now = 0
    for (const [moment, expected] of at) {
      await world.advance(moment - now)
      now = moment
      expect({ moment, is: (await status(body.issueId)).deliveryStatus }).toEqual({ moment, is: expected })
    }
  })

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

  test('04: expires ten seconds after the issue, whatever was asked for', async () => {
    const { body } = await issue(magic(4), { expiresInSec: 600 })
    expect(Date.parse(body.expiresAt) - Date.parse(body.queuedAt)).toBe(10_000)
    await world.advance(10_000)
    expect(await verify(body.issueId)).toMatchObject({ verified: false, reasonCode: 'EXPIRED' })
  })

  test('05: every code is wrong, and the last attempt is MAX_ATTEMPTS', async () => {
    const { body } = await issue(magic(5), { maxAttempts: 3 })
    expect(await verify(body.issueId)).toMatchObject({ reasonCode: 'MISMATCH', attemptsRemaining: 2 })
    expect(await verify(body.issueId, '123456')).toMatchObject({ reasonCode: 'MISMATCH', attemptsRemaining: 1 })
    expect(await verify(body.issueId)).toMatchObject({ reasonCode: 'MAX_ATTEMPTS', attemptsRemaining: 0 })
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

  test('delivery and verification outcomes are independent: a scenario plays to its end after verify', async () => {
    const fallback = await issue(magic(10))
    const plain = await issue('+1 212 555-0100')
    for (const { body } of [fallback, plain]) expect(await verify(body.issueId)).toMatchObject({ verified: true })
    await world.advance(4_100)
    for (const { body } of [fallback, plain]) {
      expect(await status(body.issueId)).toMatchObject({ deliveryStatus: 'delivered', overallStatus: 'verified' })
    }
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

  test('template errors are as in live mode', async () => {
    expect((await issue(magic(0), { templateId: 'nope' })).status).toBe(400)
    expect((await issue(magic(6), { templateVariables: { x: 'y' } })).status).toBe(400)
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
    expect(await world.rows('SELECT * FROM claims')).toEqual([])
  })
})
