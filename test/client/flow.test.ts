/** The flow, one rule at a time, in virtual time. */
import { afterEach, describe, expect, jest, setSystemTime, spyOn, test } from 'bun:test'
import { WatchwordError } from '../../client'
import {
  createFlow,
  type FlowCan,
  type FlowState,
  type FlowStatus,
  type FlowTransport,
  readCode,
} from '../../client/flow'
import { VirtualClock } from '../support/clock'
import { START } from '../support/world'
import { COOLDOWN_MS, type Fate, LIFETIME_MS, Page, PHONE, refusal, Service } from './flow-support'

afterEach(() => {
  jest.restoreAllMocks()
  setSystemTime()
})

const can = (...allowed: Array<keyof FlowCan>): FlowCan => {
  const nothing = { send: false, submit: false, resend: false, changeNumber: false, cancel: false }
  return { ...nothing, ...Object.fromEntries(allowed.map((action) => [action, true])) }
}

/** Each status the flow has, from now on. */
function statuses(page: Page): FlowStatus[] {
  const seen: FlowStatus[] = []
  page.flow.subscribe(() => {
    if (seen.at(-1) !== page.state.status) seen.push(page.state.status)
  })
  return seen
}

describe('a message that is not delivered', () => {
  const watched = (told: readonly string[]) => {
    const clock = new VirtualClock(START)
    const service = new Service(clock)
    const asked: Array<string | undefined> = []
    const delivery: FlowTransport['delivery'] = async ({ issueId }) => {
      asked.push(issueId)
      const deliveryStatus = told[asked.length - 1]
      if (deliveryStatus === undefined) throw refusal(404)
      return { deliveryStatus }
    }
    const transport = { issue: service.issue.bind(service), verify: service.verify.bind(service), delivery }
    return { page: new Page({ clock, transport }), asked }
  }

  test('is told to the user, who may ask for another code', async () => {
    const { page, asked } = watched(['queued', 'sent', 'failed'])
    await page.send()
    await page.pass(29_000)
    expect(page.state.text).toEqual({ key: 'code_sent' })
    await page.pass(1_000)
    expect(page.state).toMatchObject({ status: 'awaiting_code', reason: 'undelivered', text: { key: 'undelivered' } })
    expect(page.state.can).toEqual(can('submit', 'resend', 'changeNumber'))
    await page.resend()
    expect(page.state.text).toEqual({ key: 'code_sent' })
    await page.pass(60_000)
    expect(asked).toEqual(['issue-1', 'issue-1', 'issue-1', 'issue-2'])
  })

  test('is asked for no more once it is delivered, verified, or nobody can tell', async () => {
    for (const told of [['delivered', 'failed'], []]) {
      const { page, asked } = watched(told)
      await page.send()
      await page.pass(120_000)
      expect([page.state.text, asked.length]).toEqual([{ key: 'code_sent' }, 1])
    }
    const { page, asked } = watched(['failed'])
    await page.send()
    await page.submit('100001')
    await page.pass(120_000)
    expect([page.state.status, asked.length]).toEqual(['verified', 1])
  })

  test('does not cover what the user did since', async () => {
    const { page } = watched(['failed'])
    await page.send()
    await page.submit('999999')
    await page.pass(10_000)
    expect(page.state).toMatchObject({ reason: 'MISMATCH' })
  })

  test('is watched for after a reload, too', async () => {
    const { page, asked } = watched(['failed'])
    await page.send()
    page.reload()
    await page.pass(5_000)
    expect([page.state.text, asked]).toEqual([{ key: 'undelivered' }, ['issue-1']])
  })
})

describe('another way', () => {
  test('is another request, and stays for the next ones', async () => {
    const page = new Page({ input: { channel: 'sms' } })
    const channels = () => page.network.sent.map(({ request }) => (request as { channel?: string }).channel)
    await page.send()
    await page.pass(COOLDOWN_MS)
    page.network.fates = [{ kind: 'unanswered' }]
    await page.until(page.flow.resend({ channel: 'alimtalk' }))
    expect(page.state).toMatchObject({ status: 'awaiting_code', channel: 'alimtalk' })
    page.reload()
    await page.pass(COOLDOWN_MS)
    await page.resend()
    expect(channels()[0]).toBe('sms')
    expect(new Set(channels().slice(1))).toEqual(new Set(['alimtalk']))
    page.flow.reset()
    await page.send('010-1234-9999')
    expect(channels().at(-1)).toBe('sms')
  })

  test('never repeats the key of the way before', async () => {
    const page = new Page({ retries: { attempts: 1 } })
    page.network.fates = [{ kind: 'unanswered' }, { kind: 'unsent' }]
    await page.send()
    await page.until(page.flow.resend({ channel: 'alimtalk' }))
    await page.resend()
    const [first, second, third] = page.keys()
    expect(second).not.toBe(first)
    expect(third).toBe(second)
  })
})

