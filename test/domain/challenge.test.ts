/** What an app may ask for as a proof, and what a vendor's answer means. */
import { describe, expect, test } from 'bun:test'
import { assertChallenge, type ChallengeSettings, judge, shownChallenge } from '../../src/abuse/rules/challenge'
import { Refusal } from '../../src/domain/shared/error'

const SETTINGS: ChallengeSettings = { vendor: 'turnstile', secret: 'secret', onOutage: 'refuse' }

describe('an app may ask for', () => {
  test.each<Partial<ChallengeSettings>>([
    {},
    { siteKey: '0x4AAA', onOutage: 'pass' },
    { secret: '~'.repeat(256) },
    { vendor: 'recaptcha', minScore: 0 },
    { vendor: 'hcaptcha', minScore: 1 },
    { hostnames: ['localhost', 'app.example.com', '127.0.0.1', 'xn--9n2bp8q.kr', 'a'.repeat(253)] },
    { hostnames: Array.from({ length: 20 }, (_, n) => `a${n}.example.com`) },
  ])('%j', (more) => {
    expect(() => assertChallenge({ ...SETTINGS, ...more })).not.toThrow()
  })

  test.each<[Partial<ChallengeSettings>, string, string]>([
    [{ secret: '' }, 'secret', 'required'],
    [{ secret: 'a b' }, 'secret', 'not_visible_ascii'],
    [{ secret: '비밀' }, 'secret', 'not_visible_ascii'],
    [{ secret: '~'.repeat(257) }, 'secret', 'not_visible_ascii'],
    [{ siteKey: '' }, 'siteKey', 'required'],
    [{ siteKey: 'a\n' }, 'siteKey', 'not_visible_ascii'],
    [{ minScore: 0.5 }, 'minScore', 'vendor_without_score'],
    [{ vendor: 'recaptcha', minScore: 1.01 }, 'minScore', 'invalid_score'],
    [{ vendor: 'recaptcha', minScore: -0.01 }, 'minScore', 'invalid_score'],
    [{ vendor: 'recaptcha', minScore: Number.NaN }, 'minScore', 'invalid_score'],
    [{ hostnames: ['App.example.com'] }, 'hostnames', 'invalid_format'],
    [{ hostnames: ['https://app.example.com'] }, 'hostnames', 'invalid_format'],
    [{ hostnames: [''] }, 'hostnames', 'invalid_format'],
    [{ hostnames: ['a'.repeat(254)] }, 'hostnames', 'invalid_format'],
    [{ hostnames: Array.from({ length: 21 }, (_, n) => `a${n}.example.com`) }, 'hostnames', 'too_many'],
  ])('and not %j', (more, param, reason) => {
    try {
      assertChallenge({ ...SETTINGS, ...more })
    } catch (refusal) {
      expect(refusal).toBeInstanceOf(Refusal)
      expect(refusal).toMatchObject({ kind: 'invalid', detail: { param, reason } })
      return
    }
    throw new Error('It was taken')
  })

  test('and its secret is never shown', () => {
    expect(shownChallenge({ ...SETTINGS, siteKey: 'public' })).toEqual({
      ...{ vendor: 'turnstile', onOutage: 'refuse', siteKey: 'public' },
    })
  })
})

describe('an answer of a vendor', () => {
  const judged = (body: Record<string, unknown> | undefined, status = 200, more: Partial<ChallengeSettings> = {}) =>
    judge({ ...SETTINGS, ...more }, { status, body })
  const refused = (...codes: unknown[]) => ({ success: false, 'error-codes': codes })

  test('that says so lets pass', () => {
    expect(judged({ success: true })).toEqual({ kind: 'passed' })
  })

  test.each([
    'invalid-input-response',
    'missing-input-response',
    'timeout-or-duplicate',
    'expired-input-response',
    'already-seen-response',
    'invalid-or-already-seen-response',
    'sitekey-secret-mismatch',
    'bad-request',
    'what came later',
    'toString',
  ])('of a token with %s is a failure', (code) => {
    expect(judged(refused(code))).toEqual({ kind: 'failed' })
    expect(judged(refused(code), 400)).toEqual({ kind: 'failed' })
  })

  test('without a reason, or with one that is no text, is a failure', () => {
    for (const body of [{ success: false }, refused(), refused(7, null, {}), { success: false, 'error-codes': 'x' }])
      expect(judged(body)).toEqual({ kind: 'failed' })
  })

  test.each([
    [['invalid-input-secret'], 'SECRET'],
    [['missing-input-secret'], 'SECRET'],
    [['timeout-or-duplicate', 'internal-error'], 'INTERNAL_ERROR'],
  ])('that is not about the token, %j, is none', (codes, reason) => {
    expect(judged(refused(...codes))).toEqual({ kind: 'unavailable', reason })
  })

  test('of too many tokens is no outage, since a caller can send too many', () => {
    for (const body of [{ success: true }, undefined]) expect(judged(body, 429)).toEqual({ kind: 'too_many' })
  })

  test('of another status, or that says nothing, is none; but what it cannot read is wrong', () => {
    for (const status of [201, 204, 301, 302, 401, 403, 404, 500, 503])
      expect(judged({ success: true }, status)).toEqual({ kind: 'unavailable', reason: `HTTP_${status}` })
    for (const body of [undefined, {}, { success: 1 }, { success: 'true' }]) {
      expect(judged(body)).toEqual({ kind: 'unavailable', reason: 'UNREADABLE' })
      expect(judged(body, 400)).toEqual({ kind: 'failed' })
    }
  })

  test('names the page, where the app names some', () => {
    const hostnames = ['app.example.com']
    const at = (hostname: unknown) => judged({ success: true, hostname }, 200, { hostnames }).kind
    expect([at('app.example.com'), at('APP.example.com')]).toEqual(['passed', 'passed'])
    for (const other of [undefined, '', 7, 'evil.example.com', 'app.example.com.evil.example'])
      expect(at(other)).toBe('failed')
    expect(judged({ success: true, hostname: 'anywhere' }).kind).toBe('passed')
  })

  test.each<[ChallengeSettings['vendor'], number | undefined, unknown, 'passed' | 'failed']>([
    // Version 3 of reCAPTCHA takes every token: by itself a half is the least.
    ['recaptcha', undefined, 0.5, 'passed'],
    ['recaptcha', undefined, 0.49, 'failed'],
    ['recaptcha', undefined, undefined, 'passed'],
    ['recaptcha', 0.7, 0.7, 'passed'],
    ['recaptcha', 0.7, 0.69, 'failed'],
    ['recaptcha', 0.7, undefined, 'failed'],
    ['recaptcha', 0, 0, 'passed'],
    ['recaptcha', 0.7, '0.9', 'failed'],
    // hCaptcha scores threats, and its own verdict has them in it.
    ['hcaptcha', undefined, 1, 'passed'],
    ['hcaptcha', 0.75, 0.25, 'passed'],
    ['hcaptcha', 0.75, 0.26, 'failed'],
    ['hcaptcha', 0.75, undefined, 'failed'],
    ['turnstile', undefined, 0, 'passed'],
  ])('of %s, where %j is the least, with the score %j: %s', (vendor, minScore, score, kind) => {
    expect(judged({ success: true, score }, 200, { vendor, minScore }).kind).toBe(kind)
  })
})
