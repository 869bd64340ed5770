/** What the console shows of an attack and what can be done about it there: of the real app, under virtual time. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
// Loaded now: the first request would wait for it, and virtual time would pass.
import '../../src/console/rpc'
import { fail } from '../../src/abuse/rules/failure-budget'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/shared/value'
import type { Decision, SegmentHour } from '../../src/ports/store/traffic'
import { setUpToken } from '../../src/usecases/people'
import { type Furnished, START, World } from '../support/world'
import { ConsoleClient } from './client'

let world: World
let keys: Furnished
let owner: ConsoleClient
let made = 0

const ask = async (path: string, input: object = {}) => {
  const { status, body } = await owner.call(path, input)
  return status === 200 ? body : [status, body.data]
}
const ofApp = (more: object = {}) => ({ appId: keys.appId, ...more })
const issue = (phoneNumber: string) =>
  world.call('rest', 'issue', { phoneNumber, purpose: 'signup', idempotencyKey: `k${made++}` }, { key: keys.live })
/** All of one prefix. */
const korean = (n: number) => `010-1234-${1_000 + n}`
/** Phones are counted by six bits of a hash, so never for more than they are; of these each has others. */
function toldApart(count: number): string[] {
  const byBits = new Map<number, string>()
  for (let n = 0; byBits.size < count; n++) {
    const byte = world.vault.phoneHash(`+82${korean(n).slice(1).replaceAll('-', '')}`)[5] ?? 0
    byBits.set(byte & 63, korean(n))
  }
  return [...byBits.values()]
}
const british = (n: number) => `+44 7400 12${3_000 + n}`
const decide = (protection: object) => ask('apps/protect', ofApp({ protection }))
const ONE_AN_HOUR = { kind: 'sk', per: 'app', of: 'messages', every: 'hour', max: 1 }

const show = (more: object = {}) =>
  ask('protection/show', ofApp({ from: START - DAY_MS, to: START + HOUR_MS, by: 'hour', ...more }))
const store = (changes: { decisions?: Decision[]; hours?: SegmentHour[] }) =>
  world.run(
    world.store.transaction(async (tx) => {
      await tx.traffic.addDecisions(changes.decisions ?? [])
      await tx.traffic.saveHours(keys.appId, changes.hours ?? [])
    }),
  )
const decision = (changes: Partial<Decision> = {}): Decision => ({
  ...{ appId: keys.appId, minute: START, kind: 'pk', country: 'GB', rule: 'cap', isRefused: true },
  ...{ prefixHash: new Uint8Array(), networkHash: new Uint8Array(), times: 1, credits: 3 },
  ...changes,
})
const hour = (changes: Partial<SegmentHour> = {}): SegmentHour => ({
  ...{ kind: 'pk', country: 'KR', hour: START - HOUR_MS, sent: 10, credits: 30, verified: 6, unverified: 4 },
  ...changes,
})

beforeEach(async () => {
  world = await World.start()
  keys = await world.furnish()
  owner = new ConsoleClient(world)
  const token = await setUpToken(world)
  await owner.call('session/setUp', { token, name: 'Ann', email: 'ann@example.com', password: 'correct horse battery' })
})
afterEach(() => world.stop())

describe('an app’s protection', () => {
  test('keeps what others have decided meanwhile: only what is named is changed', async () => {
    await decide({ closed: ['RU'], trusted: { networks: ['192.0.2.0/24'] } })
    await decide({ conversion: 'watch', tolerance: 0.5, trusted: { countries: ['JP'] }, resendMs: { sk: 5_000 } })
    expect((await ask('apps/list')).apps[0].protection).toMatchObject({
      ...{
        closed: ['RU'],
        conversion: 'watch',
        tolerance: 0.5,
        countries: 'block',
        resendMs: { sk: 5_000, pk: 30_000 },
      },
      trusted: { networks: ['192.0.2.0/24'], countries: ['JP'], phones: 0 },
    })
  })

  test('tells how many phones are trusted, not which, and can trust none', async () => {
    const { trustPhone } = await import('../../src/usecases/administer')
    await world.run(trustPhone({ ...world.admin, numbering: world.config.numbering }, keys.appId, korean(1)))
    expect((await decide({})).protection.trusted.phones).toBe(1)
    expect((await owner.call('apps/protect', ofApp({ protection: { trusted: { phones: ['ab'] } } }))).status).toBe(400)
    expect((await decide({ trusted: { phones: [] } })).protection.trusted.phones).toBe(0)
  })
})