describe('a proof of a human', () => {
  test.each(['challenge_required', 'challenge_failed'])(
    '%s: it is sent with the next request, once',
    async (reason) => {
      const page = new Page()
      page.network.fates = [{ kind: 'refused', status: 403, data: { param: 'challenge', reason } }]
      const challenges = () => page.network.sent.map(({ request }) => (request as { challenge?: string }).challenge)
      await page.send()
      expect(page.state).toMatchObject({ status: 'idle', reason: 'challenge_required', can: can('send') })
      await page.until(page.flow.send(PHONE, { challenge: 'token' }))
      expect(page.state).toMatchObject({ status: 'awaiting_code' })
      await page.pass(COOLDOWN_MS)
      await page.resend()
      expect(challenges()).toEqual([undefined, 'token', undefined])
      expect(new Set(page.keys()).size).toBe(3)
      expect(page.written.join()).not.toContain('token')
    },
  )

  test('for another code leaves the one before', async () => {
    const page = new Page()
    await page.send()
    await page.pass(COOLDOWN_MS)
    page.network.fates = [{ kind: 'refused', status: 403, data: { reason: 'challenge_required' } }]
    await page.resend()
    expect(page.state).toMatchObject({ status: 'awaiting_code', reason: 'challenge_required' })
    expect(await page.submit(page.code)).toMatchObject({ status: 'verified' })
  })
})

describe('from a number to a verified one', () => {
  test('each state says what may be done, when, and what to tell', async () => {
    const page = new Page()
    expect(page.state).toEqual({ status: 'idle', phoneNumber: '', can: can('send') })
    const sending = page.flow.send(` ${PHONE} `)
    expect(page.state).toEqual({
      ...{ status: 'sending', phoneNumber: PHONE, text: { key: 'sending' } },
      can: can('changeNumber', 'cancel'),
    })
    expect(await page.until(sending)).toEqual({
      ...{ status: 'awaiting_code', phoneNumber: PHONE, issueId: 'issue-1', text: { key: 'code_sent' } },
      ...{ expiresInMs: LIFETIME_MS, resendInMs: COOLDOWN_MS, submitInMs: 0, attemptsRemaining: 5 },
      can: can('submit', 'changeNumber'),
    })
    await page.pass(COOLDOWN_MS)
    expect(page.state).toMatchObject({
      ...{ expiresInMs: LIFETIME_MS - COOLDOWN_MS, resendInMs: 0 },
      can: can('submit', 'resend', 'changeNumber'),
    })
    const wrong = page.flow.submit('999999')
    expect(page.state).toEqual({
      ...{ status: 'verifying', phoneNumber: PHONE, issueId: 'issue-1', text: { key: 'verifying' } },
      ...{ expiresInMs: LIFETIME_MS - COOLDOWN_MS, can: can('changeNumber', 'cancel') },
    })
    expect(await page.until(wrong)).toMatchObject({
      ...{ status: 'awaiting_code', attemptsRemaining: 4, reason: 'MISMATCH' },
      text: { key: 'MISMATCH', attemptsRemaining: 4 },
    })
    expect(await page.submit(page.code)).toEqual({
      ...{ status: 'verified', phoneNumber: PHONE, issueId: 'issue-1', text: { key: 'verified' }, can: can() },
      answer: { verified: true, attemptsRemaining: 4 },
    })
    expect(page.errors).toEqual([])
  })

  test('the last wrong code locks; another code opens', async () => {
    const page = new Page()
    await page.send()
    for (let wrong = 0; wrong < 4; wrong++) await page.submit('999999')
    expect(page.state).toMatchObject({ status: 'awaiting_code', attemptsRemaining: 1 })
    expect(await page.submit('999999')).toEqual({
      ...{ status: 'locked', phoneNumber: PHONE, reason: 'MAX_ATTEMPTS', text: { key: 'MAX_ATTEMPTS' } },
      ...{ resendInMs: COOLDOWN_MS, can: can('changeNumber') },
    })
    await page.pass(COOLDOWN_MS)
    expect(page.state).toMatchObject({ resendInMs: 0, can: can('resend', 'changeNumber') })
    await page.resend()
    expect(await page.submit(page.code)).toMatchObject({ status: 'verified' })
  })

  test('a code ends by itself, with nobody asked', async () => {
    const page = new Page()
    await page.send()
    await page.pass(LIFETIME_MS - 1)
    expect(page.state).toMatchObject({ status: 'awaiting_code', expiresInMs: 1_000 })
    await page.pass(1)
    expect(page.state).toEqual({
      ...{ status: 'failed', phoneNumber: PHONE, reason: 'EXPIRED', text: { key: 'EXPIRED' } },
      ...{ resendInMs: 0, can: can('resend', 'changeNumber') },
    })
    expect(page.network.sent).toHaveLength(1)
    expect(await page.resend()).toMatchObject({ status: 'awaiting_code', issueId: 'issue-2' })
  })

  test('a code that was replaced elsewhere is over', async () => {
    const page = new Page()
    await page.send()
    page.service.replaceAll()
    expect(await page.submit(page.code)).toMatchObject({ status: 'failed', reason: 'REPLACED' })
  })

  test('what else is to be sent is sent', async () => {
    const page = new Page({ purpose: 'login', input: { templateId: 'otp_default_en' } })
    await page.send()
    expect(page.network.sent[0]?.request).toMatchObject({ purpose: 'login', templateId: 'otp_default_en' })
  })
})

