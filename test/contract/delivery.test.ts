import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import type { TransportResult } from '../../src/ports/network'
import * as administer from '../../src/usecases/administer'
import { answered, codeIn } from '../support/carrier'
import { errorOf } from '../support/error-of'
import { HANGS_AFTER_MS } from '../support/until'
import { type Furnished, World } from '../support/world'

setDefaultTimeout(HANGS_AFTER_MS)

const NO_REPORTS = { reports: false }

describe('live delivery', () => {
  let world: World
  let keys: Furnished
  let made = 0

  beforeEach(async () => {
    world = await World.start()
    keys = await world.furnish()
  })
  afterEach(() => world.stop())

  async function issue(input: object = {}): Promise<string> {
    const answer = await world.call(
      'rest',
      'issue',
      { phoneNumber: '010-1234-5678', purpose: `p${made}`, idempotencyKey: `k${made++}`, ...input },
      { key: keys.live },
    )
    expect(answer.status).toBe(200)
    await world.settle()
    return answer.body.issueId
  }
  const status = async (issueId: string) => (await world.call('rest', 'status', { issueId }, { key: keys.live })).body
  const billing = async (issueId: string) =>
    (await world.call('rest', 'getIssue', { issueId }, { key: keys.live })).body.billingStatus
  const balance = async () => (await world.call('rest', 'balance', {}, { key: keys.live })).body.balance
  const wallet = async () => (await world.rows('SELECT balance, reserved FROM wallets'))[0]
  const messageId = (index = -1) => world.sms.requests.at(index)?.messageId ?? ''

  test('the carrier gets the documented message, and nothing more', async () => {
    await issue({ from: '0212345678' })
    const [message] = world.sms.requests
    expect(Object.keys(message ?? {}).sort()).toEqual(['channel', 'from', 'messageId', 'messageType', 'text', 'to'])
    expect(world.sms.headers[0]).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': message?.messageId ?? '',
    })
  })

  test('an AlimTalk carries template code and variables with the code', async () => {
    await issue({ channel: 'alimtalk' })
    const [message] = world.kakao.requests
    expect(message).toMatchObject({ channel: 'alimtalk', templateCode: 'otp_default_kr', to: '+821012345678' })
    expect(message?.variables).toEqual({ code: codeIn(message?.text ?? '') })
    expect(message?.messageType).toBeUndefined()
  })

  describe('the four outcomes', () => {
    const accepted: Array<[string, TransportResult]> = [
      ['id', answered(200, { id: 'abc' })],
      ['messageId', answered(202, { messageId: 'abc' })],
      ['a numeric id', answered(201, { id: 17 })],
    ]
    test.each(accepted)('a 2xx with %s is accepted', async (_, result) => {
      world.sms.answer = () => result
      expect(await status(await issue())).toMatchObject({ deliveryStatus: 'sent' })
    })

    const ambiguous: Array<[string, TransportResult, string]> = [
      ['500', answered(500, 'oops'), 'HTTP_500'],
      ['503 with a code', answered(503, { code: 'BUSY' }), 'BUSY'],
      ['408', answered(408, {}), 'HTTP_408'],
      ['200 without id', answered(200, { ok: true }), 'HTTP_200_WITHOUT_ID'],
      ['200 that is no JSON', answered(200, '<html>'), 'HTTP_200_WITHOUT_ID'],
      ['no answer in time', { kind: 'unknown', reason: 'TimeoutError' }, 'NO_ANSWER_TimeoutError'],
      ['a reset after the write', { kind: 'unknown', reason: 'ECONNRESET' }, 'NO_ANSWER_ECONNRESET'],
    ]
    test.each(ambiguous)(
      '%s is ambiguous: sent, flagged, never sent again, charged in the end',
      async (_, result, code) => {
        world.sms.answer = () => result
        const issueId = await issue()
        expect(await status(issueId)).toMatchObject({
          deliveryStatus: 'sent',
          providerOutcomeAmbiguous: true,
          providerOutcomeCode: code,
        })
        await world.leap(200_000)
        expect(world.sms.requests).toHaveLength(1)
        expect(await wallet()).toEqual({ balance: 1_000, reserved: 1 })
        world.clock.step(86_400_000)
        await world.advance(5_000)
        expect(await billing(issueId)).toBe('debited')
        expect(await wallet()).toEqual({ balance: 999, reserved: 0 })
        expect(world.sms.requests).toHaveLength(1)
      },
    )

    test('an ambiguous AlimTalk never falls back by itself', async () => {
      world.kakao.answer = () => answered(500, '')
      const issueId = await issue({ channel: 'alimtalk' })
      await world.leap(200_000)
      expect(world.sms.requests).toHaveLength(0)
      expect((await status(issueId)).providerOutcomeAmbiguous).toBe(true)
    })

    test('an ambiguous AlimTalk that its carrier reports as failed is followed by an SMS, and charged once', async () => {
      world.kakao.answer = () => answered(500, '')
      const issueId = await issue({ channel: 'alimtalk' })
      const { messageId: kakaoId = '' } = world.kakao.requests[0] ?? {}
      expect((await world.report('kakao', { messageId: kakaoId, status: 'failed' })).body).toEqual({ recorded: 1 })
      await world.settle()
      expect(world.sms.requests).toHaveLength(1)
      expect(codeIn(world.sms.requests[0]?.text ?? '')).toBe(codeIn(world.kakao.requests[0]?.text ?? '-'))
      const after = await status(issueId)
      expect([after.deliveryStatus, after.providerOutcomeAmbiguous]).toEqual(['sent', undefined])
      await world.report('main', { messageId: messageId(), status: 'delivered' })
      await world.settle()
      expect(await status(issueId)).toMatchObject({ deliveryStatus: 'delivered' })
      expect(await balance()).toBe(999)
    })

    test.each([
      ['ours', () => messageId()],
      ['with the status failed', () => messageId()],
    ])('a later report resolves an ambiguous send: %s', async (name, id) => {
      world.sms.answer = () => answered(500, '')
      const issueId = await issue()
      const status_ = name === 'ours' ? 'delivered' : 'failed'
      expect((await world.report('main', { messageId: id(), status: status_ })).body).toEqual({ recorded: 1 })
      await world.settle()
      const after = await status(issueId)
      expect(after.deliveryStatus).toBe(status_)
      expect(after.providerOutcomeAmbiguous).toBeUndefined()
      expect(await billing(issueId)).toBe('debited')
    })

    test('429 twice, then 200: three requests, and sent', async () => {
      world.sms.script(
        () => answered(429, {}),
        () => answered(429, {}),
      )
      const issueId = await issue()
      await world.advance(10_000)
      expect(world.sms.requests).toHaveLength(3)
      expect(new Set(world.sms.requests.map(({ text }) => text)).size).toBe(1)
      expect(await status(issueId)).toMatchObject({ deliveryStatus: 'sent' })
      expect((await world.rows('SELECT outcome FROM attempts ORDER BY number')).map(({ outcome }) => outcome)).toEqual([
        'refused',
        'refused',
        'accepted',
      ])
    })

    test('a connection that was never made is tried again, within the lifetime, and then released', async () => {
      world.sms.answer = () => ({ kind: 'not_sent', reason: 'ECONNREFUSED' })
      const issueId = await issue({ expiresInSec: 30 })
      await world.advance(29_000)
      const tries = world.sms.requests.length
      expect(tries).toBeGreaterThan(3)
      await world.advance(60_000)
      expect(await status(issueId)).toMatchObject({ deliveryStatus: 'failed', overallStatus: 'expired' })
      expect(await billing(issueId)).toBe('released')
      expect(await wallet()).toEqual({ balance: 1_000, reserved: 0 })
      await world.advance(60_000)
      expect(world.sms.requests.length).toBeLessThanOrEqual(tries + 1)
    })

    test.each([400, 403, 404, 422, 302])('%i is refused for good: failed and released', async (code) => {
      world.sms.answer = () => answered(code, { code: 'NO_SENDER' })
      const issueId = await issue()
      await world.leap(200_000)
      expect(world.sms.requests).toHaveLength(1)
      expect(await status(issueId)).toMatchObject({ deliveryStatus: 'failed', providerOutcomeCode: 'NO_SENDER' })
      expect(await billing(issueId)).toBe('released')
      expect(await wallet()).toEqual({ balance: 1_000, reserved: 0 })
    })

    test('retries go to the next provider of the channel', async () => {
      await world.provide('second', ['sms'], 'http://carrier.test/kakao')
      world.sms.answer = () => answered(429, {})
      const issueId = await issue()
      await world.advance(5_000)
      expect(world.sms.requests).toHaveLength(3)
      expect(world.kakao.requests).toHaveLength(1)
      expect(world.kakao.requests[0]?.text).toBe(world.sms.requests[0]?.text ?? '')
      expect(await status(issueId)).toMatchObject({ deliveryStatus: 'sent' })
    })

    test('a code that quotes number or code is not kept', async () => {
      world.sms.answer = ({ to, text }) => answered(400, { code: `bad ${to} ${codeIn(text)}` })
      expect(await status(await issue())).toMatchObject({ providerOutcomeCode: 'REDACTED' })
      for (const [n, spelled] of ['12345', '1-2-3-4', 'one two three four', '１２３４', 'at 1234'].entries()) {
        world.sms.answer = () => answered(400, { code: spelled })
        const issueId = await issue({ phoneNumber: `010-1234-560${n}` })
        expect(await status(issueId)).toMatchObject({ providerOutcomeCode: 'REDACTED' })
      }
      world.sms.answer = () => answered(400, { code: 'x'.repeat(500) })
      expect((await status(await issue())).providerOutcomeCode).toHaveLength(128)
    })
  })

  describe('reports', () => {
    test('delivered is final: later, repeated and contradicting reports change nothing', async () => {
      const issueId = await issue()
      expect(
        (await world.report('main', { messageId: `carrier-${messageId()}`, status: 'delivered', code: 'OK' })).body,
      ).toEqual({ recorded: 1 })
      const before = await status(issueId)
      expect(before).toMatchObject({ deliveryStatus: 'delivered', providerOutcomeCode: 'OK' })
      for (const state of ['failed', 'delivered']) {
        for (const id of [messageId(), `carrier-${messageId()}`])
          await world.report('main', { messageId: id, status: state })
      }
      await world.settle()
      expect({ ...(await status(issueId)), updatedAt: 0 }).toEqual({ ...before, updatedAt: 0 })
      expect(await balance()).toBe(999)
    })

    test('a report that overtakes the answer counts, and the answer changes nothing any more', async () => {
      for (const state of ['delivered', 'failed'] as const) {
        world.sms.answer = async (message) => {
          await world.report('main', { messageId: message.messageId, status: state })
          return world.sms.accept(message)
        }
        const issueId = await issue()
        await world.advance(100)
        expect(await status(issueId)).toMatchObject({ deliveryStatus: state })
        expect(await billing(issueId)).toBe('debited')
        await world.advance(40_000)
        expect(await status(issueId)).toMatchObject({ deliveryStatus: state })
      }
      expect(world.sms.requests).toHaveLength(2)
    })

    test('a report that overtakes the answer which tells the id is asked to come again, and counts then', async () => {
      world.sms.answer = async (message) => {
        const early = await world.report('main', { messageId: `carrier-${message.messageId}`, status: 'delivered' })
        expect([early.status, early.headers.get('retry-after')]).toEqual([503, '5'])
        // Foreign ones are not asked for again and again.
        for (const expected of [503, 200]) {
          expect((await world.report('main', { messageId: 'foreign', status: 'delivered' })).status).toBe(expected)
        }
        return world.sms.accept(message)
      }
      const issueId = await issue()
      await world.settle()
      const again = await world.report('main', { messageId: `carrier-${messageId()}`, status: 'delivered' })
      expect(again.body).toEqual({ recorded: 1 })
      await world.settle()
      expect(await status(issueId)).toMatchObject({ deliveryStatus: 'delivered' })
      expect((await world.report('main', { messageId: 'stranger', status: 'delivered' })).status).toBe(200)
    })

    test.each(['delivered', 'failed'])('a report (%s) leaves no job behind that waits for one', async (state) => {
      await issue()
      const waiting = () => world.rows('SELECT kind FROM jobs')
      expect(await waiting()).toEqual([{ kind: 'await-report' }])
      await world.report('main', { messageId: messageId(), status: state })
      expect(await waiting()).toEqual([])
    })

    test('many in one call, as an array', async () => {
      const [first, second] = [await issue(), await issue()]
      const reports = world.sms.requests.map(({ messageId }) => ({ messageId, status: 'delivered' }))
      const { REPORT_SECRET } = await import('../support/world')
      const answer = await world.send('POST', `/provider-reports/main?token=${REPORT_SECRET}`, reports)
      expect(answer.body).toEqual({ recorded: 2 })
      for (const issueId of [first, second])
        expect(await status(issueId)).toMatchObject({ deliveryStatus: 'delivered' })
    })

    test('a carrier may call by GET or by a form, with another Authorization header beside its token', async () => {
      const { REPORT_SECRET } = await import('../support/world')
      const authorization = 'Basic dXNlcjpwYXNz'
      const [first, second] = [await issue(), await issue()]
      const [a, b] = world.sms.requests.map(({ messageId }) => `messageId=${messageId}&status=delivered`)
      const url = `/provider-reports/main?token=${REPORT_SECRET}`
      const byGet = await world.send('GET', `${url}&${a}`, undefined, { headers: { authorization } })
      const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
      const byForm = await world.send('POST', url, b, { headers })
      expect([byGet.body, byForm.body]).toEqual([{ recorded: 1 }, { recorded: 1 }])
      for (const issueId of [first, second])
        expect(await status(issueId)).toMatchObject({ deliveryStatus: 'delivered' })
    })

    test('a message reported undelivered stays failed, and debited', async () => {
      const issueId = await issue()
      await world.report('main', { messageId: messageId(), status: 'failed', code: 'ABSENT' })
      await world.settle()
      expect(await status(issueId)).toMatchObject({ deliveryStatus: 'failed', providerOutcomeCode: 'ABSENT' })
      expect(await billing(issueId)).toBe('debited')
    })

    test('a report without the secret, of an unknown provider, about an unknown message or of another provider changes nothing', async () => {
      const issueId = await issue()
      const report = { messageId: messageId(), status: 'delivered' }
      expect((await world.report('main', report, 'wrong-secret-wrong-secret')).status).toBe(401)
      expect((await world.send('POST', '/provider-reports/main', report)).status).toBe(401)
      expect((await world.report('nope', report)).status).toBe(401)
      expect(
        (await world.send('GET', `/provider-reports/main?messageId=${messageId()}&status=delivered`, undefined)).status,
      ).toBe(401)
      expect((await world.send('PUT', '/provider-reports/main', undefined)).status).toBe(404)
      expect((await world.report('main', { ...report, messageId: 'other' })).body).toEqual({ recorded: 0 })
      expect((await world.report('kakao', report)).body).toEqual({ recorded: 0 })
      expect((await world.report('main', { ...report, status: 'perhaps' })).body).toEqual({ recorded: 0 })
      expect(await status(issueId)).toMatchObject({ deliveryStatus: 'sent' })
    })

    test('the secret may stand in the URL', async () => {
      const issueId = await issue()
      const { REPORT_SECRET } = await import('../support/world')
      await world.send('POST', `/provider-reports/main?token=${REPORT_SECRET}`, {
        messageId: messageId(),
        status: 'delivered',
      })
      expect(await status(issueId)).toMatchObject({ deliveryStatus: 'delivered' })
    })

    test('where a carrier reports, a message is debited at its report, or at the deadline of a day', async () => {
      const issueId = await issue()
      await world.advance(60_000)
      expect(await billing(issueId)).toBe('reserved')
      world.clock.step(86_400_000 - 61_000)
      await world.advance(500)
      expect(await billing(issueId)).toBe('reserved')
      await world.advance(3_000)
      expect(await billing(issueId)).toBe('debited')
      expect(await status(issueId)).toMatchObject({ deliveryStatus: 'sent' })
    })

    test('where it never does, its acceptance ends the processing; a report that comes is heard all the same', async () => {
      await world.provide('main', ['sms'], 'http://carrier.test/sms', NO_REPORTS)
      const issueId = await issue()
      expect(await billing(issueId)).toBe('debited')
      expect(await balance()).toBe(999)
      await world.report('main', { messageId: messageId(), status: 'delivered' })
      await world.settle()
      expect(await status(issueId)).toMatchObject({ deliveryStatus: 'delivered' })
      expect(await balance()).toBe(999)
    })
  })

  describe('AlimTalk falls back to SMS', () => {
    test('at once when it is refused, with the same code and one charge', async () => {
      world.kakao.answer = () => answered(400, { code: 'NO_KAKAO' })
      const issueId = await issue({ channel: 'alimtalk' })
      expect(world.sms.requests).toHaveLength(1)
      expect(codeIn(world.sms.requests[0]?.text ?? '')).toBe(codeIn(world.kakao.requests[0]?.text ?? '-'))
      expect(world.sms.requests[0]?.messageId).not.toBe(world.kakao.requests[0]?.messageId)
      expect(await status(issueId)).toMatchObject({ deliveryStatus: 'sent' })
      await world.report('main', { messageId: messageId(), status: 'delivered' })
      await world.settle()
      expect(await status(issueId)).toMatchObject({ deliveryStatus: 'delivered' })
      expect(await balance()).toBe(999)
    })

    test('when the AlimTalk carriers are gone before it was sent', async () => {
      const { removeCarrier } = await import('../../src/usecases/administer')
      world.kakao.answer = () => answered(429, {})
      const issueId = await issue({ channel: 'alimtalk' })
      await removeCarrier(world.admin, 'kakao')
      await world.advance(2_000)
      expect(world.sms.requests).toHaveLength(1)
      expect(await status(issueId)).toMatchObject({ deliveryStatus: 'sent' })
    })

    test('at once when it is reported failed; the delivery stays sent meanwhile', async () => {
      const issueId = await issue({ channel: 'alimtalk' })
      await world.report('kakao', { messageId: world.kakao.requests[0]?.messageId ?? '', status: 'failed' })
      world.sms.answer = () => new Promise(() => {})
      await world.settle()
      expect(world.sms.requests).toHaveLength(1)
      expect(await status(issueId)).toMatchObject({ deliveryStatus: 'sent' })
      // The old leg has nothing more to say.
      await world.report('kakao', { messageId: world.kakao.requests[0]?.messageId ?? '', status: 'delivered' })
      expect(await status(issueId)).toMatchObject({ deliveryStatus: 'sent' })
    })

    test('when both fail: failed; released if none was accepted, debited if the AlimTalk was', async () => {
      world.sms.answer = () => answered(400, {})
      world.kakao.answer = () => answered(400, {})
      const refused = await issue({ channel: 'alimtalk' })
      expect(await status(refused)).toMatchObject({ deliveryStatus: 'failed' })
      expect(await billing(refused)).toBe('released')
      world.kakao.answer = (message) => world.kakao.accept(message)
      const taken = await issue({ channel: 'alimtalk' })
      await world.report('kakao', { messageId: world.kakao.requests.at(-1)?.messageId ?? '', status: 'failed' })
      await world.settle()
      expect(await status(taken)).toMatchObject({ deliveryStatus: 'failed' })
      expect(await billing(taken)).toBe('debited')
      expect(await balance()).toBe(999)
    })

    test('not with smsFallback false, and not for a code that is verified or expired', async () => {
      world.kakao.answer = () => answered(400, {})
      const optedOut = await issue({ channel: 'alimtalk', smsFallback: false })
      expect(await status(optedOut)).toMatchObject({ deliveryStatus: 'failed' })

      world.kakao.answer = (message) => world.kakao.accept(message)
      const verified = await issue({ channel: 'alimtalk' })
      const code = codeIn(world.kakao.requests.at(-1)?.text ?? '')
      await world.call('rest', 'verify', { issueId: verified, code }, { key: keys.live })
      await world.report('kakao', { messageId: world.kakao.requests.at(-1)?.messageId ?? '', status: 'failed' })
      const expired = await issue({ channel: 'alimtalk', expiresInSec: 30 })
      await world.advance(32_000)
      await world.report('kakao', { messageId: world.kakao.requests.at(-1)?.messageId ?? '', status: 'failed' })
      await world.settle()
      expect(await status(expired)).toMatchObject({ deliveryStatus: 'failed' })
      expect(world.sms.requests).toHaveLength(0)
    })
  })

  describe('number and text', () => {
    const outbox = async () => (await world.rows('SELECT * FROM outbox')).length

    test('are sealed while a send may still happen, and erased when it may not', async () => {
      world.sms.script(() => answered(429, {}))
      await issue()
      expect(await outbox()).toBe(1)
      const [row] = await world.rows<{ sealed: Uint8Array }>('SELECT sealed FROM outbox')
      expect(Buffer.from(row?.sealed ?? []).toString('latin1')).not.toContain('1012345678')
      await world.advance(10_000)
      expect(world.sms.accepted).toHaveLength(1)
      expect(await outbox()).toBe(0)
    })

    test('are never stored of a text that goes out with its issue, and is not sent again', async () => {
      let answer = () => {}
      world.sms.answer = (message) =>
        new Promise((resolve) => {
          answer = () => resolve(world.sms.accept(message))
        })
      await issue()
      expect(world.sms.requests).toHaveLength(1)
      expect(await outbox()).toBe(0)
      answer()
      await world.settle()
      expect(await outbox()).toBe(0)
    })

    test('stay for the fallback of an accepted AlimTalk, at most until the code expires', async () => {
      await issue({ channel: 'alimtalk', expiresInSec: 30 })
      expect(await outbox()).toBe(1)
      await world.advance(29_000)
      expect(await outbox()).toBe(1)
      await world.advance(2_000)
      expect(await outbox()).toBe(0)
    })
  })

  test('a text is rendered once: a template edited later does not change a message in flight', async () => {
    const { saveTemplate } = await import('../../src/usecases/administer')
    const template = {
      templateId: 't',
      name: 't',
      channelSupport: ['sms'] as const,
      variables: {},
      providerTemplateCode: 't',
    }
    await saveTemplate(world.admin, keys.appId, { ...template, body: 'old #{code}' })
    world.sms.script(() => answered(429, {}))
    await issue({ templateId: 't' })
    await saveTemplate(world.admin, keys.appId, { ...template, body: 'new #{code}' })
    await world.advance(2_000)
    expect(world.sms.requests.map(({ text }) => text.slice(0, 3))).toEqual(['old', 'old'])
    await issue({ templateId: 't' })
    expect(world.sms.requests.at(-1)?.text).toStartWith('new')
  })

  describe('routes', () => {
    const route = async (carriers: string[], whom: { country?: string; appId?: string } = {}) => {
      const { setRoute } = await import('../../src/usecases/administer')
      return setRoute(world.admin, { channel: 'sms', country: whom.country, appId: whom.appId, carriers })
    }

    beforeEach(() => world.provide('second', ['sms'], 'http://carrier.test/kakao'))

    test('the order of a route counts, and providers outside of it are not used', async () => {
      await route(['second'])
      world.kakao.answer = () => answered(429, {})
      await issue()
      await world.advance(20_000)
      expect(world.kakao.requests.length).toBeGreaterThan(3)
      expect(world.sms.requests).toHaveLength(0)
      await route(['second', 'main'])
      await issue()
      await world.advance(5_000)
      expect(world.sms.requests).toHaveLength(1)
    })

    test('the most specific route counts: of app and country, of the app, of the country, of the channel', async () => {
      const carrierOf = async (phoneNumber: string) => {
        const before = world.kakao.requests.length
        await issue({ phoneNumber })
        return world.kakao.requests.length > before ? 'second' : 'main'
      }
      await route(['second'], { country: 'KR' })
      expect(await carrierOf('010-1111-0001')).toBe('second')
      expect(await carrierOf('+44 7911 120001')).toBe('main')
      await route(['main'], { appId: keys.appId })
      expect(await carrierOf('010-1111-0002')).toBe('main')
      await route(['second'], { appId: keys.appId, country: 'KR' })
      expect(await carrierOf('010-1111-0003')).toBe('second')
      expect(await carrierOf('+44 7911 120002')).toBe('main')
    })

    test('a provider whose credentials are refused is passed over at once, and rests until a message tries it again', async () => {
      await route(['second', 'main'])
      world.kakao.answer = () => answered(401, {})
      const issueId = await issue()
      expect([world.kakao.requests.length, world.sms.requests.length]).toEqual([1, 1])
      expect(await status(issueId)).toMatchObject({ deliveryStatus: 'sent' })
      await issue()
      expect([world.kakao.requests.length, world.sms.requests.length]).toEqual([1, 2])
      await world.advance(10_000)
      await issue()
      expect([world.kakao.requests.length, world.sms.requests.length]).toEqual([2, 3])
    })

    test('a route names known providers of its channel, each once', async () => {
      for (const wrong of [['nope'], ['kakao'], [], ['main', 'main']]) await errorOf(route(wrong))
      await errorOf(route(['main'], { country: 'Korea' }))
      await errorOf(route(['main'], { appId: 'app_none' }))
      expect(await world.rows('SELECT * FROM routes')).toEqual([])
    })

    test('a provider that was removed is left out of its routes', async () => {
      await route(['second', 'main'])
      const { removeCarrier } = await import('../../src/usecases/administer')
      await removeCarrier(world.admin, 'second')
      await issue()
      expect(world.sms.requests).toHaveLength(1)
      // Nor does a route whose carriers are all gone silence the channel.
      await route(['main'])
      await world.provide('third', ['sms'], 'http://carrier.test/kakao')
      await removeCarrier(world.admin, 'main')
      await issue()
      expect(world.kakao.requests).toHaveLength(1)
    })
  })
})

