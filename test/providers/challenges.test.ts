/** How vendors of challenges are asked. What their answers mean: test/domain/challenge.test.ts. */
import { describe, expect, test } from 'bun:test'
import { type ChallengeSettings, VENDORS } from '../../src/abuse/rules/challenge'
import type { Transport, TransportResult } from '../../src/ports/network'
import { createChallenges } from '../../src/providers/challenges'
import { answered } from '../support/carrier'

const URLS = {
  turnstile: 'https://t.test/verify',
  hcaptcha: 'https://h.test/verify',
  recaptcha: 'https://r.test/verify',
}
const SETTINGS: ChallengeSettings = { vendor: 'turnstile', secret: 's&=+ %', siteKey: 'site', onOutage: 'refuse' }
const SHOWN = { token: 'a+b&secret=mine', address: '2001:db8::1' }

const APP = { appId: 'app', kind: 'pk' as const }

type Request = Parameters<Transport['request']>[0]

function asking(answer: () => Promise<TransportResult> | TransportResult = () => answered(200, { success: true })) {
  const requests: Request[] = []
  const request = async (asked: Request) => {
    requests.push(asked)
    return answer()
  }
  return { requests, challenges: createChallenges({ transport: { request }, urls: URLS }) }
}

describe('a vendor is asked', () => {
  test.each(VENDORS)('%s with a form, in which nothing of the token is read as another field', async (vendor) => {
    const { requests, challenges } = asking()
    expect(await challenges.verify(APP, { ...SETTINGS, vendor }, SHOWN)).toEqual({ kind: 'passed' })
    const [{ body, ...request } = {} as Request] = requests
    expect(request).toEqual({
      method: 'POST',
      url: URLS[vendor],
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      timeoutMs: 3_000,
    })
    expect([...new URLSearchParams(body)]).toEqual([
      ['secret', SETTINGS.secret],
      ['response', SHOWN.token],
      ['remoteip', SHOWN.address],
      // Without it a token of any widget of the account would do.
      ...(vendor === 'hcaptcha' ? [['sitekey', 'site'] as [string, string]] : []),
    ])
  })

  test('for no address and no site key that nobody named', async () => {
    const { requests, challenges } = asking()
    await challenges.verify(
      APP,
      { ...SETTINGS, vendor: 'hcaptcha', siteKey: undefined },
      { ...SHOWN, address: undefined },
    )
    expect([...new URLSearchParams(requests[0]?.body).keys()]).toEqual(['secret', 'response'])
  })

  test('128 times at a time for one app and kind of key; more is no outage, and holds up nobody else', async () => {
    const waiting: Array<(result: TransportResult) => void> = []
    const { requests, challenges } = asking(() => new Promise((resolve) => waiting.push(resolve)))
    const asked = Array.from({ length: 128 }, () => challenges.verify(APP, SETTINGS, SHOWN))
    expect(await challenges.verify(APP, SETTINGS, SHOWN)).toEqual({ kind: 'too_many' })
    expect(requests).toHaveLength(128)
    const others = [
      { ...APP, appId: 'other' },
      { ...APP, kind: 'sk' as const },
    ].map((whose) => challenges.verify(whose, SETTINGS, SHOWN))
    expect(requests).toHaveLength(130)
    for (const answer of waiting.splice(0)) answer({ kind: 'not_sent', reason: 'ECONNREFUSED' })
    expect(new Set((await Promise.all([...asked, ...others])).map(({ kind }) => kind))).toEqual(
      new Set(['unavailable']),
    )
    const next = challenges.verify(APP, SETTINGS, SHOWN)
    expect(requests).toHaveLength(131)
    for (const answer of waiting) answer(answered(200, { success: true }))
    expect(await next).toEqual({ kind: 'passed' })
  })
})