describe('what may not be done is not done:', () => {
  test('a second click while the first is under way', async () => {
    const page = new Page()
    const clicks = [page.flow.send(PHONE), page.flow.send(PHONE), page.flow.resend(), page.flow.submit('123456')]
    for (const click of clicks) await page.until(click)
    expect(page.network.sent).toHaveLength(1)
    const typed = [page.flow.submit('999999'), page.flow.submit('999999'), page.flow.resend(), page.flow.send(PHONE)]
    for (const one of typed) await page.until(one)
    expect(page.network.sent).toHaveLength(2)
    expect(page.state).toMatchObject({ status: 'awaiting_code', attemptsRemaining: 4 })
  })

  test('another code while a code is checked, or before its time', async () => {
    const page = new Page()
    await page.send()
    expect(await page.resend()).toMatchObject({ status: 'awaiting_code', issueId: 'issue-1' })
    await page.pass(COOLDOWN_MS)
    page.network.fates = [{ kind: 'fine', backMs: 5_000 }]
    const checking = page.flow.submit(page.code)
    expect(await page.flow.resend()).toMatchObject({ status: 'verifying' })
    expect(await page.until(checking)).toMatchObject({ status: 'verified' })
    expect(page.keys()).toHaveLength(1)
  })

  test('a number that is none, and a code that is none', async () => {
    const page = new Page()
    expect(await page.send('  ')).toMatchObject({ status: 'idle' })
    await page.send()
    expect(await page.submit('12345')).toMatchObject({ status: 'awaiting_code', reason: 'code_not_six_digits' })
    expect(page.network.sent).toHaveLength(1)
  })

  test('anything before there is a number, and after it is verified', async () => {
    const page = new Page()
    for (const act of [() => page.resend(), () => page.submit('123456'), () => page.flow.cancel()])
      expect(await act()).toMatchObject({ status: 'idle' })
    expect(page.flow.changeNumber()).toMatchObject({ status: 'idle' })
    await page.send()
    await page.submit(page.code)
    for (const act of [() => page.resend(), () => page.submit('123456'), () => page.send(), () => page.flow.cancel()])
      expect(await act()).toMatchObject({ status: 'verified' })
    expect(page.flow.changeNumber()).toMatchObject({ status: 'verified' })
    expect(page.network.sent).toHaveLength(2)
    expect(page.flow.reset()).toEqual({ status: 'idle', phoneNumber: '', can: can('send') })
  })
})

describe('lost answers', () => {
  test.each<[string, Fate]>([
    ['that never got there', { kind: 'unsent' }],
    ['whose answer was lost', { kind: 'unanswered' }],
    ['that hangs', { kind: 'hangs' }],
    ['that failed', { kind: 'refused', status: 500 }],
    ['that cannot be done now', { kind: 'refused', status: 503, data: { retryAfterMs: 2_000 } }],
    ['that is one too many for a moment', { kind: 'refused', status: 429, data: { retryAfterMs: 2_000 } }],
  ])('an order %s is repeated with its key: one code', async (_, fate) => {
    const page = new Page()
    page.network.fates = [fate, fate]
    expect(await page.send()).toMatchObject({ status: 'awaiting_code', issueId: 'issue-1' })
    expect(page.keys()).toHaveLength(3)
    expect(new Set(page.keys()).size).toBe(1)
    expect(page.service.issues).toHaveLength(1)
    expect(page.errors).toHaveLength(2)
  })

  test('an order that stays lost may be made again by hand, with its key', async () => {
    const page = new Page()
    page.network.fates = [{ kind: 'unanswered' }, { kind: 'unsent' }, { kind: 'unsent' }]
    expect(await page.send()).toMatchObject({
      ...{ status: 'failed', reason: 'NETWORK_ERROR', text: { key: 'NETWORK_ERROR' }, resendInMs: 0 },
      can: can('resend', 'changeNumber'),
    })
    expect(await page.resend()).toMatchObject({ status: 'awaiting_code', issueId: 'issue-1' })
    expect(new Set(page.keys()).size).toBe(1)
  })

  test.each(['has expired', 'was replaced'])(
    'an order whose code %s before anybody heard of it is made anew',
    async (how) => {
      const page = new Page()
      page.network.fates = [{ kind: 'unanswered' }, { kind: 'unsent' }, { kind: 'unsent' }]
      await page.send()
      await page.pass(how === 'has expired' ? LIFETIME_MS : COOLDOWN_MS)
      if (how === 'was replaced') page.service.replaceAll()
      expect(await page.resend()).toMatchObject({ status: 'awaiting_code', issueId: 'issue-2' })
      expect(await page.submit(page.code)).toMatchObject({ status: 'verified' })
    },
  )

  test('another number is another order', async () => {
    const page = new Page()
    page.network.fates = [{ kind: 'unanswered' }, { kind: 'unsent' }, { kind: 'unsent' }]
    await page.send()
    page.flow.changeNumber()
    expect(await page.send('010-8765-4321')).toMatchObject({ status: 'awaiting_code', issueId: 'issue-2' })
    expect(new Set(page.keys()).size).toBe(2)
  })

  test('a code of an order whose answer was lost verifies, though another one was there before', async () => {
    const page = new Page()
    await page.send()
    await page.pass(COOLDOWN_MS)
    page.network.fates = [{ kind: 'unanswered' }, { kind: 'unsent' }, { kind: 'unsent' }]
    expect(await page.resend()).toMatchObject({
      ...{ status: 'awaiting_code', issueId: 'issue-1', reason: 'NETWORK_ERROR' },
      can: can('submit', 'resend', 'changeNumber'),
    })
    expect(page.service.issues).toHaveLength(2)
    expect(await page.submit(page.code)).toMatchObject({ status: 'verified', issueId: 'issue-2' })
    expect(page.service.issues).toHaveLength(2)
  })

  test.each<[string, Fate, string]>([
    ['that never got there', { kind: 'unsent' }, 'NETWORK_ERROR'],
    ['whose answer was lost', { kind: 'unanswered' }, 'NETWORK_ERROR'],
    ['that hangs', { kind: 'hangs' }, 'NETWORK_ERROR'],
    ['that failed', { kind: 'refused', status: 500 }, 'SERVICE_UNAVAILABLE'],
  ])('a check %s is not repeated: it may have used an attempt', async (_, fate, reason) => {
    const page = new Page()
    await page.send()
    page.network.fates = [fate]
    const state = await page.submit('999999')
    expect(state).toMatchObject({ status: 'awaiting_code', reason, can: can('submit', 'changeNumber') })
    expect(state).not.toHaveProperty('attemptsRemaining')
    expect(page.network.sent).toHaveLength(2)
    expect(await page.submit(page.code)).toMatchObject({ status: 'verified' })
  })

  test.each([503, 429])('a check that was refused with %i was not made, and is repeated', async (status) => {
    const page = new Page()
    await page.send()
    page.network.fates = [{ kind: 'refused', status, data: { retryAfterMs: 1_000 } }]
    expect(await page.submit(page.code)).toMatchObject({ status: 'verified' })
    expect(page.network.sent).toHaveLength(3)
  })

  test('a right code whose answer was lost is used up: no success, and another code helps', async () => {
    const page = new Page()
    await page.send()
    page.network.fates = [{ kind: 'unanswered' }]
    await page.submit(page.code)
    expect(await page.submit(page.code)).toMatchObject({ status: 'failed', reason: 'ALREADY_VERIFIED' })
    await page.pass(COOLDOWN_MS)
    await page.resend()
    expect(await page.submit(page.code)).toMatchObject({ status: 'verified', issueId: 'issue-2' })
  })
})

