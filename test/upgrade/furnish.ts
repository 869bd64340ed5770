/** A server with something of everything, as years of use leave it: what each release is recorded with, for later ones to upgrade. */
import { DAY_MS, HOUR_MS } from '../../src/domain/shared/value'
import * as administer from '../../src/usecases/administer'
import { setUpToken } from '../../src/usecases/people'
import { ConsoleClient } from '../console/client'
import { Carrier } from '../support/carrier'
import type { VirtualClock } from '../support/clock'
import type { Place } from '../support/place'
import { Receivers, receives } from '../support/receiver'
import { WHATSAPP_URL, World } from '../support/world'

/** What the drill has to know of a recorded database. It belongs to no real server. */
export interface Recorded {
  version: string
  /** Unix milliseconds at which the server was stopped. */
  stoppedAt: number
  secret: string
  email: string
  password: string
  appId: string
  live: string
  test: string
  hookSecret: string
  relayId: string
  relaySecret: string
  /** A code that was sent and waits to be typed. */
  waiting: { issueId: string; code: string }
  /** A message that waits to be sent. */
  queued: { issueId: string; phoneNumber: string }
  /** Rows of each table. */
  rows: Record<string, number>
}

export const HOOK_URL = 'https://shop.example/hooks'
const PASSWORD = 'correct horse battery'
const EMAIL = 'ann@example.com'
const LIFETIME_SEC = 600
const CHALLENGE = {
  vendor: 'turnstile',
  siteKey: '1x00000000000000000000AA',
  secret: '1x0000000000000000000000000000000AA',
  onOutage: 'refuse',
} as const

