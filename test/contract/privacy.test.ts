/** All that is stored of one phone: told, and erased. Decisions: "Erasing a phone". */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS } from '../../src/domain/shared/value'
import * as administer from '../../src/usecases/administer'
import { erasePhone, takeErasures } from '../../src/usecases/erase-phone'
import { exportPhone } from '../../src/usecases/export-phone'
import { verifyAudit } from '../../src/usecases/verify-audit'
import { answered } from '../support/carrier'
import { VirtualClock } from '../support/clock'
import { errorOf } from '../support/error-of'
import { Receivers } from '../support/receiver'
import { UNTOLD } from '../support/untold'
import { type Furnished, START, World } from '../support/world'

const PHONE = '010-1234-5678'
const E164 = '+821012345678'
const OTHER = '010-9999-8888'
const HOOK = 'https://a.example/hooks/a-secret-path?token=s3cret'

let world: World
let keys: Furnished
let receivers: Receivers
let made = 0

beforeEach(async () => {
  const clock = new VirtualClock(START)
  receivers = new Receivers(clock.now)
  world = await World.start({ clock, hooks: receivers })
  keys = await world.furnish()
})
afterEach(() => world.stop())

const deps = () => {
  const { numbering, idempotencyDays, liveRetentionDays } = world.config
  return { ...world.admin, telemetry: UNTOLD, numbering, idempotencyDays, liveRetentionDays }
}
const erase = (phoneNumber = PHONE, appId?: string) => world.run(erasePhone(deps(), { phoneNumber, appId }))

async function issue(input: object = {}, key = keys.live) {
  const request = { phoneNumber: PHONE, purpose: 'login', idempotencyKey: `k${made++}`, ...input }
  const answer = await world.call('rest', 'issue', request, { key })
  await world.settle()
  return answer
}
const verify = async (issueId: string, code: string) =>
  (await world.run(world.call('rest', 'verify', { issueId, code }, { key: keys.live }))).body
const report = async (status = 'delivered') => {
  const { messageId } = world.sms.requests.at(-1) ?? { messageId: '' }
  await world.report('main', { messageId, status })
  await world.settle()
}
const listen = () =>
  administer.addEndpoint(world.admin, {
    ...{ appId: keys.appId, mode: 'live', url: HOOK },
    events: ['otp.sent', 'otp.delivered', 'otp.failed', 'otp.expired', 'otp.verified'],
  })

/** Every page of it, put together as a reader has it. */
async function exported(phoneNumber = PHONE, appId?: string) {
  // biome-ignore lint/suspicious/noExplicitAny: it is compared, not used
  const issues: any[] = []
  // biome-ignore lint/suspicious/noExplicitAny: it is compared, not used
  let head: any
  let after: string | undefined
  do {
    const page = await world.run(exportPhone(deps(), { phoneNumber, appId, after }))
    head ??= page.head
    issues.push(...page.issues)
    after = page.next
  } while (after !== undefined)
  return { ...head, issues }
}

/** What is stored anywhere under the phone's hash, or about its issues, by table. */
async function left(issueIds: string[]) {
  const ids = issueIds.map((id) => id.replaceAll('-', ''))
  const count = async (table: string, column: string) => {
    const rows = await world.rows<{ id: unknown }>(`SELECT ${column} AS id FROM ${table}`)
    return rows.filter(({ id }) => ids.includes(plain(id))).length
  }
  return {
    issues: await count('issues', 'issue_id'),
    attempts: await count('attempts', 'issue_id'),
    outbox: await count('outbox', 'issue_id'),
    events: await count('webhook_events', 'issue_id'),
    deliveries: await count('webhook_deliveries', 'issue_id'),
    ledger: await count('ledger_entries', 'issue_id'),
    jobs: await count('jobs', 'subject_id'),
  }
}
const NOTHING = { issues: 0, attempts: 0, outbox: 0, events: 0, deliveries: 0, ledger: 0, jobs: 0 }
const plain = (id: unknown) =>
  typeof id === 'string' ? id.replaceAll('-', '') : Buffer.from((id ?? []) as Uint8Array).toString('hex')

const actions = async () =>
  (await world.store.read.audit.page({ limit: 50 })).filter(({ action }) => action.startsWith('privacy.'))

async function assertBooksAddUp() {
  const entries = await world.store.read.wallets.ledger(keys.appId, { limit: 100 })
  const wallet = await world.store.read.wallets.find(keys.appId)
  expect(wallet?.balance).toBe(entries.reduce((sum, { amountDelta }) => sum + amountDelta, 0))
  expect(wallet?.balance).toBe(entries[0]?.balanceAfter as number)
  expect(wallet?.reserved).toBe(0)
}