describe('refusals', () => {
  test.each([
    [400, { param: 'phoneNumber', reason: 'invalid_phone_number' }, 'idle', 'invalid_phone_number'],
    [400, { param: 'phoneNumber', reason: 'too_long' }, 'idle', 'invalid_phone_number'],
    [403, { reason: 'country_closed' }, 'idle', 'country_closed'],
    [400, { param: 'templateId', reason: 'unknown_template' }, 'failed', 'SERVICE_UNAVAILABLE'],
    [401, {}, 'failed', 'SERVICE_UNAVAILABLE'],
    [402, { code: 'INSUFFICIENT_CREDIT' }, 'failed', 'SERVICE_UNAVAILABLE'],
    [403, { reason: 'a_reason_of_next_year' }, 'failed', 'SERVICE_UNAVAILABLE'],
    [429, { limit: 'perPhone', retryAfterMs: 60_000 }, 'failed', 'TOO_MANY_REQUESTS'],
    [429, { limit: 'failures', retryAfterMs: 60_000 }, 'locked', 'failures'],
  ] as const)('of an order with %i %p lead to %s: %s', async (status, data, expected, reason) => {
    const page = new Page()
    page.network.fates = [{ kind: 'refused', status, data }]
    expect(await page.send()).toMatchObject({ status: expected, reason, text: { key: reason } })
    expect(page.network.sent).toHaveLength(1)
    expect(page.errors).toEqual([refusal(status, data)])
  })

  test('a wait is told and counted, and is over one day', async () => {
    const page = new Page()
    const data = { limit: 'failures', retryAfterMs: 90_000 }
    page.network.fates = [{ kind: 'refused', status: 429, data }]
    expect(await page.send()).toMatchObject({ resendInMs: 90_000, text: { key: 'failures', waitMs: 90_000 } })
    await page.pass(30_500)
    expect(page.state).toMatchObject({ resendInMs: 60_000, text: { waitMs: 60_000 }, can: can('changeNumber') })
    await page.pass(59_500)
    expect(page.state).toMatchObject({
      ...{ status: 'locked', resendInMs: 0, text: { key: 'resend_possible' } },
      can: can('resend', 'changeNumber'),
    })
  })

  test('a code that is there stays, whatever becomes of the next one', async () => {
    const page = new Page()
    await page.send()
    await page.pass(COOLDOWN_MS)
    page.network.fates = [{ kind: 'refused', status: 429, data: { limit: 'perPhone', retryAfterMs: 60_000 } }]
    expect(await page.resend()).toMatchObject({
      ...{ status: 'awaiting_code', issueId: 'issue-1', resendInMs: 60_000 },
      text: { key: 'TOO_MANY_REQUESTS', waitMs: 60_000 },
    })
    await page.pass(60_000)
    expect(page.state).toMatchObject({ text: { key: 'code_sent' } })
    expect(await page.submit(page.code)).toMatchObject({ status: 'verified' })
  })

  test('a check that is one too many waits', async () => {
    const page = new Page()
    await page.send()
    page.network.fates = [{ kind: 'refused', status: 429, data: { limit: 'perKey', retryAfterMs: 20_000 } }]
    expect(await page.submit(page.code)).toMatchObject({
      ...{ submitInMs: 20_000, attemptsRemaining: 5, can: can('changeNumber') },
    })
    expect(await page.submit(page.code)).toMatchObject({ status: 'awaiting_code' })
    await page.pass(20_000)
    expect(await page.submit(page.code)).toMatchObject({ status: 'verified' })
  })

  test('a number that is corrected is another order', async () => {
    const page = new Page()
    page.network.fates = [{ kind: 'refused', status: 400, data: { reason: 'invalid_phone_number' } }]
    expect(await page.send('010-12')).toMatchObject({ status: 'idle', phoneNumber: '010-12', can: can('send') })
    expect(await page.send()).toMatchObject({ status: 'awaiting_code', phoneNumber: PHONE })
    expect(new Set(page.keys()).size).toBe(2)
  })

  test("are read from the client's errors, too", async () => {
    const page = new Page({
      to: {
        issue: () =>
          Promise.reject(
            new WatchwordError({
              ...{ code: 'TOO_MANY_REQUESTS', message: 'no', status: 429, retryAfterMs: 60_000 },
              data: { limit: 'failures', policy: 'platform', retryAfterMs: 59_001 },
            }),
          ),
        verify: () => Promise.reject(new Error('nobody asks')),
      },
    })
    expect(await page.send()).toMatchObject({ status: 'locked', reason: 'failures', resendInMs: 60_000 })
  })

  test('a backend that answers no times is no backend, and is asked for no second code', async () => {
    const asked: string[] = []
    const page = new Page({
      to: {
        issue: async ({ idempotencyKey }) => {
          asked.push(idempotencyKey)
          return { issueId: 'x' } as never
        },
        verify: () => Promise.reject(new Error('nobody asks')),
      },
    })
    expect(await page.send()).toMatchObject({ status: 'failed', reason: 'NETWORK_ERROR' })
    expect(page.errors[0]).toEqual(new TypeError('issue() has to answer expiresAt and queuedAt'))
    await page.resend()
    expect(new Set(asked).size).toBe(1)
  })
})

