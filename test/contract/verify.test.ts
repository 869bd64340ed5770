import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { answered } from '../support/carrier'
import { type Furnished, WIRES, World } from '../support/world'

describe.each(WIRES)('POST /verify over %s', (wire) => {
  let world: World
  let keys: Furnished
  let made = 0

  beforeEach(async () => {
    world = await World.start()
    keys = await world.furnish()
  })
  afterEach(() => world.stop())

  /** A delivered live code. */
  async function issued(input: object = {}) {
    const { body } = await world.call(
      wire,
      'issue',
      { phoneNumber: '010-1234-5678', purpose: 'login', idempotencyKey: `k${made++}`, ...input },
      { key: keys.live },
    )
    await world.settle()
    const code = world.sms.lastCode()
    return {
      issueId: body.issueId as string,
      expiresAt: body.expiresAt as string,
      code,
      wrong: code === '111111' ? '222222' : '111111',
    }
  }
  const verify = async (issueId: string, code: string, key = keys.live) => {
    const { status, body } = await world.call(wire, 'verify', { issueId, code }, { key })
    expect(status).toBe(200)
    return body
  }

  test('the right code verifies, once, with verifiedAt', async () => {
    const { issueId, code, expiresAt } = await issued()
    const first = await verify(issueId, code)
    expect(first).toEqual({
      issueId,
      verified: true,
      attemptsRemaining: 5,
      expiresAt,
      verifiedAt: new Date(world.clock.now()).toISOString(),
      mode: 'live',
    })
    expect(await verify(issueId, code)).toMatchObject({ verified: false, reasonCode: 'ALREADY_VERIFIED' })
  })

  test('an expired code is EXPIRED from the very millisecond on, and uses no attempt', async () => {
    const { issueId, code, wrong } = await issued({ expiresInSec: 30 })
    world.clock.step(29_999)
    expect(await verify(issueId, wrong)).toMatchObject({ reasonCode: 'MISMATCH', attemptsRemaining: 4 })
    world.clock.step(1)
    expect(await verify(issueId, code)).toMatchObject({ verified: false, reasonCode: 'EXPIRED', attemptsRemaining: 4 })
    await world.advance(5_000)
    expect(await verify(issueId, code)).toMatchObject({ verified: false, reasonCode: 'EXPIRED', attemptsRemaining: 4 })
  })

  test('replaced comes before everything else, verified before max attempts and expiry', async () => {
    const old = await issued()
    await issued()
    world.clock.step(200_000)
    expect(await verify(old.issueId, old.code)).toMatchObject({ reasonCode: 'REPLACED' })
    const done = await issued({ purpose: 'other' })
    await verify(done.issueId, done.code)
    world.clock.step(200_000)
    expect(await verify(done.issueId, done.code)).toMatchObject({ reasonCode: 'ALREADY_VERIFIED' })
  })

  test.each(['0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77', 'no-uuid', '한글', 'x'.repeat(129)])(
    'the unknown id %s is NOT_FOUND, now',
    async (issueId) => {
      expect(await verify(issueId, '123456')).toEqual({
        issueId,
        verified: false,
        reasonCode: 'NOT_FOUND',
        attemptsRemaining: 0,
        expiresAt: new Date(world.clock.now()).toISOString(),
        mode: 'live',
      })
    },
  )

  test("another app's issue and the other mode's are NOT_FOUND, and stay untouched", async () => {
    const { issueId, code } = await issued()
    const { createApp } = await import('../../src/usecases/administer')
    const { appId } = await createApp(world.admin, { name: 'other' })
    const foreign = await world.key({ appId, kind: 'sk', mode: 'live' })
    expect(await verify(issueId, code, foreign)).toMatchObject({ reasonCode: 'NOT_FOUND' })
    expect(await verify(issueId, code, keys.test)).toMatchObject({ reasonCode: 'NOT_FOUND', mode: 'test' })
    expect(await verify(issueId, code)).toMatchObject({ verified: true })
  })

  test('an id in capitals is the same id', async () => {
    const { issueId, code } = await issued()
    expect(await verify(issueId.toUpperCase(), code)).toMatchObject({ verified: true })
  })

  test('a hundred wrong guesses at once never get more than maxAttempts tries', async () => {
    const { issueId, wrong, code } = await issued({ maxAttempts: 5 })
    const answers = await Promise.all(Array.from({ length: 100 }, () => verify(issueId, wrong)))
    expect(answers.filter(({ reasonCode }) => reasonCode === 'MISMATCH')).toHaveLength(4)
    expect(answers.filter(({ reasonCode }) => reasonCode === 'MAX_ATTEMPTS')).toHaveLength(96)
    expect(await world.rows('SELECT attempts_used FROM issues')).toEqual([{ attempts_used: 5 }])
    expect(await verify(issueId, code)).toMatchObject({ verified: false })
  })

  test('a hundred right ones at once verify exactly once', async () => {
    const { issueId, code } = await issued()
    const answers = await Promise.all(Array.from({ length: 100 }, () => verify(issueId, code)))
    expect(answers.filter(({ verified }) => verified)).toHaveLength(1)
    expect(answers.filter(({ reasonCode }) => reasonCode === 'ALREADY_VERIFIED')).toHaveLength(99)
  })

  test('a rejected request never uses an attempt', async () => {
    const { issueId } = await issued()
    for (const code of ['12345', '1234567', 'abcdef', '', '１２３４５６', ' 123456']) {
      const { status } = await world.call(wire, 'verify', { issueId, code }, { key: keys.live })
      expect(status).toBe(400)
    }
    expect(await world.rows('SELECT attempts_used FROM issues')).toEqual([{ attempts_used: 0 }])
  })

  test('number and text are erased with the right code', async () => {
    world.sms.script(() => answered(429, {}))
    const { issueId, code } = await issued()
    expect(await world.rows('SELECT * FROM outbox')).toHaveLength(1)
    await verify(issueId, code)
    expect(await world.rows('SELECT * FROM outbox')).toHaveLength(0)
  })
})