describe('what came of it', () => {
  test('is seen within seconds of a refusal: how much, by what, where; and neither digits nor address', async () => {
    await decide({ caps: [ONE_AN_HOUR] })
    for (let n = 0; n < 4; n++) await issue(korean(n))
    await issue(british(0))
    await world.advance(8_000)
    const shown = await show()
    const { total, rules, countries, prefixes, series } = shown
    expect(JSON.stringify(shown)).not.toMatch(/821012|447400|127\.0/)
    const nothing = { watched: 0, watchedCredits: 0, sent: 0, verified: 0, unverified: 0, untypedCredits: 0 }
    expect(total).toEqual({ ...nothing, refused: 4, refusedCredits: 4 })
    expect(rules).toEqual([{ rule: 'cap', refused: 4, refusedCredits: 4, watched: 0, watchedCredits: 0 }])
    expect(countries.map(({ country, refused }: { country: string; refused: number }) => [country, refused])).toEqual([
      ['KR', 3],
      ['GB', 1],
    ])
    expect(prefixes).toHaveLength(2)
    expect(prefixes[0]).toEqual({
      ...{ country: 'KR', prefix: expect.stringMatching(/^[0-9a-f]+$/), refused: 3, refusedCredits: 3 },
      ...{ watched: 0, watchedCredits: 0 },
    })
    expect(series).toHaveLength(25)
    expect(series.at(-1)).toMatchObject({ at: START, refused: 4 })
  })

  test('is counted for the overview, which says when it is more than usual: rules, limits and the wallet', async () => {
    const refused = async () => {
      const { total, before, rules, unusual } = (await ask('overview/show', ofApp({ mode: 'live' }))).refused
      return { total, before, rules, unusual }
    }
    await store({ decisions: [decision({ minute: START - 20 * HOUR_MS, times: 2 }), decision({ isRefused: false })] })
    const cap = { rule: 'cap', refused: 2, before: 0 }
    expect(await refused()).toEqual({ total: 2, before: 0, rules: [cap], unusual: [] })
    // Five codes for one phone in ten minutes, and no more.
    for (let n = 0; n < 8; n++) await issue(korean(1))
    await world.advance(8_000)
    const limit = { rule: 'limit', refused: 3, before: 0 }
    expect(await refused()).toEqual({ total: 5, before: 0, rules: [limit, cap], unusual: [] })
    const { balance } = await ask('wallet/show', ofApp())
    await ask('wallet/clawback', ofApp({ amount: balance, reference: 'all' }))
    for (let n = 2; n < 5; n++) expect((await issue(korean(n))).status).toBe(402)
    await world.advance(8_000)
    const unusual = [{ appId: keys.appId, lately: 6, usual: 0 }]
    expect(await refused()).toMatchObject({ total: 8, before: 0, unusual })
    await store({ decisions: [decision({ minute: START - 30 * HOUR_MS, times: 4 })] })
    expect((await show()).rules.map(({ rule, refused }: { rule: string; refused: number }) => [rule, refused])).toEqual(
      [
        ['cap', 2],
        ['limit', 3],
        ['no_credit', 3],
      ],
    )
    expect(await ask('overview/show', { appId: 'app_none', mode: 'live' })).toMatchObject([404, {}])
  })

  test('names the digits of a prefix once twenty phones share it, and not before', async () => {
    const digits = async () => {
      await decide({ closed: ['KR'] })
      await issue(korean(50))
      await world.advance(8_000)
      const [prefix] = (await show()).prefixes
      await decide({ closed: [] })
      return prefix.digits
    }
    const [first = '', ...others] = toldApart(20)
    const last = others.pop() ?? ''
    // More than one code for one of them is no further phone.
    for (const phone of [first, first, ...others]) expect((await issue(phone)).status).toBe(200)
    expect(await digits()).toBeUndefined()
    expect((await issue(last)).status).toBe(200)
    expect(await digits()).toBe('+82101234')
  })

  test('says by its digits which prefix is stopped', async () => {
    for (let n = 0; n < 40; n++) await issue(korean(n))
    await decide({ closed: ['KR'] })
    await issue(korean(50))
    await world.advance(8_000)
    const { prefixes } = await show()
    expect(prefixes).toMatchObject([{ country: 'KR', digits: '+82101234', refused: 1 }])
    const { prefix } = prefixes[0]
    await ask('protection/block', ofApp({ country: 'KR', prefix }))
    expect((await ask('protection/state', ofApp())).blocks).toEqual([
      { country: 'KR', prefix, digits: '+82101234', until: expect.any(Number) },
    ])
  })

  test('says what codes cost that nobody typed, in steps of hours or days', async () => {
    const hours = [
      hour(),
      hour({ kind: 'sk', country: 'GB', verified: 0, unverified: 10 }),
      hour({ hour: START - DAY_MS }),
    ]
    await store({ hours, decisions: [decision(), decision({ isRefused: false, times: 2, credits: 6 })] })
    const { total, countries, series } = await show()
    expect(total).toEqual({
      ...{ refused: 1, refusedCredits: 3, watched: 2, watchedCredits: 6 },
      ...{ sent: 30, verified: 12, unverified: 18, untypedCredits: 54 },
    })
    expect(countries).toEqual([
      { ...total, country: 'GB', sent: 10, verified: 0, unverified: 10, untypedCredits: 30 },
      {
        ...{ country: 'KR', refused: 0, refusedCredits: 0, watched: 0, watchedCredits: 0 },
        ...{ sent: 20, verified: 12, unverified: 8, untypedCredits: 24 },
      },
    ])
    expect(series[23]).toMatchObject({ at: START - HOUR_MS, sent: 20, unverified: 14 })
    const byDay = (await show({ from: START - 7 * DAY_MS, to: START + 1, by: 'day' })).series
    expect(byDay.map(({ sent }: { sent: number }) => sent)).toEqual([0, 0, 0, 0, 0, 0, 10, 20])
  })

  test('says that nothing was lost in an hour in which nothing was sent, though codes of the hour before ended in it', async () => {
    await store({ hours: [hour({ sent: 0, credits: 0, verified: 0, unverified: 3 })] })
    expect((await show()).total).toMatchObject({ sent: 0, unverified: 3, untypedCredits: 0 })
  })

  test('of an hour that is over is added up once, of the running one always anew', async () => {
    const before = decision({ minute: START - 5 * HOUR_MS })
    await store({ decisions: [before, decision()] })
    expect((await show()).total.refused).toBe(2)
    await store({ decisions: [before, decision()] })
    expect((await show()).total.refused).toBe(3)
    // Of another app it says nothing.
    const { appId } = await ask('apps/create', { name: 'other' })
    expect((await show({ appId })).total.refused).toBe(0)
  })

  test('of an hour that ended ten minutes ago is still added up anew', async () => {
    const before = decision({ minute: START - HOUR_MS })
    await store({ decisions: [before] })
    world.clock.step(10 * MINUTE_MS - 1)
    expect((await show()).total.refused).toBe(1)
    await store({ decisions: [before] })
    expect((await show()).total.refused).toBe(2)
    world.clock.step(1)
    expect((await show()).total.refused).toBe(2)
    await store({ decisions: [before] })
    expect((await show()).total.refused).toBe(2)
  })

  test('lists the fifty networks that asked the most, however many there are; all of them count', async () => {
    const prefixHash = Buffer.alloc(8, 1)
    for (let minute = 0; minute < 5; minute++)
      await store({
        decisions: Array.from({ length: 1_000 }, (_, n) => {
          const networkHash = Buffer.alloc(8)
          networkHash.writeUInt32BE(n)
          return decision({ minute: START - minute * MINUTE_MS, prefixHash, networkHash })
        }),
      })
    const { total, networks } = await show()
    expect(total.refused).toBe(5_000)
    expect(networks).toHaveLength(50)
    expect(networks[0].network).toMatch(/^[0-9a-f]{8}$/)
  })

  test('of an app that does not exist is not shown', async () => {
    for (const path of ['protection/show', 'protection/state'])
      expect(await ask(path, { appId: 'app_none', from: 0, to: 1, by: 'hour' })).toMatchObject([404, {}])
  })
})