describe('time', () => {
  const HOUR_MS = 3_600_000

  test.each([-5 * HOUR_MS, 5 * HOUR_MS])('a device that is wrong by %i ms counts right', async (wrongByMs) => {
    const page = new Page()
    setSystemTime(page.clock.now() + wrongByMs)
    expect(await page.send()).toMatchObject({ expiresInMs: LIFETIME_MS, resendInMs: COOLDOWN_MS })
    setSystemTime(page.clock.now() - wrongByMs)
    await page.pass(10_000)
    expect(page.state).toMatchObject({ expiresInMs: LIFETIME_MS - 10_000, resendInMs: COOLDOWN_MS - 10_000 })
  })

  test('what is repeated counts from when it was answered, not from when the code was made', async () => {
    const page = new Page()
    page.network.fates = [{ kind: 'unanswered' }, { kind: 'fine', thereMs: 12_000 }]
    spyOn(Math, 'random').mockReturnValue(0)
    expect(await page.send()).toMatchObject({ expiresInMs: 168_000, resendInMs: 18_000 })
  })

  test('an answer that was long on its way promises nothing too soon', async () => {
    const page = new Page()
    page.network.fates = [{ kind: 'fine', backMs: 10_000 }]
    await page.send()
    expect(page.state).toMatchObject({ resendInMs: COOLDOWN_MS })
    await page.pass(COOLDOWN_MS)
    expect(await page.resend()).toMatchObject({ status: 'awaiting_code', issueId: 'issue-2' })
  })

  test('a service that does not tell the time is believed to have answered at once', async () => {
    const page = new Page()
    const { service } = page
    const silent = {
      issue: async (order: Parameters<typeof service.issue>[0]) => {
        const { serverTime, resendAvailableAt, ...answer } = await service.issue(order)
        return answer
      },
      verify: service.verify.bind(service),
    }
    page.reload({ transport: silent })
    expect(await page.send()).toMatchObject({ expiresInMs: LIFETIME_MS, resendInMs: 0 })
  })

  test('a state changes once a second, and only while somebody listens', async () => {
    const page = new Page()
    await page.send()
    let changes = 0
    const leave = page.flow.subscribe(() => changes++)
    await page.pass(10_000)
    expect(changes).toBe(10)
    const seen = page.state
    expect(page.flow.tick()).toBe(seen)
    leave()
    await page.pass(5_000)
    expect(changes).toBe(10)
  })

  test('nothing is counted where nothing is shown of it', async () => {
    const page = new Page()
    await page.send()
    page.flow.changeNumber()
    expect(page.clock.fireNext(LIFETIME_MS)).toMatchObject({ fired: false })
    await page.send()
    await page.submit(page.code)
    expect(page.state).toMatchObject({ status: 'verified' })
    expect(page.clock.fireNext(LIFETIME_MS)).toMatchObject({ fired: false })
  })

  test('who does not listen looks', async () => {
    const page = new Page()
    const { clock } = page
    const transport = page.network
    const flow = createFlow({ transport, purpose: 'p', clock: { now: clock.elapsed, after: clock.after } })
    await page.until(flow.send(PHONE))
    const before = flow.getSnapshot()
    await page.pass(40_000)
    expect(flow.getSnapshot()).toBe(before)
    expect(flow.tick()).toMatchObject({ expiresInMs: LIFETIME_MS - 40_000, can: { resend: true } })
    await page.pass(LIFETIME_MS)
    expect(await flow.submit('123456')).toMatchObject({ status: 'failed', reason: 'EXPIRED' })
    expect(page.network.sent).toHaveLength(1)
  })
})