describe('an export', () => {
  test('tells all that is stored, and neither code nor secret', async () => {
    await listen()
    world.sms.script(() => answered(429, { code: 'BUSY' }))
    const { body } = await issue({ metadata: { plan: 'pro' } })
    const wrong = '000000'
    await world.advance(5_000)
    const code = world.sms.lastCode()
    await verify(body.issueId, code === wrong ? '111111' : wrong)
    await report()
    await world.advance(2_000)
    await verify(body.issueId, code)
    const verifiedAt = new Date(world.clock.now()).toISOString()
    await world.advance(2_000)
    await issue({ phoneNumber: OTHER })

    const all = await exported()
    expect(all).toMatchObject({
      format: 'watchword-phone-export',
      version: 1,
      phoneNumber: E164,
      storedAs: [Buffer.from(world.vault.phoneHash(E164)).toString('hex')],
      apps: [{ appId: keys.appId, name: 'demo', isTrusted: false, wrongCodes: [{ keyKind: 'sk', inARow: 0 }] }],
    })
    expect(all.issues).toHaveLength(1)
    expect(all.issues[0]).toMatchObject({
      ...{ appId: keys.appId, issueId: body.issueId, purpose: 'login', country: 'KR', metadata: { plan: 'pro' } },
      ...{ createdAt: new Date(START).toISOString(), verificationStatus: 'verified', attemptsUsed: 1 },
      ...{ deliveryStatus: 'delivered', billingStatus: 'debited', price: 1, debitedAmount: 1 },
      idempotencyKeyKeptUntil: new Date(START + 7 * DAY_MS).toISOString(),
      attempts: [
        { number: 1, provider: 'main', outcome: 'refused' },
        { number: 2, provider: 'main', outcome: 'accepted', report: 'delivered' },
      ],
      ledger: [{ entryType: 'debit', amountDelta: -1 }],
    })
    const { events } = all.issues[0]
    expect(events.map(({ type }: { type: string }) => type)).toEqual(['otp.sent', 'otp.delivered', 'otp.verified'])
    expect(events[2]).toMatchObject({
      body: { data: { id: body.issueId, metadata: { plan: 'pro' } } },
      deliveries: [
        {
          receiver: 'a.example',
          status: 'delivered',
          attempts: [{ calledAt: verifiedAt, answeredAt: verifiedAt, status: 200 }],
        },
      ],
    })
    const text = JSON.stringify(all)
    for (const secret of [code, 's3cret', 'a-secret-path', 'whsec_']) expect(text).not.toContain(secret)
    expect(await actions()).toMatchObject([{ action: 'privacy.export', target: '', actor: 'test' }])
    expect(JSON.stringify(await actions())).not.toContain('12345678')
  })

  test('of a message that waits has number and text, and not the code in it', async () => {
    await world.crowd(keys.live)
    const phoneNumber = '010-3333-4444'
    const request = { phoneNumber, purpose: 'login', idempotencyKey: 'waits' }
    const waits = world.call('rest', 'issue', request, { key: keys.live })
    await world.advance(1_000)
    const { body } = await waits
    const { issues } = await exported(phoneNumber)
    const rendered = await world.store.read.phones.rendered(body.issueId)
    expect(issues[0].waitingMessage).toMatchObject({ to: '+821033334444' })
    expect(issues[0].waitingMessage.text).toBe(rendered?.text.replace(rendered.code ?? '', '••••••'))
    expect(JSON.stringify(issues)).not.toContain(rendered?.code ?? '')
  })

  test('is of one app where that is asked for, and begins nowhere but at its beginning', async () => {
    const { appId } = await administer.createApp(world.admin, { name: 'other' })
    for (let n = 0; n < 3; n++) await issue({ purpose: `p${n}` })
    expect((await exported(PHONE, appId)).issues).toEqual([])
    expect((await exported(PHONE, keys.appId)).issues).toHaveLength(3)
    for (const after of ['', 'nonsense', `${keys.appId}//00`, `${appId}//00`])
      expect(await errorOf(exportPhone(deps(), { phoneNumber: PHONE, after }))).toMatchObject({ kind: 'invalid' })
    expect(await errorOf(exportPhone(deps(), { phoneNumber: '010-0000-0001' }))).toMatchObject({ kind: 'invalid' })
    expect(await errorOf(exportPhone(deps(), { phoneNumber: PHONE, appId: 'app_none' }))).toMatchObject({
      kind: 'not_found',
    })
  })

  test('of more than one page tells each issue once', async () => {
    await world.stop()
    world = await World.start({
      env: { WATCHWORD_LIMIT_ISSUES_PER_PHONE_10_MIN: '1000', WATCHWORD_LIMIT_ISSUES_PER_PHONE_DAY: '1000' },
    })
    keys = await world.furnish()
    const ids: string[] = []
    for (let n = 0; n < 45; n++) ids.push((await issue({ purpose: `p${n}` })).body.issueId)
    const all = await exported()
    expect(all.issues.map(({ issueId }: { issueId: string }) => issueId)).toEqual(ids)
  })
})