describe('an incident', () => {
  /** A dozen codes over a cap. */
  const attack = async () => {
    await decide({ caps: [ONE_AN_HOUR] })
    for (let n = 0; n < 13; n++) await issue(british(n))
    await world.advance(8_000)
    return (await ask('protection/incidents', ofApp())).rows[0]
  }

  test('is shown on the overview and with its app, and ends at a click', async () => {
    const incident = await attack()
    expect(incident).toEqual({
      ...{ incidentId: expect.any(String), appId: keys.appId, kind: 'sk', country: 'GB', isBlocked: true },
      ...{ since: expect.any(Number), lastAt: expect.any(Number), refused: 12, rules: ['cap'], cost: 0 },
    })
    expect((await ask('overview/show', { mode: 'live' })).incidents).toEqual([incident])
    const endedAt = world.clock.now()
    const { reopenedUntil } = await ask('protection/end', { incidentId: incident.incidentId })
    expect(reopenedUntil - endedAt).toBe(24 * 3_600_000)
    expect((await ask('protection/state', ofApp())).reopened).toEqual([
      { kind: 'sk', country: 'GB', until: reopenedUntil },
    ])
    expect((await ask('overview/show', { mode: 'live' })).incidents).toEqual([])
    expect((await ask('protection/incidents', ofApp())).rows).toEqual([{ ...incident, endedAt: expect.any(Number) }])
    expect(await ask('protection/end', { incidentId: 'none' })).toMatchObject([404, { reason: 'no_such' }])
  })

  test('comes in pages, those that are open first', async () => {
    const { incidentId } = await attack()
    await ask('protection/end', { incidentId })
    const ended = (await ask('protection/incidents', ofApp())).rows[0]
    await world.advance(3_000)
    for (let n = 0; n < 13; n++) await issue(british(20 + n))
    await world.advance(8_000)
    const [first, ...others] = (await ask('protection/incidents', ofApp({ limit: 1 }))).rows
    expect(first.endedAt).toBeUndefined()
    expect(others).toEqual([ended])
    expect(await ask('protection/incidents', ofApp({ after: `${ended.since}.${ended.incidentId}` }))).toEqual({
      rows: [],
    })
  })

  test('gives back what its codes have cost', async () => {
    await issue(british(0))
    await world.advance(1_000)
    for (const { messageId } of world.sms.accepted) await world.report('main', { messageId, status: 'delivered' })
    await world.advance(1_000)
    const { incidentId } = await attack()
    const { balance } = await ask('wallet/show', ofApp())
    expect(await ask('protection/refund', { incidentId })).toEqual({ credits: 1, issues: 1, undecided: 0 })
    expect((await ask('wallet/show', ofApp())).balance).toBe(balance + 1)
    expect((await ask('protection/incidents', ofApp())).rows[0].refunded).toBe(1)
  })
})