describe('giving up', () => {
  test('an order leaves no trace but its key', async () => {
    const page = new Page()
    page.network.fates = [{ kind: 'fine', backMs: 5_000 }]
    const sending = page.flow.send(PHONE)
    expect(page.flow.cancel()).toMatchObject({ status: 'idle', phoneNumber: PHONE, can: can('send') })
    expect(await page.until(sending)).toMatchObject({ status: 'idle' })
    await page.pass(10_000)
    expect(page.state).toMatchObject({ status: 'idle' })
    expect(await page.send()).toMatchObject({ status: 'awaiting_code', issueId: 'issue-1' })
    expect(new Set(page.keys()).size).toBe(1)
    expect(page.errors).toEqual([])
  })

  test('in the very moment of the answer is giving up, or is too late', async () => {
    const outcomes = new Set<string>()
    for (let turns = 0; turns < 30; turns++) {
      const page = new Page()
      const sending = page.flow.send(PHONE)
      for (let turn = 0; turn < turns; turn++) await undefined
      const wasSending = page.state.status === 'sending'
      page.flow.cancel()
      await page.until(sending)
      expect(page.state.status).toBe(wasSending ? 'idle' : 'awaiting_code')
      outcomes.add(page.state.status)
    }
    expect(outcomes.size).toBe(2)
  })

  test('an order for another code leaves the one before', async () => {
    const page = new Page()
    await page.send()
    await page.pass(COOLDOWN_MS)
    page.network.fates = [{ kind: 'hangs' }]
    const sending = page.flow.resend()
    await page.pass(1_000)
    expect(page.flow.cancel()).toMatchObject({ status: 'awaiting_code', issueId: 'issue-1' })
    await page.until(sending)
    expect(await page.submit(page.code)).toMatchObject({ status: 'verified', issueId: 'issue-2' })
  })

  test('a check may have used an attempt', async () => {
    const page = new Page()
    await page.send()
    page.network.fates = [{ kind: 'fine', backMs: 5_000 }]
    const checking = page.flow.submit('999999')
    const state = page.flow.cancel()
    expect(state).toMatchObject({ status: 'awaiting_code', can: can('submit', 'changeNumber') })
    expect(state).not.toHaveProperty('attemptsRemaining')
    await page.until(checking)
    await page.pass(10_000)
    expect(page.state).toMatchObject({ status: 'awaiting_code' })
  })

  test.each(['before', 'during'])('by a signal that fires %s', async (when) => {
    const page = new Page()
    const controller = new AbortController()
    if (when === 'before') controller.abort()
    page.network.fates = [{ kind: 'fine', backMs: 5_000 }]
    const sending = page.flow.send(PHONE, { signal: controller.signal })
    await page.pass(1_000)
    controller.abort()
    expect(await page.until(sending)).toMatchObject({ status: 'idle' })
    expect(page.network.sent).toHaveLength(when === 'before' ? 0 : 1)
  })

  test('a signal that fires late ends nothing else', async () => {
    const page = new Page()
    const controller = new AbortController()
    await page.until(page.flow.send(PHONE, { signal: controller.signal }))
    const checking = page.flow.submit(page.code)
    controller.abort()
    expect(await page.until(checking)).toMatchObject({ status: 'verified' })
  })

  test('is told to who was asked', async () => {
    const signals: AbortSignal[] = []
    const page = new Page({
      to: {
        issue: (_, { signal }) => {
          signals.push(signal)
          return new Promise(() => {})
        },
        verify: () => Promise.reject(new Error('nobody asks')),
      },
    })
    void page.flow.send(PHONE)
    await page.pass(20_000)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false])
    page.flow.cancel()
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
    await page.pass(60_000)
    expect(signals).toHaveLength(2)
  })

  test('a number that is changed and changed back has its code still', async () => {
    const page = new Page()
    await page.send()
    await page.pass(10_000)
    expect(page.flow.changeNumber()).toEqual({ status: 'idle', phoneNumber: PHONE, can: can('send') })
    expect(await page.send()).toMatchObject({ status: 'awaiting_code', issueId: 'issue-1', resendInMs: 20_000 })
    page.flow.changeNumber()
    expect(await page.send('010-8765-4321')).toMatchObject({ status: 'awaiting_code', issueId: 'issue-2' })
    page.flow.changeNumber()
    page.network.fates = [{ kind: 'refused', status: 402 }]
    expect(await page.send()).toMatchObject({ status: 'failed', phoneNumber: PHONE, resendInMs: 0 })
    expect(page.network.sent).toHaveLength(3)
  })
})