describe('who is erased', () => {
  test('is found nowhere; what counts stays bare, and goes in two days; the books add up', async () => {
    await listen()
    const first = (await issue({ metadata: { plan: 'pro' } })).body.issueId
    const code = world.sms.lastCode()
    await report()
    await verify(first, code)
    const kept = (await issue({ phoneNumber: OTHER })).body.issueId
    await report()
    await world.advance(2_000)

    const textOf = async () => (await exported()).issues[0].attempts[0].text
    expect(await textOf()).toContain('[••••••]')
    expect(await erase()).toEqual({ number: E164, issues: 1, counted: 1, events: 3, isLogEmptied: true })
    expect((await world.call('rest', 'getIssue', { issueId: first }, { key: keys.live })).status).toBe(404)
    expect((await world.call('rest', 'status', { issueId: first }, { key: keys.live })).status).toBe(404)
    expect(await verify(first, code)).toMatchObject({ verified: false, reasonCode: 'NOT_FOUND' })
    const { body: list } = await world.call('rest', 'listIssues', {}, { key: keys.live })
    expect(list.items.map(({ issueId }: { issueId: string }) => issueId)).toEqual([kept])
    const [bare] = (await exported()).issues
    expect(await textOf()).toBeUndefined()
    expect(bare).toMatchObject({ issueId: first, erasedAt: new Date(world.clock.now()).toISOString(), events: [] })
    for (const gone of ['metadata', 'prefixHash', 'networkHash', 'waitingMessage']) expect(bare[gone]).toBeUndefined()
    expect(await left([first])).toMatchObject({
      issues: 1,
      attempts: 1,
      ledger: 1,
      outbox: 0,
      events: 0,
      deliveries: 0,
    })

    await world.leap(2 * DAY_MS)
    await world.sweep()
    expect(await left([first])).toEqual(NOTHING)
    expect(await left([kept])).toMatchObject({ issues: 1, ledger: 1 })
    expect((await exported()).issues).toEqual([])
    await assertBooksAddUp()
    const debits = await world.store.read.wallets.ledger(keys.appId, { limit: 9, entryType: 'debit' })
    expect(debits).toHaveLength(2)
    expect(await verifyAudit({ read: world.store.read, vault: world.vault })).toMatchObject({ isIntact: true })
    const noted = await actions()
    expect(noted.map(({ action }) => action)).toEqual([
      ...['privacy.export', 'privacy.export', 'privacy.export', 'privacy.erased', 'privacy.erase', 'privacy.export'],
    ])
    expect(noted[3]?.detail).toMatchObject({ issues: 1, counted: 1, events: 3 })
    const usage = await world.store.lists.usage.rows(
      { appId: keys.appId, mode: 'live' },
      0,
      START + DAY_MS,
      world.clock.now(),
    )
    expect(usage.reduce((sum, row) => sum + row.issued, 0)).toBe(2)
  })

  test('is erased by two at once, and each code counts once', async () => {
    for (const purpose of ['login', 'pay', 'sign']) await issue({ purpose })
    const once = () => erasePhone(deps(), { phoneNumber: PHONE })
    const both = await world.run(Promise.all([once(), once()]))
    expect(both.reduce((sum, { issues }) => sum + issues, 0)).toBe(3)
  })

  test('is gone at once where nothing counts any more', async () => {
    const { issueId } = (await issue()).body
    await report()
    await world.leap(3 * DAY_MS)
    expect(await erase()).toEqual({ number: E164, issues: 1, counted: 0, events: 0, isLogEmptied: true })
    expect(await left([issueId])).toEqual(NOTHING)
    await assertBooksAddUp()
  })

  test('gets no second message: a replay of the order is refused for as long as its key is remembered', async () => {
    await issue({ idempotencyKey: 'order' })
    await report()
    await erase()
    const replay = () => issue({ idempotencyKey: 'order' })
    const refused = { status: 409, body: { data: { reason: 'idempotency_key_forgotten', param: 'idempotencyKey' } } }
    expect(await replay()).toMatchObject(refused)
    await world.leap(3 * DAY_MS)
    await world.sweep()
    expect(await replay()).toMatchObject(refused)
    expect(world.sms.requests).toHaveLength(1)
    await world.leap(4 * DAY_MS)
    expect((await replay()).status).toBe(200)
  })

  test('has a code that is on its way: it is good no more, is not sent again, and is charged by what came of it', async () => {
    let answer = (_: ReturnType<typeof answered>) => {}
    world.sms.script(
      () =>
        new Promise((resolve) => {
          answer = resolve
        }),
    )
    await listen()
    const { issueId } = (await issue()).body
    const code = world.sms.lastCode()
    expect(await erase()).toMatchObject({ issues: 1, counted: 1 })
    expect(await verify(issueId, code)).toMatchObject({ verified: false, reasonCode: 'NOT_FOUND' })
    const { messageId } = world.sms.requests[0] ?? { messageId: '' }
    answer(answered(200, { id: 'taken' }))
    await world.advance(2_000)
    await world.report('main', { messageId, status: 'delivered' })
    await world.advance(2_000)
    expect(world.sms.requests).toHaveLength(1)
    expect(receivers.arrived).toEqual([])
    await assertBooksAddUp()
    expect(await world.store.read.wallets.find(keys.appId)).toMatchObject({ balance: 999 })
    await world.leap(3 * DAY_MS)
    await world.sweep()
    expect(await left([issueId])).toEqual(NOTHING)
    await assertBooksAddUp()
  })

  test('has a code that a carrier would have again later: it is not sent, and its credit is released', async () => {
    world.sms.script(() => answered(429, { code: 'BUSY' }))
    await issue()
    await erase()
    await world.advance(600_000)
    expect(world.sms.requests).toHaveLength(1)
    expect(await world.store.read.wallets.find(keys.appId)).toMatchObject({ balance: 1_000, reserved: 0 })
  })

  test('has a code that waits for a place: it is never sent, number and text go at once, and its credit is released', async () => {
    await world.crowd(keys.live)
    const waits = world.call(
      'rest',
      'issue',
      { phoneNumber: PHONE, purpose: 'p', idempotencyKey: 'w' },
      { key: keys.live },
    )
    await world.advance(1_000)
    const { issueId } = (await waits).body
    expect(await left([issueId])).toMatchObject({ outbox: 1 })
    const sent = world.sms.requests.length
    await erase()
    expect(await left([issueId])).toMatchObject({ outbox: 0 })
    await world.advance(5_000)
    expect(world.sms.requests).toHaveLength(sent)
    const [row] = await world.rows<{ status: string }>(
      'SELECT billing_status AS status FROM issues WHERE erased_at IS NOT NULL',
    )
    expect(row?.status).toBe('released')
  })

  test('keeps the limits and the lock that it had', async () => {
    for (let n = 0; n < 5; n++) {
      const { issueId } = (await issue({ purpose: `p${n}`, maxAttempts: 10 })).body
      const wrong = world.sms.lastCode() === '111111' ? '222222' : '111111'
      for (let k = 0; k < 2; k++) await verify(issueId, wrong)
    }
    const limits = async () => (await issue({ purpose: 'one more' })).body.data.limit
    expect(await limits()).toBe('perPhone')
    await erase()
    expect(await limits()).toBe('perPhone')
    await world.leap(HOUR_MS)
    const { status } = await issue({ purpose: 'after the pause' })
    expect(status).toBe(200)
    await erase()
    const failures = await world.store.read.phones.failures(keys.appId, [world.vault.phoneHash(E164)])
    expect(failures).toMatchObject([{ kind: 'sk', failures: { inARow: 10 } }])
  })

  test('is trusted no more, and is of one app where that is asked for', async () => {
    const { numbering } = world.config
    await administer.trustPhone({ ...world.admin, numbering }, keys.appId, PHONE)
    await administer.trustPhone({ ...world.admin, numbering }, keys.appId, OTHER)
    const trusted = async () => (await world.store.read.apps.find(keys.appId))?.protection?.trusted?.phones.length
    const { appId } = await administer.createApp(world.admin, { name: 'other' })
    await issue()
    await report()
    expect(await erase(PHONE, appId)).toMatchObject({ issues: 0 })
    expect(await trusted()).toBe(2)
    expect(await erase(PHONE, keys.appId)).toMatchObject({ issues: 1 })
    expect(await trusted()).toBe(1)
    expect(await errorOf(erasePhone(deps(), { phoneNumber: 'nobody' }))).toMatchObject({ kind: 'invalid' })
  })

  test('is erased again where a backup brings it back, and nobody who came after', async () => {
    const { issueId } = (await issue()).body
    await report()
    await world.leap(3 * DAY_MS)
    await erase()
    const [erasure] = await world.store.read.phones.erasures()
    expect(erasure?.doneAt).toBeDefined()
    const later = (await issue()).body.issueId
    await report()
    // As a database from before has it: the phone is in it, and its erasure is not.
    await world.write('DELETE FROM erasures')
    const line = `${world.clock.now() - 1_000_000} ${Buffer.from(world.vault.phoneHash(E164)).toString('hex')} *`
    await world.write('UPDATE issues SET created_at = created_at - 3000000 WHERE erased_at IS NULL')
    const second = (await issue({ purpose: 'second' })).body.issueId
    await report()
    expect(await takeErasures(deps(), ['# no line', line, line])).toBe(1)
    expect(await takeErasures(deps(), [line])).toBe(0)
    await world.sweep()
    expect((await world.store.read.issues.find({ appId: keys.appId, mode: 'live' }, later)) === undefined).toBeTrue()
    expect(await world.store.read.issues.find({ appId: keys.appId, mode: 'live' }, second)).toBeDefined()
    expect(await left([issueId])).toEqual(NOTHING)
    // What is older than anything an app still keeps comes back with no backup.
    await world.leap(181 * DAY_MS)
    await world.sweep()
    expect(await world.store.read.phones.erasures()).toEqual([])
    expect(await takeErasures(deps(), [line])).toBe(0)
  })

  test('has many issues, and nobody waits: others have their turn between the steps', async () => {
    await world.stop()
    world = await World.start({
      env: { WATCHWORD_LIMIT_ISSUES_PER_PHONE_10_MIN: '1000', WATCHWORD_LIMIT_ISSUES_PER_PHONE_DAY: '1000' },
    })
    keys = await world.furnish()
    for (let n = 0; n < 100; n++) await issue({ purpose: `p${n}` })
    let most = 0
    let units = 0
    const { store } = world
    const counting = {
      ...store,
      transaction: ((work) =>
        store.transaction((tx) => {
          units++
          let locked = 0
          const lock: typeof tx.issues.lock = (owner, issueId) => {
            most = Math.max(most, ++locked)
            return tx.issues.lock(owner, issueId)
          }
          return work(Object.create(tx, { issues: { value: { ...tx.issues, lock } }, now: { get: () => tx.now } }))
        })) as typeof store.transaction,
    }
    expect(await world.run(erasePhone({ ...deps(), store: counting }, { phoneNumber: PHONE }))).toMatchObject({
      issues: 100,
    })
    expect(most).toBeLessThanOrEqual(20)
    expect(units).toBeGreaterThanOrEqual(7)
  })
})