describe('a phone at which too many codes were wrong', () => {
  const PHONE = '010-1234-5678'
  const nothing = { failures_paused: 0, failures_locked: 0, failures_seldom: 0 }
  const held = async () => (await ask('protection/state', ofApp())).held
  const phone = (phoneNumber = PHONE) => ask('protection/phone', ofApp({ phoneNumber }))
  const unlock = (...kinds: string[]) => ask('protection/unlock', ofApp({ phoneNumber: PHONE, kinds }))
  const mistake = (kind: 'sk' | 'pk', times: number) =>
    world.run(
      world.store.transaction(async (tx) => {
        const phoneHash = world.vault.phoneHash('+821012345678')
        const of = { appId: keys.appId, kind, phoneHash }
        let failures = await tx.failures.lock(of)
        for (let n = 0; n < times; n++) failures = fail(failures, tx.now)
        if (failures) await tx.failures.save(of, failures)
      }),
    )

  test('is counted, and not named: neither its number nor its hash', async () => {
    expect(await held()).toEqual({ sk: nothing, pk: nothing, areAll: true })
    await mistake('sk', 10)
    await mistake('pk', 100)
    const state = await ask('protection/state', ofApp())
    expect(state.held).toEqual({
      ...{ sk: { ...nothing, failures_paused: 1 }, pk: { ...nothing, failures_locked: 1 }, areAll: true },
    })
    const hash = Buffer.from(world.vault.phoneHash('+821012345678')).toString('hex')
    expect(JSON.stringify(state)).not.toContain('1012345678')
    expect(JSON.stringify(state)).not.toContain(hash.slice(0, 12))
  })

  test('is looked for by its number, and opened for one kind of key or for both; the audit log has no number', async () => {
    await mistake('sk', 10)
    await mistake('pk', 100)
    expect(await phone('+82 10 1234 5678')).toEqual({
      phoneNumber: '+821012345678',
      standings: [
        { kind: 'sk', rule: 'failures_paused', until: START + MINUTE_MS },
        { kind: 'pk', rule: 'failures_locked', until: START + DAY_MS },
      ],
    })
    expect((await issue(PHONE)).status).toBe(429)
    expect(await unlock('pk')).toEqual({ wasWaiting: true })
    expect((await phone()).standings.map(({ rule }: { rule?: string }) => rule)).toEqual(['failures_paused', undefined])
    expect((await issue(PHONE)).status).toBe(429)
    expect(await unlock('sk', 'pk')).toEqual({ wasWaiting: true })
    expect((await issue(PHONE)).status).toBe(200)
    expect(await held()).toEqual({ sk: nothing, pk: nothing, areAll: true })
    expect(await unlock('sk')).toEqual({ wasWaiting: false })
    const { rows } = await ask('audit/list', {})
    const opened = rows.filter(({ action }: { action: string }) => action === 'app.unlock')
    expect(opened.map(({ target, detail }: { target: string; detail: object }) => [target, detail])).toEqual([
      [keys.appId, {}],
      [keys.appId, { keys: ['pk'] }],
    ])
    expect(JSON.stringify(rows)).not.toContain('1012345678')
  })

  test('that is none, or of an app that does not exist, is said to be', async () => {
    expect((await phone('010-9999-0000')).standings).toEqual([{ kind: 'sk' }, { kind: 'pk' }])
    expect(await phone('12')).toMatchObject([400, { param: 'phoneNumber', reason: 'invalid_phone_number' }])
    expect(await ask('protection/phone', { appId: 'app_none', phoneNumber: PHONE })).toMatchObject([404, {}])
    expect((await owner.call('protection/unlock', ofApp({ phoneNumber: PHONE, kinds: [] }))).status).toBe(400)
  })

  test('is not opened by who may only look', async () => {
    const { url } = await ask('operators/invite', { role: 'viewer' })
    const viewer = new ConsoleClient(world)
    const person = { name: 'Vic', email: 'vic@example.com', password: 'correct horse battery' }
    expect((await viewer.call('session/accept', { token: String(url).split('#')[1], ...person })).status).toBe(200)
    expect((await viewer.call('protection/state', ofApp())).status).toBe(200)
    const asked = ofApp({ phoneNumber: PHONE, kinds: ['pk'] })
    for (const path of ['protection/phone', 'protection/unlock'])
      expect((await viewer.call(path, asked)).status).toBe(403)
  })
})