describe('a carrier that signs the URL it called', () => {
  const AUTH_TOKEN = '0123456789abcdef0123456789abcdef'
  const FORM = new URLSearchParams({ MessageSid: `SM${'0'.repeat(32)}`, MessageStatus: 'delivered' })
  let world: World
  afterEach(() => world.stop())

  async function begin(publicUrl?: string): Promise<void> {
    world = await World.start({ env: publicUrl === undefined ? {} : { WATCHWORD_PUBLIC_URL: publicUrl } })
    const config = { accountSid: `AC${'1'.repeat(32)}`, authToken: AUTH_TOKEN, from: '+15005550006' }
    await administer.setCarrier(world.admin, { name: 'signs', type: 'twilio', channels: ['sms'], config })
  }
  /** As Twilio signs: the URL, and the fields of the form in order. */
  async function statusOf(signedUrl: string, path = '/provider-reports/signs'): Promise<number> {
    const fields = [...FORM].sort(([a], [b]) => (a < b ? -1 : 1))
    const signature = createHmac('sha1', AUTH_TOKEN)
      .update(signedUrl + fields.flat().join(''))
      .digest('base64')
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature }
    return (await world.send('POST', path, FORM.toString(), { headers })).status
  }

  test('is believed for the public URL, and for no other', async () => {
    await begin('https://otp.example.com')
    expect(await statusOf('https://otp.example.com/provider-reports/signs')).toBe(200)
    for (const url of [
      'http://localhost',
      'http://otp.example.com',
      'https://otp.example.com:8443',
      'https://x.example',
    ])
      expect(await statusOf(`${url}/provider-reports/signs`)).toBe(401)
    expect(await statusOf('https://otp.example.com/provider-reports/other')).toBe(401)
  })

  test('signs the query, too', async () => {
    await begin('https://otp.example.com')
    const path = '/provider-reports/signs?a=1&b=%20'
    expect(await statusOf(`https://otp.example.com${path}`, path)).toBe(200)
    expect(await statusOf('https://otp.example.com/provider-reports/signs', path)).toBe(401)
    expect(await statusOf(`https://otp.example.com${path}`)).toBe(401)
  })

  test('is believed for the URL the server sees where no public one is set', async () => {
    await begin()
    expect(await statusOf('http://localhost/provider-reports/signs')).toBe(200)
    expect(await statusOf('https://otp.example.com/provider-reports/signs')).toBe(401)
  })
})

