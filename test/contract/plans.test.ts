/** Delivery plans: the legs of a code, and when the next one starts. Decisions: "Delivery plans". */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import type { DeliveryPlan } from '../../src/domain/delivery/plan'
import type { DescriptionFile } from '../../src/providers/description'
import { protectApp } from '../../src/usecases/abuse/set-protection'
import * as administer from '../../src/usecases/administer'
import { erasePhone } from '../../src/usecases/erase-phone'
import { exportPhone } from '../../src/usecases/export-phone'
import { answered, codeIn } from '../support/carrier'
import { errorOf } from '../support/error-of'
import { HANGS_AFTER_MS } from '../support/until'
import { UNTOLD } from '../support/untold'
import { type Furnished, REPORT_SECRET, VOICE_URL, WHATSAPP_URL, WIRES, World } from '../support/world'

setDefaultTimeout(HANGS_AFTER_MS)

/** A carrier of SMS that can be asked about a number, where the carrier of AlimTalks is otherwise. */
const LOOKING: DescriptionFile = {
  type: 'acme',
  title: 'Acme',
  documentation: 'https://acme.example/docs',
  channels: ['sms'],
  fields: { apiBase: { title: 'API base', url: true, default: 'http://carrier.test' } },
  send: {
    sms: { request: { path: '/sms', json: { messageId: '{{messageId}}', to: '{{to}}', text: '{{text}}' } }, id: 'id' },
  },
  lookup: {
    request: { path: '/kakao', json: { to: '{{to}}' } },
    channels: ['sms'],
    facts: { landline: [{ path: 'line', is: 'fixed' }] },
  },
}

const WHATSAPP_SMS_VOICE = [
  { channel: 'whatsapp', waitSec: 8 },
  { channel: 'sms', waitSec: 30 },
  { channel: 'voice' },
] as const