test('where secret keys may go is proposed from what was typed in the last 90 days, and closed and opened at once', async () => {
  const sentTo = () => ask('protection/sentTo', ofApp())
  expect(await sentTo()).toEqual({ days: 90, typed: [], untyped: [] })
  await store({
    hours: [
      hour({ kind: 'sk', country: 'JP' }),
      hour({ kind: 'sk', country: 'KR', sent: 30 }),
      hour({ kind: 'sk', country: 'KR', hour: START - 60 * DAY_MS }),
      hour({ kind: 'sk', country: 'GB', verified: 0 }),
      hour({ kind: 'sk', country: 'US', hour: START - 91 * DAY_MS }),
      hour({ kind: 'pk', country: 'FR' }),
    ],
  })
  expect(await sentTo()).toEqual({ days: 90, typed: ['KR', 'JP'], untyped: ['GB'] })
  await decide({ secretTo: ['KR', 'JP'] })
  expect([(await issue(british(0))).status, (await issue(korean(0))).status]).toEqual([403, 200])
  await decide({ secretTo: [] })
  expect((await issue(british(0))).status).toBe(200)
  expect(await ask('protection/sentTo', { appId: 'app_none' })).toMatchObject([404, {}])
  expect((await owner.call('apps/protect', ofApp({ protection: { secretTo: ['XX'] } }))).status).toBe(400)
})

