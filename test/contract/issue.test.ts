import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Furnished, WIRES, World } from '../support/world'

const PHONE = '010-1234-5678'
const DAY_MS = 86_400_000

describe.each(WIRES)('POST /issue over %s', (wire) => {
  let world: World
  let keys: Furnished
  let made = 0

  beforeEach(async () => {
    world = await World.start()
    keys = await world.furnish()
  })
  afterEach(() => world.stop())

  const issue = (input: object, key = keys.live, headers: Record<string, string> = {}) =>
    world.call(wire, 'issue', { idempotencyKey: `k${made++}`, ...input }, { key, headers })
  const balance = async () => (await world.call(wire, 'balance', {}, { key: keys.live })).body.balance
  const status = async (issueId: string, key = keys.live) =>
    (await world.call(wire, 'status', { issueId }, { key })).body

  test('answers issueId, expiresAt, attemptsRemaining, queuedAt, resendAvailableAt and mode, and never the code', async () => {
    const { status, body } = await issue({ phoneNumber: PHONE, purpose: 'signup' })
    expect(status).toBe(200)
    const names = ['attemptsRemaining', 'expiresAt', 'issueId', 'mode', 'queuedAt', 'resendAvailableAt']
    expect(Object.keys(body).sort()).toEqual(names)
    expect(body.attemptsRemaining).toBe(5)
    expect(body.mode).toBe('live')
    expect(Date.parse(body.expiresAt) - Date.parse(body.queuedAt)).toBe(180_000)
    await world.settle()
    expect(JSON.stringify(body)).not.toContain(world.sms.lastCode())
  })

  test('a live message arrives with a 6-digit code that verifies, and is debited once', async () => {
    const { body } = await issue({ phoneNumber: PHONE, purpose: 'signup' })
    await world.settle()
    const [message] = world.sms.requests
    expect(message).toMatchObject({ channel: 'sms', to: '+821012345678', messageType: 'SMS' })
    const code = world.sms.lastCode()
    expect(code).toMatch(/^\d{6}$/)
    const verified = await world.call(wire, 'verify', { issueId: body.issueId, code }, { key: keys.live })
    expect(verified.body).toMatchObject({ verified: true, attemptsRemaining: 5 })
    await world.report('main', { messageId: message?.messageId ?? '', status: 'delivered' })
    await world.settle()
    expect(await balance()).toBe(999)
    const ledger = await world.call(wire, 'listCreditLedger', { entryType: 'debit' }, { key: keys.live })
    expect(ledger.body.items).toHaveLength(1)
    expect(ledger.body.items[0]).toMatchObject({ amountDelta: -1, balanceAfter: 999, issueId: body.issueId })
  })

  describe('idempotency', () => {
    test('the same key and payload replay the original response, and nothing is re-sent or re-reserved', async () => {
      const input = { phoneNumber: PHONE, purpose: 'a', idempotencyKey: 'again' }
      const first = await issue(input)
      await world.settle()
      const code = world.sms.lastCode()
      const replays = await Promise.all([issue(input), issue(input), issue(input)])
      await world.call(wire, 'verify', { issueId: first.body.issueId, code }, { key: keys.live })
      const afterVerify = await issue(input)
      await world.leap(200_000)
      const afterExpiry = await issue(input)
      for (const replay of [...replays, afterVerify, afterExpiry]) {
        expect(replay.status).toBe(200)
        expect(replay.body).toEqual(first.body)
      }
      expect(world.sms.requests).toHaveLength(1)
    })

    test.each([
      ['the channel', { channel: 'sms' }],
      ['the template', { templateId: 'otp_default_kr' }],
      ['lifetime and attempts', { expiresInSec: 180, maxAttempts: 5 }],
      ['smsFallback on SMS', { smsFallback: false }],
      ['another spelling of the number', { phoneNumber: '+82 10 1234 5678' }],
      ['spaces around', { purpose: '  a ' }],
      ['empty maps', { metadata: {}, templateVariables: {} }],
    ])('spelling out a default is the same request: %s', async (_, spelled) => {
      const input = { phoneNumber: PHONE, purpose: 'a', idempotencyKey: 'default' }
      const first = await issue(input)
      const again = await issue({ ...input, ...spelled })
      expect(again.status).toBe(200)
      expect(again.body).toEqual(first.body)
    })

    test.each([
      ['number', { phoneNumber: '010-1234-5679' }],
      ['purpose', { purpose: 'b' }],
      ['channel', { channel: 'alimtalk' }],
      ['template', { templateId: 'otp_default_en' }],
      ['cost', { cost: 3 }],
      ['metadata', { metadata: { a: '1' } }],
      ['lifetime', { expiresInSec: 181 }],
      ['attempts', { maxAttempts: 4 }],
      ['sender', { from: '0212345678' }],
      ['message type', { messageType: 'LMS' }],
    ])('the same key with another %s: 409', async (_, changed) => {
      const input = { phoneNumber: PHONE, purpose: 'a', idempotencyKey: 'reused' }
      await issue(input)
      const answer = await issue({ ...input, ...changed })
      expect(answer.status).toBe(409)
      expect(answer.body).toMatchObject({ defined: true, code: 'CONFLICT' })
    })

    test('keys are separate per app and per mode', async () => {
      const other = await world.furnish().catch(() => undefined)
      const live = await issue({ phoneNumber: PHONE, purpose: 'a', idempotencyKey: 'shared' })
      const inTest = await issue({ phoneNumber: '010-0000-0000', purpose: 'a', idempotencyKey: 'shared' }, keys.test)
      const elsewhere = await issue({ phoneNumber: PHONE, purpose: 'zz', idempotencyKey: 'shared' }, other?.live)
      expect([live.status, inTest.status, elsewhere.status]).toEqual([200, 200, 200])
    })

    test('a refusal leaves the key unused', async () => {
      const input = { phoneNumber: PHONE, purpose: 'a', idempotencyKey: 'later' }
      expect((await issue({ ...input, templateId: 'nope' })).status).toBe(400)
      expect((await issue(input)).status).toBe(200)
    })

    test('after seven days the key is new again', async () => {
      const input = { phoneNumber: PHONE, purpose: 'a', idempotencyKey: 'week' }
      const first = await issue(input)
      world.clock.step(7 * DAY_MS - 1)
      expect((await issue(input)).body).toEqual(first.body)
      world.clock.step(1)
      const second = await issue(input)
      expect(second.status).toBe(200)
      expect(second.body.issueId).not.toBe(first.body.issueId)
    })

    test.each([
      ['same', {}],
      ['another', { purpose: 'b' }],
    ])('whose issue has outlived its retention is new again, for the %s request', async (_, changed) => {
      await world.stop()
      world = await World.start({ env: { WATCHWORD_LIVE_RETENTION_DAYS: '1' } })
      keys = await world.furnish()
      const input = { phoneNumber: PHONE, purpose: 'a', idempotencyKey: 'kept' }
      const first = await issue(input)
      await world.settle()
      await world.report('main', { messageId: world.sms.requests[0]?.messageId ?? '', status: 'delivered' })
      await world.leap(200_000)
      world.clock.step(DAY_MS)
      await world.sweep()
      expect(await status(first.body.issueId)).toMatchObject({ code: 'NOT_FOUND' })
      const second = await issue({ ...input, ...changed })
      expect(second.status).toBe(200)
      expect(second.body.issueId).not.toBe(first.body.issueId)
      expect((await issue({ ...input, ...changed })).body).toEqual(second.body)
      await world.settle()
      expect(world.sms.requests).toHaveLength(2)
    })

    test('a hundred at once with one key make one issue', async () => {
      const input = { phoneNumber: PHONE, purpose: 'a', idempotencyKey: 'race' }
      const answers = await Promise.all(Array.from({ length: 100 }, () => issue(input)))
      expect(new Set(answers.map(({ body }) => body.issueId)).size).toBe(1)
      await world.settle()
      expect(world.sms.requests).toHaveLength(1)
    })
  })

  describe('replacement', () => {
    test('a new issue for the same number and purpose replaces the old one', async () => {
      const first = await issue({ phoneNumber: PHONE, purpose: 'a' })
      const second = await issue({ phoneNumber: '+82 10-1234-5678', purpose: 'a' })
      expect(await status(first.body.issueId)).toMatchObject({
        verificationStatus: 'replaced',
        overallStatus: 'replaced',
      })
      const verify = await world.call(
        wire,
        'verify',
        { issueId: first.body.issueId, code: '123456' },
        { key: keys.live },
      )
      expect(verify.body).toMatchObject({ verified: false, reasonCode: 'REPLACED' })
      expect(await status(second.body.issueId)).toMatchObject({ verificationStatus: 'issued' })
    })

    test('another purpose, number or app replaces nothing', async () => {
      const other = await world.furnish().catch(() => keys)
      const first = await issue({ phoneNumber: PHONE, purpose: 'a' })
      await issue({ phoneNumber: PHONE, purpose: 'b' })
      await issue({ phoneNumber: '010-1234-5679', purpose: 'a' })
      await issue({ phoneNumber: PHONE, purpose: 'a' }, other.live)
      expect(await status(first.body.issueId)).toMatchObject({ verificationStatus: 'issued' })
    })

    test('an expired code stays expired', async () => {
      const first = await issue({ phoneNumber: PHONE, purpose: 'a', expiresInSec: 30 })
      world.clock.step(30_000)
      await issue({ phoneNumber: PHONE, purpose: 'a' })
      expect(await status(first.body.issueId)).toMatchObject({ verificationStatus: 'expired' })
    })

    test('parallel issues for one number leave one live code', async () => {
      const answers = await Promise.all(Array.from({ length: 5 }, () => issue({ phoneNumber: PHONE, purpose: 'a' })))
      const statuses = await Promise.all(answers.map(({ body }) => status(body.issueId)))
      expect(statuses.filter(({ verificationStatus }) => verificationStatus === 'issued')).toHaveLength(1)
    })

    test('a code that was replaced before it was sent is not sent', async () => {
      await world.crowd(keys.live)
      const issued = await Promise.all([
        issue({ phoneNumber: PHONE, purpose: 'a' }),
        issue({ phoneNumber: PHONE, purpose: 'a' }),
      ])
      await world.settle()
      expect(world.sms.requests).toHaveLength(1)
      const statuses = await Promise.all(issued.map(({ body }) => status(body.issueId)))
      const replaced = statuses.filter(({ verificationStatus }) => verificationStatus === 'replaced')
      expect(replaced).toMatchObject([{ deliveryStatus: 'failed' }])
    })
  })

  describe('credit', () => {
    test('a reservation that does not fit is refused with 402 INSUFFICIENT_CREDIT, and changes nothing', async () => {
      const poor = await poorApp(2)
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          issue({ phoneNumber: `010-2222-000${index}`, purpose: 'a' }, poor.live),
        ),
      )
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
      const refused = answers.filter(({ status }) => status !== 200)
      for (const { status, body } of refused) {
        expect(status).toBe(402)
        expect(body).toMatchObject({ defined: true, code: 'PAYMENT_REQUIRED', data: { code: 'INSUFFICIENT_CREDIT' } })
      }
      const listed = await world.call(wire, 'listIssues', {}, { key: poor.live })
      expect(listed.body.items).toHaveLength(2)
    })

    test('the same key works after a top-up', async () => {
      const poor = await poorApp(0)
      const input = { phoneNumber: PHONE, purpose: 'a', idempotencyKey: 'top-up' }
      expect((await issue(input, poor.live)).status).toBe(402)
      await addCredit(poor.appId, 1)
      expect((await issue(input, poor.live)).status).toBe(200)
    })

    test('where an app has an overdraft, exceeding it is OVERDRAFT_LIMIT_EXCEEDED', async () => {
      const poor = await poorApp(0)
      const { setOverdraft } = await import('../../src/usecases/administer')
      await setOverdraft(world.admin, { appId: poor.appId, limit: 1 })
      expect((await issue({ phoneNumber: PHONE, purpose: 'a' }, poor.live)).status).toBe(200)
      const refused = await issue({ phoneNumber: PHONE, purpose: 'b' }, poor.live)
      expect(refused.status).toBe(402)
      expect(refused.body.data).toEqual({ code: 'OVERDRAFT_LIMIT_EXCEEDED' })
    })

    test('cost is range-checked and ignored for billing', async () => {
      const { status } = await issue({ phoneNumber: PHONE, purpose: 'a', cost: 100_000 })
      expect(status).toBe(200)
      await world.settle()
      expect(await world.rows('SELECT price FROM issues')).toEqual([{ price: 1 }])
    })

    async function addCredit(appId: string, amount: number) {
      const { addCredit } = await import('../../src/usecases/administer')
      await addCredit(world.admin, { appId, amount })
    }

    async function poorApp(amount: number) {
      const { createApp } = await import('../../src/usecases/administer')
      const { appId } = await createApp(world.admin, { name: 'poor' })
      if (amount > 0) await addCredit(appId, amount)
      return { appId, live: await world.key({ appId, kind: 'sk', mode: 'live' }) }
    }
  })

  describe('numbers', () => {
    test.each(['010-1234-5678', '01012345678', '+82 10 1234 5678', '+821012345678'])(
      '%s is one phone',
      async (phoneNumber) => {
        await issue({ phoneNumber, purpose: 'a' })
        await world.settle()
        expect(world.sms.requests[0]?.to).toBe('+821012345678')
      },
    )

    test.each(['12', 'abc', '+82', '+1 555', '0'.repeat(20)])('%s is not possible: 400', async (phoneNumber) => {
      const { status, body } = await issue({ phoneNumber, purpose: 'a' })
      expect(status).toBe(400)
      expect(body.message).toContain('phoneNumber')
    })

    test.each(['010-0000-0000', '+82 10-0000-0001', '(010) 0000 0002', '+44 7700 900003', '+1 212 555-0104'])(
      'a live key rejects the magic number %s, and nothing is sent',
      async (phoneNumber) => {
        const { status, body } = await issue({ phoneNumber, purpose: 'a' })
        expect(status).toBe(400)
        expect(body.data).toEqual({
          param: 'phoneNumber',
          reason: 'test_number_in_live_mode',
          code: 'TEST_NUMBER_IN_LIVE_MODE',
        })
        expect(body.message.split(/\s/)[0]).toBe('TEST_NUMBER_IN_LIVE_MODE')
        await world.settle()
        expect(world.sms.requests).toHaveLength(0)
      },
    )
  })

  test('without a provider for the channel: 503 that says so, and nothing is reserved', async () => {
    const { removeCarrier } = await import('../../src/usecases/administer')
    await removeCarrier(world.admin, 'main')
    const answer = await issue({ phoneNumber: PHONE, purpose: 'a' })
    expect(answer.status).toBe(503)
    expect(answer.body).toMatchObject({ code: 'SERVICE_UNAVAILABLE', defined: true })
    expect(answer.body.message).toContain('sms')
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await world.rows('SELECT reserved FROM wallets')).toEqual([{ reserved: 0 }])
    expect(await world.rows('SELECT * FROM issues')).toEqual([])
  })

  test('webOtp: false is what is done without it: the same request', async () => {
    const order = { phoneNumber: PHONE, purpose: 'a', idempotencyKey: 'web-otp' }
    const first = await issue({ ...order, webOtp: false })
    expect(first.status).toBe(200)
    expect((await issue(order)).body).toEqual(first.body)
    const { status, body } = await issue({ ...order, idempotencyKey: 'web-otp-2', webOtp: true })
    expect([status, body.data]).toEqual([400, { param: 'webOtp', reason: 'not_a_choice' }])
  })

  test('boundaries that are allowed', async () => {
    const answer = await issue({
      phoneNumber: `  ${PHONE}  `,
      purpose: '가'.repeat(64),
      from: 'x'.repeat(64),
      expiresInSec: 600,
      maxAttempts: 10,
      cost: 1,
      metadata: Object.fromEntries(Array.from({ length: 32 }, (_, index) => [`k${index}`, 'v'])),
    })
    expect(answer.status).toBe(200)
    expect(answer.body.attemptsRemaining).toBe(10)
  })
})