test('more codes than one transaction takes expire in one sweep, and are forgotten in one', async () => {
  const COUNT = 1_201
  const AT_ONCE = 50
  const world = await World.start({ env: { WATCHWORD_LIVE_RETENTION_DAYS: '1' } })
  const keys = await world.furnish()
  await administer.addCredit(world.admin, { appId: keys.appId, amount: COUNT })
  world.sms.answer = () => answered(403, {})
  const issue = (n: number) => {
    const input = { phoneNumber: `+8210${20_000_000 + n}`, purpose: 'p', idempotencyKey: `k${n}` }
    return world.call('rest', 'issue', input, { key: keys.live })
  }
  for (let n = 0; n < COUNT; n += AT_ONCE) {
    const answers = await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, COUNT - n) }, (_, index) => issue(n + index)),
    )
    for (const { status } of answers) expect(status).toBe(200)
  }
  await world.settle()
  const counts = () =>
    world.rows('SELECT verification_status AS status, count(*) AS count FROM issues GROUP BY verification_status')
  world.clock.step(180_000)
  expect(await counts()).toEqual([{ status: 'issued', count: COUNT }])
  await world.advance(1_000)
  expect(await counts()).toEqual([{ status: 'expired', count: COUNT }])
  expect(await world.rows('SELECT * FROM outbox')).toEqual([])
  await world.advance(10_000)
  world.clock.step(8 * 86_400_000)
  await world.sweep()
  expect(await counts()).toEqual([])
  expect(await world.rows('SELECT 1 FROM issues WHERE key_hash IS NOT NULL')).toEqual([])
  await world.stop()
})