test('a country is stopped for a day, and sent to again when that is undone', async () => {
  const blocks = async () => (await ask('protection/state', ofApp())).blocks
  expect(await ask('protection/block', ofApp({ country: 'GB' }))).toEqual({ ok: true })
  expect((await issue(british(0))).status).toBe(429)
  expect((await issue(korean(0))).status).toBe(200)
  expect(await blocks()).toEqual([{ country: 'GB', until: expect.any(Number) }])
  expect(await ask('protection/unblock', ofApp({ country: 'GB' }))).toEqual({ ok: true })
  expect(await blocks()).toEqual([])
  expect((await issue(british(0))).status).toBe(200)
  await ask('protection/block', ofApp({ country: 'GB' }))
  await world.leap(DAY_MS)
  await ask('session/signIn', { email: 'ann@example.com', password: 'correct horse battery' })
  expect(await blocks()).toEqual([])
  for (const place of [{ country: 'gb' }, { country: '' }, { country: 'GB', prefix: '+44' }])
    expect((await owner.call('protection/block', ofApp(place))).status).toBe(400)
})

test('a block of one kind of key leaves the other alone; one of every key takes its place', async () => {
  const blocks = async () => (await ask('protection/state', ofApp())).blocks
  const until = expect.any(Number)
  await ask('protection/block', ofApp({ country: 'GB', kind: 'pk' }))
  expect(await blocks()).toEqual([{ country: 'GB', kind: 'pk', until }])
  expect((await issue(british(0))).status).toBe(200)
  await ask('protection/block', ofApp({ country: 'GB', kind: 'sk' }))
  expect((await issue(british(1))).status).toBe(429)
  await ask('protection/unblock', ofApp({ country: 'GB', kind: 'sk' }))
  expect(await blocks()).toEqual([{ country: 'GB', kind: 'pk', until }])
  expect((await issue(british(1))).status).toBe(200)
  await ask('protection/block', ofApp({ country: 'GB' }))
  expect(await blocks()).toEqual([{ country: 'GB', until }])
  await ask('protection/block', ofApp({ country: 'GB', kind: 'pk' }))
  await ask('protection/unblock', ofApp({ country: 'GB' }))
  expect(await blocks()).toEqual([])
  const { rows } = await ask('audit/list', { action: 'app.block' })
  expect(rows.map(({ detail }: { detail: object }) => detail)).toContainEqual({ country: 'GB', keys: 'pk' })
})

test('what a block would touch is said before: live keys, and codes of the last hour by kind, country and prefix', async () => {
  const lately = (more: object = {}) => ask('protection/lately', ofApp(more))
  expect(await lately()).toEqual({ keys: { sk: 1, pk: 0, relay: 0 }, codes: [], areAll: true })
  for (let n = 0; n < 3; n++) await issue(british(n))
  await issue(korean(0))
  await decide({ closed: ['GB'] })
  await issue(british(9))
  await store({ decisions: [decision({ minute: START - 2 * HOUR_MS }), decision({ isRefused: false })] })
  await world.advance(8_000)
  expect((await lately()).codes).toEqual([
    { kind: 'sk', country: 'GB', sent: 3, refused: 1 },
    { kind: 'sk', country: 'KR', sent: 1, refused: 0 },
  ])
  const { prefix } = (await show()).prefixes.find(({ country }: { country: string }) => country === 'GB')
  expect((await lately({ prefix })).codes).toEqual([{ kind: 'sk', country: 'GB', sent: 3, refused: 1 }])
  await world.leap(HOUR_MS + MINUTE_MS)
  expect((await lately()).codes).toEqual([])
  expect(await ask('protection/lately', { appId: 'app_none' })).toMatchObject([404, {}])
})