describe('after a reload', () => {
  test('an order that was under way goes on with its key', async () => {
    const page = new Page()
    page.network.fates = [{ kind: 'hangs' }]
    void page.flow.send(PHONE)
    await page.pass(1_000)
    page.reload()
    expect(page.state).toMatchObject({ status: 'sending', phoneNumber: PHONE })
    await page.pass(0)
    expect(page.state).toMatchObject({ status: 'awaiting_code', issueId: 'issue-1', expiresInMs: 179_000 })
    expect(new Set(page.keys()).size).toBe(1)
  })

  test('an order whose code is over by now is made by hand', async () => {
    const page = new Page()
    page.network.fates = [{ kind: 'hangs' }]
    void page.flow.send(PHONE)
    await page.pass(1_000)
    page.leave()
    page.clock.leap(LIFETIME_MS)
    page.reload()
    await page.pass(0)
    expect(page.state).toMatchObject({ status: 'failed', reason: 'EXPIRED', can: can('resend', 'changeNumber') })
    expect(page.service.issues).toHaveLength(1)
    expect(await page.resend()).toMatchObject({ status: 'awaiting_code', issueId: 'issue-2' })
  })

  test.each([0, -5, 5])('a code is there still, and counts right, though the clock is set by %i h', async (hours) => {
    const page = new Page()
    setSystemTime(page.clock.now())
    await page.send()
    await page.pass(10_000)
    setSystemTime(page.clock.now() + hours * 3_600_000)
    page.reload()
    expect(page.state).toMatchObject({
      status: 'awaiting_code',
      attemptsRemaining: 5,
      can: can('submit', 'changeNumber'),
    })
    await page.pass(0)
    expect(page.state).toMatchObject({ expiresInMs: LIFETIME_MS - 10_000, resendInMs: COOLDOWN_MS - 10_000 })
    expect(page.service.issues).toHaveLength(1)
    expect(await page.submit(page.code)).toMatchObject({ status: 'verified' })
  })

  test('what nobody can be asked about is not promised too soon', async () => {
    const page = new Page()
    await page.send()
    await page.pass(29_000)
    page.network.fates = [{ kind: 'unsent' }, { kind: 'unsent' }, { kind: 'unsent' }]
    page.reload()
    await page.pass(20_000)
    expect(page.state).toMatchObject({
      status: 'awaiting_code',
      resendInMs: 10_000,
      can: can('submit', 'changeNumber'),
    })
    expect(await page.submit(page.code)).toMatchObject({ status: 'verified' })
  })

  test('the attempts that were used stay used', async () => {
    const page = new Page()
    await page.send()
    await page.submit('999999')
    page.reload()
    await page.pass(0)
    expect(page.state).toMatchObject({ status: 'awaiting_code', attemptsRemaining: 4, reason: 'MISMATCH' })
  })

  test('a check that was under way is not made again', async () => {
    const page = new Page()
    await page.send()
    page.network.fates = [{ kind: 'hangs' }]
    void page.flow.submit('999999')
    await page.pass(1_000)
    page.reload()
    expect(page.state).toMatchObject({ status: 'awaiting_code', reason: 'NETWORK_ERROR' })
    await page.pass(1_000)
    expect(page.network.sent.filter(({ operation }) => operation === 'verify')).toHaveLength(1)
    expect(await page.submit(page.code)).toMatchObject({ status: 'verified' })
  })

  test('a code that was replaced or has expired meanwhile is over', async () => {
    const page = new Page()
    await page.send()
    page.service.replaceAll()
    page.reload()
    await page.pass(0)
    expect(page.state).toMatchObject({ status: 'failed', reason: 'REPLACED' })
    await page.pass(COOLDOWN_MS)
    await page.resend()
    page.leave()
    page.clock.leap(LIFETIME_MS)
    page.reload()
    expect(page.state).toMatchObject({ status: 'awaiting_code' })
    await page.pass(0)
    expect(page.state).toMatchObject({ status: 'failed', reason: 'EXPIRED' })
  })

  test('what is over is over, and what is verified is verified', async () => {
    const page = new Page()
    await page.send()
    for (let wrong = 0; wrong < 5; wrong++) await page.submit('999999')
    const locked = page.state
    page.reload()
    expect(page.state).toEqual(locked)
    await page.pass(COOLDOWN_MS)
    await page.resend()
    await page.submit(page.code)
    const { answer, ...verified } = page.state as Extract<FlowState, { status: 'verified' }>
    expect(answer).toBeDefined()
    page.reload()
    expect(page.state).toEqual(verified)
    page.flow.reset()
    expect(page.stored.size).toBe(0)
  })

  test('a late answer of the page before changes nothing', async () => {
    const page = new Page()
    page.network.fates = [{ kind: 'fine', backMs: 5_000 }]
    void page.flow.send(PHONE)
    await page.pass(1_000)
    page.reload()
    await page.pass(0)
    page.flow.reset()
    await page.pass(10_000)
    expect(page.state).toMatchObject({ status: 'idle' })
    expect(page.stored.size).toBe(0)
  })

  test('a code that was typed meanwhile decides, not what was asked about the one before', async () => {
    const page = new Page()
    await page.send()
    page.network.fates = [{ kind: 'fine', backMs: 3_000 }]
    page.reload()
    expect(await page.submit(page.code)).toMatchObject({ status: 'verified' })
    await page.pass(5_000)
    expect(page.state).toMatchObject({ status: 'verified' })
  })

  test('another number has its own code, whatever is heard of the one before', async () => {
    const page = new Page()
    await page.send()
    page.network.fates = [{ kind: 'fine', backMs: 9_000 }]
    page.reload()
    page.flow.changeNumber()
    const sending = page.flow.send('010-8765-4321')
    await page.pass(1_000)
    expect(await sending).toMatchObject({ status: 'awaiting_code', issueId: 'issue-2' })
    await page.pass(9_000)
    expect(page.state).toMatchObject({ issueId: 'issue-2', expiresInMs: LIFETIME_MS - 10_000 })
    expect(await page.submit(page.code)).toMatchObject({ status: 'verified' })
  })

  test('nothing that was typed as a code is written down', async () => {
    const page = new Page()
    await page.send()
    await page.submit('987 654')
    page.network.fates = [{ kind: 'hangs' }]
    void page.flow.submit(page.code)
    page.reload()
    await page.submit(page.code)
    expect(page.written.length).toBeGreaterThan(5)
    for (const text of page.written) expect(text).not.toMatch(/987.?654|100001|"answer"/)
  })

  test.each([
    ['nobody can read', '{'],
    ['is of another release', JSON.stringify({ form: 2, keptAt: Date.now(), held: { phase: 'imagined' } })],
    ['is a day old', JSON.stringify({ form: 1, keptAt: Date.now() - 86_400_000, held: { phase: 'sending' } })],
    ['is nothing', 'null'],
  ])('what %s is forgotten', async (_, text) => {
    const page = new Page()
    page.stored.set('watchword-flow', text)
    page.reload()
    expect(page.state).toEqual({ status: 'idle', phoneNumber: '', can: can('send') })
    expect(await page.send()).toMatchObject({ status: 'awaiting_code' })
  })

  test('a proof is kept as long as a backend may believe it: who comes back later verifies anew', () => {
    const kept = (agoMs: number) => {
      const held = { phase: 'verified', phoneNumber: PHONE, proof: 'a.b.c', resendAt: 0, submitAt: 0 }
      const page = new Page()
      page.stored.set('watchword-flow', JSON.stringify({ form: 1, keptAt: Date.now() - agoMs, held }))
      page.reload()
      return page.state
    }
    expect(kept(9 * 60_000)).toMatchObject({ status: 'verified', proof: 'a.b.c' })
    expect(kept(10 * 60_000).status).toBe('idle')
  })

  test('a storage that fails is none', async () => {
    const fails = () => {
      throw new Error('QuotaExceededError')
    }
    const page = new Page({ storage: { getItem: fails, setItem: fails, removeItem: fails } })
    await page.send()
    expect(await page.submit(page.code)).toMatchObject({ status: 'verified' })
  })

  test('two flows are kept beside each other', async () => {
    const page = new Page()
    await page.send()
    page.reload({ storageKey: 'another' })
    expect(page.state).toMatchObject({ status: 'idle' })
    page.reload({ storageKey: 'watchword-flow' })
    expect(page.state).toMatchObject({ status: 'awaiting_code' })
  })
})