/** Answers what is recorded but for the counts; the world is stopped, and its place is left. */
export async function furnishWorld(
  place: Place,
  clock: VirtualClock,
  secret: string,
): Promise<Omit<Recorded, 'version' | 'rows'>> {
  const hooks = new Receivers(clock.now)
  const carriers = { sms: new Carrier(), kakao: new Carrier(), backup: new Carrier(), whatsapp: new Carrier() }
  const env = { WATCHWORD_PUBLIC_URL: 'http://localhost' }
  const world = await World.start({ place, clock, secret, hooks, carriers, env })
  const { admin, sms } = world
  const owner = new ConsoleClient(world)
  const asked = async (path: string, input: object) => {
    const { status, body } = await owner.call(path, input)
    if (status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`)
    return body
  }
  await asked('session/setUp', { token: await setUpToken(world), name: 'Ann', email: EMAIL, password: PASSWORD })
  const { appId, live, test } = await world.furnish()
  await asked('operators/invite', { role: 'viewer', note: 'Lee' })

  const template = {
    ...{ templateId: 'shop', name: 'Shop', channelSupport: ['sms', 'alimtalk'] as const, providerTemplateCode: 'T1' },
    ...{ variables: { name: { required: false, pattern: '[A-Z][a-z]+' } }, locale: 'en' },
  }
  await administer.saveTemplate(admin, appId, { ...template, body: '#{name}: #{code}' })
  await administer.saveTemplate(admin, appId, {
    ...{ ...template, body: '#{name} #{code} is your code.', bodies: { ko: { body: '#{name} 코드 #{code}' } } },
  })
  await world.provide('whatsapp', ['whatsapp'], WHATSAPP_URL)
  await administer.setPlan(admin, appId, {
    ...{ channel: 'sms' as const, country: 'JP' },
    legs: [{ channel: 'whatsapp', waitSec: 30 }, { channel: 'sms' }],
  })
  await administer.setRoute(admin, { channel: 'sms', country: 'KR', appId, carriers: ['main'] })
  await administer.createKey(admin, {
    ...{ appId, kind: 'pk', mode: 'live', allowedOrigins: ['https://shop.example'], name: 'Shop page' },
  })
  const { stored } = await administer.createKey(admin, { appId, kind: 'sk', mode: 'live' })
  await administer.revokeKey(admin, stored.keyId)
  const hook = await administer.addEndpoint(admin, {
    ...{ appId, mode: 'live', url: HOOK_URL, headers: { 'x-shop': 'one' } },
    events: ['otp.sent', 'otp.delivered', 'otp.failed', 'otp.verified', 'otp.expired', 'otp.max_attempts'],
  })
  const { relay, newSecret } = await administer.addRelay(admin, appId, { name: 'auth', source: 'plain', mode: 'live' })
  await administer.setChallenge(admin, appId, { ...CHALLENGE })
  await administer.setPrice(admin, {
    ...{ carrier: 'main', country: 'KR', channel: '', currency: 'KRW', amount: '9.9', validFrom: '2026-01-01' },
  })
  await administer.createReportToken(admin, { name: 'finance' })
  await administer.addNoticeWay(admin, {
    ...{ name: 'duty', channel: 'webhook', settings: { url: 'https://ops.example/notices' } },
  })
  await administer.setCreditAlert(admin, { appId, below: 2_000 })
  await administer.clawBackCredit(admin, { appId, amount: 5, reference: 'order-7' })

  let made = 0
  const issue = async (input: object = {}, key = live) => {
    const n = ++made
    const phoneNumber = `010-2000-${1_000 + n}`
    const wanted = { phoneNumber, purpose: 'signup', idempotencyKey: `key-${n}`, expiresInSec: LIFETIME_SEC, ...input }
    const { status, body } = await world.run(world.call('rest', 'issue', wanted, { key }))
    if (status !== 200) throw new Error(JSON.stringify(body))
    await world.advance(1_000)
    return { issueId: body.issueId as string, phoneNumber, messageId: sms.requests.at(-1)?.messageId ?? '' }
  }
  const verify = (issueId: string, code: string) =>
    world.run(world.call('rest', 'verify', { issueId, code }, { key: live }))
  const report = async (messageId: string, status: string) => {
    await world.report('main', { messageId, status })
    await world.advance(1_000)
  }
  const wrong = () => (sms.lastCode() === '000000' ? '000001' : '000000')

  // Verified, with a wrong code before, and what it costs given back.
  const verified = await issue({ metadata: { plan: 'pro' }, templateId: 'shop', templateVariables: { name: 'Kim' } })
  await report(verified.messageId, 'delivered')
  await verify(verified.issueId, wrong())
  await verify(verified.issueId, sms.lastCode())
  await world.advance(1_000)
  await administer.refundIssue(admin, { appId, issueId: verified.issueId })
  // Every attempt used up.
  const guessed = await issue({ maxAttempts: 2 })
  await verify(guessed.issueId, wrong())
  await verify(guessed.issueId, wrong())
  // Replaced by the next one for the same phone, which expires.
  await issue({ phoneNumber: '010-3000-1000' })
  await world.advance(120_000)
  await issue({ phoneNumber: '010-3000-1000' })
  // Refused by the carrier; reported as failed; of unknown fate.
  sms.script(() => ({ kind: 'answered', status: 400, body: '{"code":"BLOCKED","message":"not now"}' }))
  await issue()
  await report((await issue()).messageId, 'failed')
  sms.script(() => ({ kind: 'unknown', reason: 'TimeoutError' }))
  await issue()
  await issue({ channel: 'alimtalk' })
  await issue({ phoneNumber: '+81 90-1234-5678' })
  await issue({ phoneNumber: '010-0000-0000' }, test)
  hooks.script(HOOK_URL, () => receives(500, { body: 'not today' }))
  await issue()
  await world.advance(LIFETIME_SEC * 1_000)
  await asked('privacy/erase', { phoneNumber: '010-3000-1000' })
  await world.leap(30 * HOUR_MS)
  await world.sweep()
  const { now } = world.clock
  await world.store.transaction(async (tx) => {
    await tx.traffic.saveIncident({
      ...{
        incidentId: world.random.uuid(now()),
        appId,
        kind: 'pk',
        country: 'VN',
        since: now() - DAY_MS,
        lastAt: now(),
      },
      ...{ endedAt: undefined, isBlocked: true, refused: 12, rules: ['cap'], pausedUntil: undefined, pauses: 0 },
      ...{ cost: 12, refunded: undefined },
    })
  })
  await world.advance(60_000)

  const waiting = await issue()
  const code = sms.lastCode()
  // The carrier is away: its message waits for the next release.
  sms.answer = () => ({ kind: 'not_sent', reason: 'ECONNREFUSED' })
  const queued = await issue()
  await world.stop()
  return {
    ...{ stoppedAt: now(), secret, email: EMAIL, password: PASSWORD, appId, live, test, hookSecret: hook.secret },
    ...{ relayId: relay.relayId, relaySecret: newSecret ?? '', waiting: { issueId: waiting.issueId, code } },
    queued: { issueId: queued.issueId, phoneNumber: queued.phoneNumber },
  }
}
