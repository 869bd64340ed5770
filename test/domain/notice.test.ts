import { describe, expect, test } from 'bun:test'
import {
  assertWay,
  type Condition,
  compareConditions,
  type Notice,
  shownTarget,
  unusualFailures,
} from '../../src/domain/operations/notice'
import { DAY_MS, MINUTE_MS } from '../../src/domain/shared/value'

const NOW = Date.UTC(2026, 10, 25, 12, 0, 30)

const condition = (changes: Partial<Condition> = {}): Condition => ({
  ...{ kind: 'low_credit', subject: 'app_one', appId: 'app_one', facts: { app: 'demo', available: 3 } },
  ...changes,
})
const open = (changes: Partial<Notice> = {}): Notice => ({
  ...condition(),
  ...{ noticeId: 'n1', since: NOW, goneAt: undefined, endedAt: undefined },
  ...changes,
})

describe('notices', () => {
  test('begin once, and end when their condition has passed', () => {
    expect(compareConditions([], [condition()], NOW)).toEqual({ begin: [condition()], save: [], end: [] })
    expect(compareConditions([open()], [condition()], NOW)).toEqual({ begin: [], save: [], end: [] })
    const ended = open({ goneAt: NOW, endedAt: NOW })
    expect(compareConditions([open()], [], NOW)).toEqual({ begin: [], save: [], end: [ended] })
  })

  test('of a carrier that comes and goes are one', () => {
    const down = open({ kind: 'carrier_down', subject: 'main', appId: undefined, facts: { carrier: 'main', code: '' } })
    const gone = { ...down, goneAt: NOW }
    expect(compareConditions([down], [], NOW).save).toEqual([gone])
    expect(compareConditions([gone], [], NOW + 4 * MINUTE_MS)).toEqual({ begin: [], save: [], end: [] })
    expect(compareConditions([gone], [down], NOW + 4 * MINUTE_MS).save).toEqual([down])
    expect(compareConditions([gone], [], NOW + 5 * MINUTE_MS).end).toEqual([{ ...gone, endedAt: NOW + 5 * MINUTE_MS }])
    // The clock was set back by a day.
    expect(compareConditions([gone], [], NOW - DAY_MS).end).toHaveLength(1)
  })

  test.each([
    [{ delivered: 20, failed: 8 }, { delivered: 100, failed: 0 }, undefined],
    [
      { delivered: 60, failed: 40 },
      { delivered: 97, failed: 3 },
      { percent: 40, usual: 3 },
    ],
    [{ delivered: 60, failed: 40 }, { delivered: 80, failed: 20 }, undefined],
    [
      { delivered: 0, failed: 30 },
      { delivered: 0, failed: 0 },
      { percent: 100, usual: 0 },
    ],
  ])('of failures are about more than usual, and about many: %j after %j', (lately, before, unusual) => {
    expect(unusualFailures(lately, before)).toEqual(unusual)
  })
})

describe('a way', () => {
  const mail = { host: 'smtp.example', from: 'a@b.example', to: 'c@d.example' }
  const isTaken = (channel: 'mail' | 'slack' | 'webhook', settings: object) => {
    try {
      assertWay({ channel, settings })
      return true
    } catch {
      return false
    }
  }

  test('is checked before it is stored', () => {
    expect(isTaken('mail', mail)).toBe(true)
    expect(isTaken('mail', { ...mail, user: 'me', password: 'x' })).toBe(true)
    expect(isTaken('mail', { ...mail, user: 'me', password: 'x', security: 'none' })).toBe(false)
    expect(isTaken('mail', { ...mail, user: 'me' })).toBe(false)
    expect(isTaken('mail', { ...mail, to: 'c@d.example\r\nBcc: e@f.example' })).toBe(false)
    expect(isTaken('mail', { ...mail, port: 70_000 })).toBe(false)
    expect(isTaken('slack', { url: 'https://hooks.slack.example/services/T/B/x' })).toBe(true)
    expect(isTaken('slack', { url: 'ftp://x' })).toBe(false)
    expect(isTaken('webhook', { url: 'https://ops.example/hook' })).toBe(false)
  })

  test('is shown without what is secret of it', () => {
    const way = { wayId: 'w', name: 'n', createdAt: 1 }
    const slack = { url: 'https://hooks.slack.example/services/T/B/x' }
    expect(shownTarget({ ...way, channel: 'slack', settings: slack })).toBe('https://hooks.slack.example')
    const hook = { url: 'https://ops.example/hook?token=x' }
    expect(shownTarget({ ...way, channel: 'webhook', settings: hook })).toBe('https://ops.example/hook')
    const mailWay = { ...way, channel: 'mail' as const, settings: { ...mail, user: 'me', password: 'geheim' } }
    expect(shownTarget(mailWay)).toBe('c@d.example (smtp.example)')
  })
})