describe.each(WIRES)('a delivery plan over %s', (wire) => {
  let world: World
  let keys: Furnished
  let made = 0

  beforeEach(async () => {
    world = await World.start()
    keys = await world.furnish()
    await world.provide('meta', ['whatsapp'], WHATSAPP_URL)
    await world.provide('caller', ['voice'], VOICE_URL)
    await administer.setRoute(world.admin, { channel: 'voice', country: 'KR', appId: undefined, carriers: ['caller'] })
    await plan(WHATSAPP_SMS_VOICE)
  })
  afterEach(() => world.stop())

  const plan = (legs: DeliveryPlan['legs'], more: Partial<DeliveryPlan> = {}) =>
    administer.setPlan(world.admin, keys.appId, { channel: 'sms', country: undefined, ...more, legs })
  const call = (operation: Parameters<World['call']>[1], input: object) =>
    world.call(wire, operation, input, { key: keys.live })

  async function issue(input: object = {}): Promise<string> {
    const number = made++
    const answer = await call('issue', {
      ...{ phoneNumber: '010-1234-5678', purpose: `p${number}`, idempotencyKey: `k${number}`, ...input },
    })
    expect(answer.status).toBe(200)
    await world.settle()
    return answer.body.issueId
  }
  const status = async (issueId: string) => (await call('status', { issueId })).body.deliveryStatus
  const starts = () => [world.whatsapp, world.sms, world.voice].map(({ requests }) => requests.length)
  const report = async (carrier: string, { messageId = '' }: { messageId?: string } = {}, status = 'delivered') => {
    const answer = await world.report(carrier, { messageId, status })
    await world.settle()
    return answer.body.recorded
  }
  const wallet = async () => (await world.rows('SELECT balance, reserved FROM wallets'))[0]

  test('starts each leg after the wait of the one before it, with the same code, for one price', async () => {
    const issueId = await issue()
    expect(starts()).toEqual([1, 0, 0])
    await world.advance(7_000)
    expect(starts()).toEqual([1, 0, 0])
    await world.advance(2_000)
    expect(starts()).toEqual([1, 1, 0])
    await world.advance(28_000)
    expect(starts()).toEqual([1, 1, 0])
    await world.advance(3_000)
    expect(starts()).toEqual([1, 1, 1])
    const texts = [world.whatsapp, world.sms, world.voice].map(({ requests }) => codeIn(requests[0]?.text ?? ''))
    expect(new Set(texts).size).toBe(1)
    expect(await report('caller', world.voice.requests[0])).toBe(1)
    expect(await status(issueId)).toBe('delivered')
    expect(await wallet()).toEqual({ balance: 999, reserved: 0 })
  })

  test('counts each of its messages for a cap, and one credit for its code', async () => {
    const caps = [{ kind: 'sk', per: 'app', of: 'messages', every: 'hour', max: 4 }] as const
    await protectApp(world.admin, keys.appId, { caps })
    await issue()
    await world.advance(180_000)
    expect(starts()).toEqual([1, 1, 1])
    await issue()
    await world.advance(80_000)
    const again = { phoneNumber: '010-1234-5678', purpose: 'third', idempotencyKey: 'third' }
    expect((await call('issue', again)).body.data).toMatchObject({ limit: 'abuse' })
    expect(await wallet()).toEqual({ balance: 1_000, reserved: 2 })
  })

  test('keeps what is known of its message where the next leg leads nowhere', async () => {
    const issueId = await issue()
    await administer.removeCarrier(world.admin, 'main')
    await administer.removeCarrier(world.admin, 'caller')
    await world.advance(60_000)
    const { deliveryStatus, providerOutcomeCode } = (await call('status', { issueId })).body
    expect([deliveryStatus, providerOutcomeCode]).toEqual(['sent', undefined])
    expect(await report('meta', world.whatsapp.requests[0])).toBe(1)
    expect(await status(issueId)).toBe('delivered')
  })

  describe('a code that is asked for again while the last one lives', () => {
    const again = () => issue({ purpose: 'same' })

    test('begins with the leg after the one that brought nothing, and with the first after the last', async () => {
      await again()
      await again()
      expect(starts()).toEqual([1, 1, 0])
      await again()
      expect(starts()).toEqual([1, 1, 1])
      await again()
      expect(starts()).toEqual([2, 1, 1])
    })

    test('begins with the first leg where the last code was used or has expired', async () => {
      const issueId = await again()
      await call('verify', { issueId, code: codeIn(world.whatsapp.requests[0]?.text ?? '') })
      await again()
      expect(starts()).toEqual([2, 0, 0])
      await world.leap(200_000)
      const before = starts()[0]
      await again()
      expect(starts()[0]).toBe((before ?? 0) + 1)
    })

    test('begins with the first leg where its app wants that, and another change of the plan leaves it so', async () => {
      await plan(WHATSAPP_SMS_VOICE, { resend: 'first' })
      await plan(WHATSAPP_SMS_VOICE)
      await again()
      await again()
      expect(starts()).toEqual([2, 0, 0])
      await plan(WHATSAPP_SMS_VOICE, { resend: 'next' })
      await again()
      expect(starts()).toEqual([2, 1, 0])
    })

    test('is the same request to an idempotency key, whose leg does not move on', async () => {
      const request = { purpose: 'same', idempotencyKey: 'once' }
      expect(await issue(request)).toBe(await issue(request))
      expect(starts()).toEqual([1, 0, 0])
    })
  })

  test('is refused where its waits are as long as any code lives, and says so', async () => {
    const waits = (whatsapp: number, sms: number) =>
      plan([{ channel: 'whatsapp', waitSec: whatsapp }, { channel: 'sms', waitSec: sms }, { channel: 'voice' }])
    await waits(300, 299)
    expect((await errorOf(waits(300, 300))).message).toContain('no code lives longer than 600 s')
  })

  test('moves on at once where a leg is refused or reported failed', async () => {
    world.whatsapp.answer = () => answered(400, { code: 'NO_SUCH_USER' })
    const issueId = await issue()
    expect(starts()).toEqual([1, 1, 0])
    expect(await report('main', world.sms.requests[0], 'failed')).toBe(1)
    expect(starts()).toEqual([1, 1, 1])
    await world.advance(60_000)
    expect(starts()).toEqual([1, 1, 1])
    expect(await status(issueId)).toBe('sent')
  })

  test('gives a leg no shorter wait because the leg before it failed early', async () => {
    await plan([{ channel: 'whatsapp', waitSec: 8 }, { channel: 'sms' }, { channel: 'voice' }])
    await issue()
    await world.advance(2_000)
    expect(await report('meta', world.whatsapp.requests[0], 'failed')).toBe(1)
    await world.advance(60_000)
    expect(starts()).toEqual([1, 1, 0])
    expect(await report('main', world.sms.requests[0], 'failed')).toBe(1)
    expect(starts()).toEqual([1, 1, 1])
  })

  describe('of which a later leg was under way when its server was killed, and an earlier one was delivered', () => {
    let issueId: string
    const attempts = () =>
      world.rows<{ leg: string; outcome: string | null; code: string | null; report: string | null }>(
        'SELECT leg, outcome, code, report FROM attempts ORDER BY number',
      )

    beforeEach(async () => {
      issueId = await issue()
      world.sms.answer = () => new Promise(() => {})
      await world.advance(9_000)
      expect(starts()).toEqual([1, 1, 0])
      world.clock.forgetTimers()
      const after = await World.start({ place: world.place, clock: world.clock, seed: 2 })
      after.sms.requests.push(...world.sms.requests)
      after.whatsapp.requests.push(...world.whatsapp.requests)
      world = after
      expect(await report('meta', world.whatsapp.requests[0])).toBe(1)
    })

    test('gives that message an outcome when its lease is over, and changes nothing else', async () => {
      await world.advance(40_000)
      expect(await attempts()).toEqual([
        { leg: 'whatsapp', outcome: 'accepted', code: null, report: 'delivered' },
        { leg: 'sms', outcome: 'ambiguous', code: 'INTERRUPTED', report: null },
      ])
      expect(await status(issueId)).toBe('delivered')
      expect(await wallet()).toEqual({ balance: 999, reserved: 0 })
    })

    test.each([0, 40_000])('notes its own report once, %i ms later, and counts its message', async (ms) => {
      await world.advance(ms)
      expect(await report('main', world.sms.requests[0])).toBe(1)
      expect(await report('main', world.sms.requests[0])).toBe(0)
      await world.advance(40_000)
      expect((await attempts())[1]).toMatchObject({ leg: 'sms', report: 'delivered' })
      const owner = { appId: keys.appId, mode: 'live' } as const
      const usage = await world.store.lists.usage.rows(owner, 0, world.clock.now() + 1, world.clock.now())
      expect(usage.map(({ channel, issued, messages }) => [channel, issued, messages]).sort()).toEqual([
        ['sms', 0, 1],
        ['whatsapp', 1, 1],
      ])
      expect(await wallet()).toEqual({ balance: 999, reserved: 0 })
    })
  })

  test('ends where a leg is delivered: no timer starts another one', async () => {
    const issueId = await issue()
    expect(await report('meta', world.whatsapp.requests[0])).toBe(1)
    await world.advance(60_000)
    expect(starts()).toEqual([1, 0, 0])
    expect(await status(issueId)).toBe('delivered')
  })

  test('moves on from an ambiguous outcome by no timer, and once its carrier reports that it failed', async () => {
    world.whatsapp.answer = () => answered(500, '')
    const issueId = await issue()
    await world.advance(100_000)
    expect(starts()).toEqual([1, 0, 0])
    expect(await report('meta', world.whatsapp.requests[0], 'failed')).toBe(1)
    await world.settle()
    expect(starts()).toEqual([1, 1, 0])
    expect(codeIn(world.sms.requests[0]?.text ?? '')).toBe(codeIn(world.whatsapp.requests[0]?.text ?? '-'))
    expect(await status(issueId)).toBe('sent')
  })

  test.each(['used', 'replaced', 'expired'])('never moves on when the code was %s', async (how) => {
    await plan(WHATSAPP_SMS_VOICE, { resend: 'first' })
    const issueId = await issue({ purpose: 'same', expiresInSec: 30 })
    if (how === 'used') {
      const code = codeIn(world.whatsapp.requests[0]?.text ?? '')
      expect((await call('verify', { issueId, code })).body.verified).toBe(true)
    }
    if (how === 'replaced') await issue({ purpose: 'same', expiresInSec: 30 })
    if (how === 'expired') {
      await plan([{ channel: 'whatsapp', waitSec: 40 }, { channel: 'sms' }])
      await issue({ expiresInSec: 30 })
    }
    const before = world.sms.requests.length
    await world.advance(how === 'expired' ? 60_000 : 9_500)
    expect(world.sms.requests.length - before).toBe(how === 'used' ? 0 : 1)
  })

  test('counts a late report of an earlier leg, and says which leg delivered', async () => {
    await administer.addEndpoint(world.admin, {
      ...{ appId: keys.appId, mode: 'live', url: 'https://own.example/hooks', events: ['otp.sent', 'otp.delivered'] },
    })
    const issueId = await issue()
    await world.advance(9_000)
    expect(starts()).toEqual([1, 1, 0])
    expect(await report('meta', world.whatsapp.requests[0])).toBe(1)
    expect(await status(issueId)).toBe('delivered')
    expect(await report('main', world.sms.requests[0], 'failed')).toBe(0)
    await world.advance(60_000)
    expect(starts()).toEqual([1, 1, 0])
    expect(await status(issueId)).toBe('delivered')
    expect(await world.rows('SELECT leg FROM issues')).toEqual([{ leg: 'whatsapp' }])
    expect(await wallet()).toEqual({ balance: 999, reserved: 0 })
  })

  test('is not over while the message of an earlier leg may still arrive', async () => {
    world.voice.answer = () => answered(400, { code: 'BUSY_LINE' })
    const issueId = await issue()
    await world.advance(9_000)
    expect(await report('main', world.sms.requests[0], 'failed')).toBe(1)
    expect(starts()).toEqual([1, 1, 1])
    expect(await status(issueId)).toBe('sent')
    expect(await report('meta', world.whatsapp.requests[0])).toBe(1)
    expect(await status(issueId)).toBe('delivered')
  })

  test('fails when every leg has failed, and gives back nothing that a carrier took', async () => {
    world.voice.answer = () => answered(400, { code: 'BUSY_LINE' })
    const issueId = await issue()
    await world.advance(9_000)
    await report('main', world.sms.requests[0], 'failed')
    expect(await report('meta', world.whatsapp.requests[0], 'failed')).toBe(1)
    expect(await status(issueId)).toBe('failed')
    expect(await wallet()).toEqual({ balance: 999, reserved: 0 })
  })

  test('gives the credit back when no carrier took anything', async () => {
    for (const carrier of [world.whatsapp, world.sms, world.voice]) carrier.answer = () => answered(400, { code: 'NO' })
    const issueId = await issue()
    await world.advance(60_000)
    expect(await status(issueId)).toBe('failed')
    expect(await wallet()).toEqual({ balance: 1_000, reserved: 0 })
  })

  test('lets a message whose report never comes end after a day', async () => {
    const issueId = await issue()
    await world.advance(45_000)
    world.clock.step(86_400_000)
    await world.advance(60_000)
    expect(await status(issueId)).toBe('sent')
    expect(await wallet()).toEqual({ balance: 999, reserved: 0 })
    expect(await world.rows('SELECT * FROM jobs')).toEqual([])
    expect(await world.rows('SELECT 1 FROM attempts WHERE awaited_at IS NOT NULL')).toEqual([])
  })

  test('of its country comes before that of every country', async () => {
    await plan([{ channel: 'sms' }], { country: 'KR' })
    await issue()
    expect(starts()).toEqual([0, 1, 0])
  })

  test('of another channel, or of another app, changes nothing', async () => {
    await administer.removePlan(world.admin, keys.appId, { channel: 'sms', country: undefined })
    await plan([{ channel: 'whatsapp' }], { channel: 'alimtalk' })
    await issue()
    expect(starts()).toEqual([0, 1, 0])
  })

  test('leaves out the SMS that a caller of AlimTalk has declined', async () => {
    await plan([{ channel: 'alimtalk', waitSec: 5 }, { channel: 'sms' }], { channel: 'alimtalk' })
    await issue({ channel: 'alimtalk', smsFallback: false })
    await world.advance(10_000)
    expect(world.kakao.requests).toHaveLength(1)
    expect(starts()).toEqual([0, 0, 0])
    await issue({ channel: 'alimtalk' })
    await world.advance(10_000)
    expect(starts()).toEqual([0, 1, 0])
  })

  test('goes on where the first leg has no carrier, and is refused where none has', async () => {
    await administer.removeCarrier(world.admin, 'meta')
    await issue()
    await world.advance(1_000)
    expect(starts()).toEqual([0, 1, 0])
    await plan([{ channel: 'telegram' }])
    const answer = await call('issue', { phoneNumber: '010-1234-5678', purpose: 'p', idempotencyKey: 'none' })
    expect(answer.status).toBe(503)
    expect(answer.body.message).toContain('telegram')
  })

  describe('where a phone is not on a channel', () => {
    beforeEach(async () => {
      await world.provide('meta', ['whatsapp'], WHATSAPP_URL, { codes: { NOT_THERE: { means: 'absent' } } })
    })

    test.each(['an answer', 'a report'])('%s says so, and its leg is left out for a day', async (by) => {
      if (by === 'an answer') world.whatsapp.answer = () => answered(400, { code: 'NOT_THERE' })
      await issue()
      if (by === 'a report') {
        const { messageId = '' } = world.whatsapp.requests[0] ?? {}
        await world.report('meta', { messageId, status: 'failed', code: 'NOT_THERE' })
        await world.settle()
      }
      expect(starts()).toEqual([1, 1, 0])
      await issue()
      expect(starts()).toEqual([1, 2, 0])
      await issue({ phoneNumber: '010-9999-5678' })
      expect(world.whatsapp.requests).toHaveLength(2)
      world.clock.step(24 * 60 * 60_000)
      await issue()
      expect(world.whatsapp.requests).toHaveLength(3)
    })

    test('Meta says so in a signed report, and the code goes on by SMS once', async () => {
      const appSecret = 'a1'.repeat(16)
      const settings = { phoneNumberId: '12345', accessToken: 'EAAJ', appSecret, apiBase: 'http://carrier.test' }
      await administer.setCarrier(world.admin, {
        name: 'meta',
        type: 'whatsapp',
        channels: ['whatsapp'],
        config: { ...settings, reportSecret: REPORT_SECRET },
      })
      world.whatsapp.answer = () => answered(200, { messages: [{ id: 'wamid.1' }] })
      await issue()
      expect(starts()).toEqual([1, 0, 0])
      const sent = world.whatsapp.requests[0] as unknown as { biz_opaque_callback_data: string }
      const { biz_opaque_callback_data } = sent
      const status = { id: 'wamid.1', status: 'failed', biz_opaque_callback_data, errors: [{ code: 131026 }] }
      const body = JSON.stringify({ entry: [{ changes: [{ value: { statuses: [status, status] } }] }] })
      const signature = `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`
      const headers = { 'x-hub-signature-256': signature }
      const path = '/provider-reports/meta'
      expect((await world.send('POST', path, `${body} `, { headers })).status).toBe(401)
      expect((await world.send('POST', path, body, { headers })).body).toEqual({ recorded: 1 })
      await world.settle()
      await world.advance(9_000)
      expect(starts()).toEqual([1, 1, 0])
      await issue()
      expect(starts()).toEqual([1, 2, 0])
    })

    test.each(['an answer', 'a report'])(
      '%s says that the owner has opted out, and its leg is left out for 30 days',
      async (by) => {
        await world.provide('meta', ['whatsapp'], WHATSAPP_URL, { codes: { STOP: { means: 'stopped' } } })
        if (by === 'an answer') world.whatsapp.answer = () => answered(400, { code: 'STOP' })
        await issue()
        if (by === 'a report') {
          const { messageId = '' } = world.whatsapp.requests[0] ?? {}
          await world.report('meta', { messageId, status: 'failed', code: 'STOP' })
          await world.settle()
        }
        expect(starts()).toEqual([1, 1, 0])
        world.clock.step(29 * 24 * 60 * 60_000)
        await issue()
        expect(starts()).toEqual([1, 2, 0])
        world.clock.step(24 * 60 * 60_000)
        await issue()
        expect(world.whatsapp.requests).toHaveLength(2)
      },
    )

    describe('its carrier is asked what kind of number it is', () => {
      beforeEach(async () => {
        await plan([{ channel: 'sms', waitSec: 30 }, { channel: 'voice' }])
        await administer.setCarrier(world.admin, {
          name: 'main',
          type: 'acme',
          channels: ['sms'],
          config: { description: LOOKING, lookup: 'landline' },
        })
      })

      test('a landline gets no SMS but the next leg, at once and for a day', async () => {
        world.kakao.answer = () => answered(200, { line: 'fixed' })
        await issue()
        expect(starts()).toEqual([0, 0, 1])
        await issue()
        expect(starts()).toEqual([0, 0, 2])
        expect(world.kakao.requests).toEqual([{ to: '+821012345678' }] as never)
        world.clock.step(24 * 60 * 60_000)
        await issue()
        expect(starts()).toEqual([0, 0, 3])
        expect(world.kakao.requests).toHaveLength(2)
      })

      test.each([
        ['another kind', 200, { line: 'mobile' }],
        ['an error', 500, { line: 'fixed' }],
      ])('%s keeps no SMS back', async (_, status, said) => {
        world.kakao.answer = () => answered(status, said)
        await issue()
        expect(starts()).toEqual([0, 1, 0])
      })
    })

    test('a plan without another leg is played as it is', async () => {
      await plan([{ channel: 'whatsapp' }])
      world.whatsapp.answer = () => answered(400, { code: 'NOT_THERE' })
      await issue()
      await issue()
      expect(starts()).toEqual([2, 0, 0])
    })

    test('a refusal for another reason is not remembered', async () => {
      world.whatsapp.answer = () => answered(400, { code: 'OTHER' })
      await issue()
      await issue()
      expect(starts()).toEqual([2, 2, 0])
      expect(await world.rows('SELECT count(*) AS rows FROM absent_phones')).toEqual([{ rows: 0 }])
    })

    test('an erasure forgets it', async () => {
      world.whatsapp.answer = () => answered(400, { code: 'NOT_THERE' })
      await issue()
      expect(await world.rows('SELECT channel FROM absent_phones')).toEqual([{ channel: 'whatsapp' }])
      const { numbering, idempotencyDays } = world.config
      const deps = { ...world.admin, numbering, idempotencyDays, telemetry: UNTOLD }
      const { head } = await world.run(exportPhone(deps, { phoneNumber: '010-1234-5678' }))
      expect(head?.absentFrom).toEqual(['whatsapp'])
      await world.run(erasePhone(deps, { phoneNumber: '010-1234-5678' }))
      expect(await world.rows('SELECT channel FROM absent_phones')).toEqual([])
    })
  })

  test('does not change what the interface says of the channel', async () => {
    const issueId = await issue()
    expect((await call('getIssue', { issueId })).body.channel).toBe('sms')
  })
})

test('a call goes only to countries whose route names them', async () => {
  const world = await World.start()
  const keys = await world.furnish()
  await world.provide('caller', ['voice'], VOICE_URL)
  await administer.setPlan(world.admin, keys.appId, {
    channel: 'sms',
    country: undefined,
    legs: [{ channel: 'voice' }],
  })
  const issue = (idempotencyKey: string) =>
    world.call('rest', 'issue', { phoneNumber: '010-1234-5678', purpose: 'p', idempotencyKey }, { key: keys.live })
  expect((await issue('closed')).status).toBe(503)
  const route = { channel: 'voice', appId: undefined, carriers: ['caller'] } as const
  expect((await errorOf(administer.setRoute(world.admin, { ...route, country: undefined }))).message).toContain(
    'country',
  )
  await administer.setRoute(world.admin, { ...route, country: 'KR' })
  expect((await issue('open')).status).toBe(200)
  await world.settle()
  expect(world.voice.requests).toHaveLength(1)
  await world.stop()
})