describe('an app that keeps issues for a time of its own', () => {
  test('has them deleted after it, and others as the server is set', async () => {
    const { appId } = await administer.createApp(world.admin, { name: 'other' })
    await administer.addCredit(world.admin, { appId, amount: 10 })
    const key = await world.key({ appId, kind: 'sk', mode: 'live' })
    await administer.setRetention(world.admin, appId, 30)
    const mine = (await issue()).body.issueId
    await report()
    const theirs = (await issue({}, key)).body.issueId
    await report()
    await world.leap(31 * DAY_MS)
    await world.sweep()
    expect(await left([mine])).toMatchObject({ issues: 1 })
    expect(await left([theirs])).toMatchObject({ issues: 0, attempts: 0, ledger: 1 })
    await world.leap(150 * DAY_MS)
    await world.sweep()
    expect(await left([mine])).toMatchObject({ issues: 0 })
  })

  test('has it bounded and in the audit log', async () => {
    for (const days of [0, 1, 3_651, 2.5])
      expect(await errorOf(administer.setRetention(world.admin, keys.appId, days))).toMatchObject({ kind: 'invalid' })
    for (const days of [2, 3_650, undefined])
      expect((await administer.setRetention(world.admin, keys.appId, days)).retentionDays).toBe(days as number)
    const noted = await world.store.read.audit.page({ limit: 9, action: 'app.retention' })
    expect(noted.map(({ detail }) => detail)).toEqual([
      { days: null, before: 3_650 },
      { days: 3_650, before: 2 },
      { days: 2, before: null },
    ])
  })
})