describe('listeners', () => {
  test('are told of each change, and never see two states of one moment', async () => {
    const page = new Page()
    const seen = statuses(page)
    await page.send()
    await page.submit('999999')
    await page.submit(page.code)
    expect(seen).toEqual(['sending', 'awaiting_code', 'verifying', 'awaiting_code', 'verifying', 'verified'])
    expect(page.state).toBe(page.state)
  })

  test('of one status are told when the flow gets there, with its state', async () => {
    const page = new Page()
    const expired: string[] = []
    const awaited: number[] = []
    const leave = page.flow.on('awaiting_code', ({ expiresInMs }) => awaited.push(expiresInMs))
    page.flow.on('failed', ({ reason }) => expired.push(reason))
    await page.send()
    await page.pass(LIFETIME_MS)
    leave()
    await page.resend()
    expect(awaited).toEqual([LIFETIME_MS])
    expect(expired).toEqual(['EXPIRED'])
  })

  test('that fail harm nobody else', async () => {
    const page = new Page()
    const thrown: unknown[] = []
    spyOn(globalThis, 'queueMicrotask').mockImplementation((callback) => {
      try {
        callback()
      } catch (error) {
        thrown.push(error)
      }
    })
    page.flow.subscribe(() => {
      throw new Error('of the page')
    })
    const seen = statuses(page)
    expect(await page.send()).toMatchObject({ status: 'awaiting_code' })
    expect(seen).toEqual(['sending', 'awaiting_code'])
    expect(thrown).toContainEqual(new Error('of the page'))
  })
})

test.each([
  ['123456', '123456'],
  [' 123 456 ', '123456'],
  ['123-456', '123456'],
  ['１２３４５６', '123456'],
  ['１２３ ４５６', '123456'],
  ['[Watchword] 인증번호는 123456 입니다.', '123456'],
  ['Your code is 123456. It expires in 3 minutes.', '123456'],
  ['12345', undefined],
  ['1234567', undefined],
  ['', undefined],
  ['abcdef', undefined],
  ['123456 or 654321', undefined],
  ['١٢٣٤٥٦', '123456'],
])('of %p the code is %p', (text, code) => {
  expect(readCode(text)).toBe(code)
})

describe('a flow that is closed', () => {
  test('asks, tells and keeps nothing any more; another one goes on from what it has kept', async () => {
    const page = new Page()
    await page.send()
    const [kept, written] = [page.stored.get('watchword-flow'), page.written.length]
    page.network.fates = [{ kind: 'fine', thereMs: 1_000 }]
    const checking = page.flow.submit(page.code)
    const before = page.state
    let told = 0
    page.flow.subscribe(() => told++)
    page.flow.close()
    expect(await page.until(checking)).toBe(before)
    for (const act of [() => page.send(), () => page.submit(page.code), () => page.resend()])
      expect(await act()).toBe(before)
    for (const act of [page.flow.cancel, page.flow.changeNumber, page.flow.reset, page.flow.tick])
      expect(act()).toBe(before)
    await page.pass(LIFETIME_MS)
    expect({ told, sent: page.network.sent.length }).toEqual({ told: 0, sent: 2 })
    expect(page.written.length).toBeLessThanOrEqual(written + 1)
    expect(page.stored.get('watchword-flow')).not.toBe(kept)
    page.reload()
    expect(page.state).toMatchObject({ phoneNumber: PHONE })
  })

  test('is not begun', async () => {
    const page = new Page()
    page.flow.close()
    expect(await page.send()).toMatchObject({ status: 'idle' })
    expect(page.network.sent).toEqual([])
  })

  test('asks nothing after a reload either', async () => {
    const page = new Page()
    await page.send()
    page.network.fates = [{ kind: 'fine', thereMs: 1_000 }]
    page.reload()
    expect(page.network.sent).toHaveLength(2)
    const before = page.written.length
    page.flow.close()
    await page.pass(20_000)
    expect(page.written).toHaveLength(before)
    expect(page.network.sent).toHaveLength(2)
  })
})
