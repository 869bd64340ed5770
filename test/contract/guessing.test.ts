/** Guessing at one phone, over all its codes. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/shared/value'
import * as administer from '../../src/usecases/administer'
import { erasePhone } from '../../src/usecases/erase-phone'
import { UNTOLD } from '../support/untold'
import { type Furnished, START, WIRES, World } from '../support/world'

const PHONE = '010-1234-5678'
const ORIGIN = 'https://app.example.com'
const LIMITS = {
  WATCHWORD_LIMIT_ISSUES_PER_PHONE_10_MIN: '1000',
  WATCHWORD_LIMIT_ISSUES_PER_PHONE_DAY: '1000',
  WATCHWORD_LIMIT_PK_ISSUES_PER_MIN_PER_IP: '1000',
}
const LONGEST_PAUSE_MS = 32 * MINUTE_MS

const otherThan = (code: string) => (code === '111111' ? '222222' : '111111')

describe.each(WIRES)('guessing over %s', (wire) => {
  let world: World
  let keys: Furnished
  let browser: string
  let made = 0

  beforeEach(async () => {
    world = await World.start({ env: LIMITS })
    keys = await world.furnish()
    browser = await world.key({ appId: keys.appId, kind: 'pk', mode: 'live', allowedOrigins: [ORIGIN] })
  })
  afterEach(() => world.stop())

  const issue = (key = keys.live, input: object = {}) =>
    world.call(
      wire,
      'issue',
      { phoneNumber: PHONE, purpose: 'login', idempotencyKey: `k${made++}`, ...input },
      { key, ...(key === browser && { headers: { origin: ORIGIN } }) },
    )
  const verify = async (issueId: string, code: string, key = keys.live) =>
    (
      await world.call(
        wire,
        'verify',
        { issueId, code },
        { key, ...(key === browser && { headers: { origin: ORIGIN } }) },
      )
    ).body

  /** So many wrong codes of one issue. */
  async function mistake(times: number, key = keys.live, input: object = {}) {
    const { status, body } = await issue(key, { maxAttempts: 10, ...input })
    expect(status).toBe(200)
    await world.settle()
    const wrong = otherThan(world.sms.lastCode())
    for (let n = 0; n < times; n++) await verify(body.issueId, wrong, key)
    return { issueId: body.issueId as string, code: world.sms.lastCode() }
  }
  const expectWait = async (ms: number, key = keys.live) => {
    const { status, body, headers } = await issue(key)
    expect({ status, data: body.data }).toEqual({
      status: 429,
      data: { limit: 'failures', policy: 'platform', retryAfterMs: ms },
    })
    expect(headers.get('retry-after')).toBe(String(ms / 1_000))
  }

  const operator = () => {
    const { numbering, idempotencyDays, liveRetentionDays } = world.config
    return { ...world.admin, telemetry: UNTOLD, numbering, idempotencyDays, liveRetentionDays }
  }
  const openPhone = () => world.run(administer.unlockPhone(operator(), keys.appId, PHONE))

  test('nine wrong codes, over two codes, cost nothing; from the tenth on the next code has to wait', async () => {
    await mistake(5)
    await mistake(4)
    await mistake(1)
    await expectWait(MINUTE_MS)
    world.clock.step(MINUTE_MS)
    await mistake(1)
    await expectWait(2 * MINUTE_MS)
  })

  test('what is guessed at a code that has ended counts nothing', async () => {
    const { issueId } = await mistake(5, keys.live, { maxAttempts: 5 })
    for (let n = 0; n < 10; n++)
      expect(await verify(issueId, '333333')).toMatchObject({ verified: false, reasonCode: 'MAX_ATTEMPTS' })
    expect((await issue()).status).toBe(200)
  })

  test('a right code ends the row, also while the next one has to wait', async () => {
    const { issueId, code } = await mistake(9)
    await mistake(1, keys.live, { purpose: 'another' })
    await expectWait(MINUTE_MS)
    expect(await verify(issueId, code)).toMatchObject({ verified: true })
    expect((await issue()).status).toBe(200)
  })

  test('an operator opens a phone, which then gets a code at once', async () => {
    await mistake(10)
    await mistake(10, browser, { purpose: 'page' })
    for (const key of [keys.live, browser]) await expectWait(MINUTE_MS, key)
    expect(await openPhone()).toEqual({ wasWaiting: true })
    for (const key of [keys.live, browser]) expect((await issue(key, { purpose: key })).status).toBe(200)
    expect(await openPhone()).toEqual({ wasWaiting: false })
    const noted = await world.rows<{ detail: string }>("SELECT detail FROM audit_entries WHERE action = 'app.unlock'")
    expect(noted).toEqual([{ detail: '{}' }])
  })

  test('it is the kind of key that issued a code which counts, whichever verifies it', async () => {
    for (const [issuing, verifying] of [
      [browser, keys.live],
      [keys.live, browser],
    ] as const) {
      const { body } = await issue(issuing, { maxAttempts: 10 })
      await world.settle()
      for (let n = 0; n < 10; n++) await verify(body.issueId, otherThan(world.sms.lastCode()), verifying)
      await expectWait(MINUTE_MS, issuing)
      expect((await issue(verifying, { purpose: 'the other' })).status).toBe(200)
      await openPhone()
    }
  })

  describe('a hundred wrong codes in a row', () => {
    const CODES = 10

    /** Ten codes with ten attempts each are out before the first of them is mistaken; answers another one that is out as well. */
    async function mistakeMany(times: number, key = keys.live) {
      const out: Array<{ issueId: string; code: string }> = []
      for (let n = 0; n <= CODES; n++) {
        const { body } = await issue(key, { purpose: `${key} ${n}`, maxAttempts: 10 })
        await world.settle()
        out.push({ issueId: body.issueId, code: world.sms.lastCode() })
      }
      for (let n = 0; n < times; n++) {
        const { issueId, code } = out[n % CODES] ?? { issueId: '', code: '' }
        expect((await verify(issueId, otherThan(code), key)).verified).toBe(false)
      }
      return out[CODES] ?? { issueId: '', code: '' }
    }

    test('lock the phone for a day from the last of them on, and one fewer only has it wait', async () => {
      const { issueId, code } = await mistakeMany(99)
      await expectWait(LONGEST_PAUSE_MS)
      await verify(issueId, otherThan(code))
      await expectWait(DAY_MS)
      world.clock.step(HOUR_MS)
      await expectWait(DAY_MS - HOUR_MS)
      const second = await world.key({ appId: keys.appId, kind: 'sk', mode: 'live' })
      await expectWait(DAY_MS - HOUR_MS, second)
      world.clock.step(DAY_MS - HOUR_MS - SECOND_MS)
      await expectWait(SECOND_MS)
      world.clock.step(SECOND_MS)
      expect((await issue()).status).toBe(200)
    })

    test('are forgiven by a right one of a code that was out already', async () => {
      const { issueId, code } = await mistakeMany(100)
      await expectWait(DAY_MS)
      expect(await verify(issueId, code)).toMatchObject({ verified: true })
      expect((await issue()).status).toBe(200)
    })

    test('with a browser key lock nothing that a backend does', async () => {
      await mistakeMany(100, browser)
      await expectWait(DAY_MS, browser)
      expect((await issue()).status).toBe(200)
    })

    test('lock it also for whoever has had its data erased, and where the server starts anew', async () => {
      await mistakeMany(100)
      await world.run(erasePhone(operator(), { phoneNumber: PHONE, appId: undefined }))
      await expectWait(DAY_MS)
      await world.advance(3 * MINUTE_MS)
      await world.run(world.sweep())
      const left = DAY_MS - (world.clock.now() - START)
      await expectWait(left)
      const { place, clock } = world
      await world.run(world.app.stop())
      world = await World.start({ env: LIMITS, place, clock, seed: 2 })
      const { body } = await issue()
      expect(body.data).toMatchObject({ limit: 'failures' })
      expect(body.data.retryAfterMs).toBeGreaterThan(left - MINUTE_MS)
    })

    test('are forgiven by an operator, at once', async () => {
      await mistakeMany(100)
      await expectWait(DAY_MS)
      expect(await openPhone()).toEqual({ wasWaiting: true })
      for (let n = 0; n < 2; n++) expect((await issue(keys.live, { maxAttempts: 5 })).body.attemptsRemaining).toBe(5)
    })

    test('lock it until an operator opens it, where the owner wants that', async () => {
      await world.run(administer.protectApp(world.admin, keys.appId, { lockMs: null }))
      await mistakeMany(100)
      world.clock.step(40 * DAY_MS)
      await expectWait(DAY_MS)
      await openPhone()
      expect((await issue()).status).toBe(200)
    })
  })

  test('a replay is answered all the same', async () => {
    const request = { phoneNumber: PHONE, purpose: 'login', idempotencyKey: 'same', maxAttempts: 10 }
    const first = await world.call(wire, 'issue', request, { key: keys.live })
    await world.settle()
    const wrong = otherThan(world.sms.lastCode())
    for (let n = 0; n < 10; n++) await verify(first.body.issueId, wrong)
    const again = await world.call(wire, 'issue', request, { key: keys.live })
    expect({ status: again.status, body: again.body }).toEqual({ status: 200, body: first.body })
  })

  test('another phone goes free, and what a browser key brought about is not a backend’s', async () => {
    await mistake(10, browser)
    await expectWait(MINUTE_MS, browser)
    expect((await issue(browser, { phoneNumber: '010-9999-8888' })).status).toBe(200)
    expect((await issue()).status).toBe(200)
  })

  test('a refusal reserves nothing and stores nothing', async () => {
    await mistake(10)
    const before = (await world.call(wire, 'balance', {}, { key: keys.live })).body.balance
    const { body } = await world.call(wire, 'listIssues', {}, { key: keys.live })
    await expectWait(MINUTE_MS)
    expect((await world.call(wire, 'balance', {}, { key: keys.live })).body.balance).toBe(before)
    expect((await world.call(wire, 'listIssues', {}, { key: keys.live })).body.items).toHaveLength(body.items.length)
  })

  test('sixty in a month leave one code in three days with one attempt, whatever the owner verifies', async () => {
    for (let code = 0; code < 6; code++) {
      await mistake(10)
      world.clock.step(40 * MINUTE_MS)
    }
    const { body } = await issue(keys.live, { maxAttempts: 5 })
    expect(body.attemptsRemaining).toBe(1)
    await world.settle()
    expect(await verify(body.issueId, world.sms.lastCode())).toMatchObject({ verified: true })
    world.clock.step(DAY_MS)
    await expectWait(2 * DAY_MS)
  })

  test('an operator ends that, before and after the one code: each has all its attempts again', async () => {
    const becomeSeldom = async () => {
      for (let code = 0; code < 6; code++) {
        const { issueId } = await mistake(10)
        world.clock.step(40 * MINUTE_MS)
        if (code < 5) continue
        const last = await issue(keys.live, { maxAttempts: 5 })
        expect([last.body.attemptsRemaining, issueId !== last.body.issueId]).toEqual([1, true])
        await world.settle()
        expect(await verify(last.body.issueId, world.sms.lastCode())).toMatchObject({ verified: true })
      }
    }
    await becomeSeldom()
    await expectWait(3 * DAY_MS)
    expect(await openPhone()).toEqual({ wasWaiting: true })
    for (let n = 0; n < 2; n++) {
      world.clock.step(10 * MINUTE_MS)
      expect((await issue(keys.live, { maxAttempts: 5 })).body.attemptsRemaining).toBe(5)
    }
    expect(await openPhone()).toEqual({ wasWaiting: false })
  })

  test('test keys are never made to wait', async () => {
    const call = (name: 'issue' | 'verify', input: object) => world.call(wire, name, input, { key: keys.test })
    for (let code = 0; code < 3; code++) {
      const { status, body } = await call('issue', {
        ...{ phoneNumber: '010-0000-0000', purpose: 'p', idempotencyKey: `t${made++}`, maxAttempts: 10 },
      })
      expect(status).toBe(200)
      for (let n = 0; n < 10; n++) await call('verify', { issueId: body.issueId, code: '999999' })
    }
  })
})
