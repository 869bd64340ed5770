/** Relays and review numbers as the console makes and shows them: over its wire, with the doors they open beside it. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { RELAY_SOURCES } from '../../src/domain/relays/relay'
import { addEndpoint } from '../../src/usecases/administer'
import { setUpToken } from '../../src/usecases/people'
import { answered } from '../support/carrier'
import { VirtualClock } from '../support/clock'
import { Receivers } from '../support/receiver'
import { type Furnished, START, World } from '../support/world'
import { ConsoleClient } from './client'

const TO = '+821012345678'
const PLATFORM_SECRET = 'a-secret-that-the-platform-made'

let world: World
let keys: Furnished
let owner: ConsoleClient
let receivers: Receivers

beforeEach(async () => {
  const clock = new VirtualClock(START)
  receivers = new Receivers(clock.now)
  world = await World.start({ clock, hooks: receivers })
  keys = await world.furnish()
  owner = new ConsoleClient(world)
  const person = { name: 'Ann', email: 'ann@example.com', password: 'correct horse battery' }
  expect((await owner.call('session/setUp', { token: await setUpToken(world), ...person })).status).toBe(200)
})
afterEach(() => world.stop())

const create = (more: object = {}) =>
  owner.call('relays/create', { appId: keys.appId, name: 'login', source: 'plain', mode: 'test', ...more })
const list = async () => (await owner.call('relays/list', { appId: keys.appId })).body.relays
const messages = async (mode = 'test') => (await owner.call('relays/messages', { appId: keys.appId, mode })).body.rows
const inbox = async (page: object = {}) => (await owner.call('inbox/list', { appId: keys.appId, ...page })).body

/** As a platform hands over a code. */
const hand = async (url: string, secret: string, body: object) => {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${secret}` }
  const answer = await world.send('POST', new URL(url).pathname, JSON.stringify(body), { headers })
  await world.settle()
  return answer
}

describe('a relay', () => {
  test.each(RELAY_SOURCES)('of %s is made and listed; no list has its secret', async (source) => {
    const isOurs = !['zitadel', 'authgear', 'clerk', 'authsignal'].includes(source)
    const legs = [{ channel: 'whatsapp', waitSec: 8 }, { channel: 'sms' }]
    const { status, body } = await create({ source, legs })
    expect([status, body.secret !== undefined, body.isReady]).toEqual([200, isOurs, isOurs])
    const given = isOurs ? {} : { secret: PLATFORM_SECRET }
    const changed = await owner.call('relays/changeSecret', { relayId: body.relayId, ...given })
    expect([changed.status, changed.body.isReady]).toEqual([200, true])
    expect(changed.body.secret).not.toBe(body.secret ?? PLATFORM_SECRET)
    const known = await list()
    expect(known).toMatchObject([{ name: 'login', source, mode: 'test', legs, isReady: true, relayId: body.relayId }])
    expect(known[0].url).toBe(`http://localhost/relay/${source}/${body.relayId}`)
    expect(known[0].secret).toBeUndefined()
    for (const secret of [body.secret, changed.body.secret, PLATFORM_SECRET])
      if (secret !== undefined) expect(JSON.stringify(known)).not.toContain(secret)
  })

  test('takes codes until it is removed', async () => {
    const { url, secret, relayId } = (await create({ mode: 'live' })).body
    expect((await hand(url, secret, { to: TO, code: '482913', text: 'Code 482913' })).status).toBe(200)
    expect((await owner.call('relays/remove', { relayId })).status).toBe(200)
    expect(await list()).toEqual([])
    expect((await hand(url, secret, { to: TO, code: '482914', text: 'Code 482914' })).status).toBe(401)
  })

  test('sends the newest of two codes only, where the first still waits for its carrier', async () => {
    const { url, secret } = (await create({ mode: 'live' })).body
    world.sms.script(() => answered(429, ''))
    await hand(url, secret, { to: TO, code: '482913', text: 'Code 482913' })
    await hand(url, secret, { to: TO, code: '482914', text: 'Code 482914' })
    await hand(url, secret, { to: '+821099998888', code: '482915', text: 'Code 482915' })
    await world.advance(60_000)
    expect(world.sms.accepted.map(({ text }) => text)).toEqual(['Code 482914', 'Code 482915'])
    const rows = await world.rows('SELECT delivery_status, outcome_code, billing_status FROM issues ORDER BY issue_id')
    const sent = { delivery_status: 'sent', outcome_code: null, billing_status: 'reserved' }
    expect(rows).toEqual([
      { delivery_status: 'failed', outcome_code: 'EXPIRED_UNSENT', billing_status: 'released' },
      ...[sent, sent],
    ])
  })

  test('shows what came through it, with neither number nor code', async () => {
    const { url, secret } = (await create({ mode: 'live' })).body
    await hand(url, secret, { to: TO, code: '482913', text: 'Code 482913', type: 'login_code_valid' })
    const rows = await messages('live')
    expect(rows).toMatchObject([
      { purpose: 'login', isMessageAlone: true, occasion: 'login_code_valid', leg: 'sms', deliveryStatus: 'sent' },
    ])
    expect(JSON.stringify(rows)).not.toMatch(/482913|12345678/)
    expect(await messages()).toEqual([])
    expect((await owner.call('issues/list', { appId: keys.appId, mode: 'live' })).body.rows).toEqual([])
    const story = (await owner.call('issues/story', { issueId: rows[0].issueId })).body
    expect(story).toMatchObject({ isMessageAlone: true, purpose: 'login' })
  })
})

describe('a code of a test relay', () => {
  test('is shown by the inbox, and by nothing else; it is sealed where it is stored', async () => {
    const events = ['message.sent', 'message.delivered']
    await addEndpoint(world.admin, { appId: keys.appId, mode: 'test', url: 'https://a.example/', events })
    const { url, secret } = (await create()).body
    await hand(url, secret, { to: TO, code: 'QX77ZP', text: 'Code QX77ZP', type: 'login' })
    await world.advance(5_000)
    const { rows } = await inbox()
    expect(rows).toMatchObject([{ code: 'QX77ZP', isMessageAlone: true, purpose: 'login', country: 'KR' }])
    expect(JSON.stringify(rows)).not.toContain('12345678')

    const metadata = { source: 'plain', type: 'login' }
    const { issueId } = rows[0]
    expect((await owner.call('issues/story', { issueId })).body.metadata).toEqual(metadata)
    expect(JSON.stringify((await owner.call('privacy/export', { phoneNumber: TO })).body)).not.toContain('"code"')
    const told = receivers.arrived.map(({ body }) => JSON.parse(body))
    expect(told.map(({ type }) => type)).toEqual(events)
    expect(told[1].data.metadata).toEqual(metadata)

    const [stored] = await world.rows<{ sealed_code: string }>('SELECT sealed_code FROM issues')
    expect(stored?.sealed_code).toMatch(/^[A-Za-z0-9+/]+=*$/)
    for (const { name } of await world.rows<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'"))
      expect(JSON.stringify(await world.rows(`SELECT * FROM "${name}"`))).not.toMatch(/QX77ZP|12345678/)
  })

  test('is not kept of a live one', async () => {
    const { url, secret } = (await create({ mode: 'live' })).body
    await hand(url, secret, { to: TO, code: 'QX77ZP', text: 'Code QX77ZP' })
    expect(await world.rows('SELECT metadata FROM issues')).toEqual([{ metadata: '{"source":"plain"}' }])
  })

  test('is taken once, however often the platform tries', async () => {
    const { url, secret } = (await create()).body
    for (let n = 0; n < 3; n++)
      expect((await hand(url, secret, { to: TO, code: '482913', text: 'x' })).status).toBe(200)
    expect((await inbox()).rows).toHaveLength(1)
  })

  test('stands among those of apps, newest first, on every page', async () => {
    const { url, secret } = (await create()).body
    for (const n of [0, 1, 2]) {
      world.clock.step(1_000)
      await owner.call('inbox/tryIt', { appId: keys.appId, phoneNumber: `010-0000-000${n}`, purpose: 'own' })
      world.clock.step(1_000)
      await hand(url, secret, { to: TO, code: `48291${n}`, text: 'x' })
    }
    const whole = (await inbox()).rows
    expect(whole.map(({ purpose }: { purpose: string }) => purpose)).toEqual(
      Array.from({ length: 3 }, () => ['login', 'own']).flat(),
    )
    for (const limit of [1, 2, 3, 4, 6]) {
      const rows = []
      let after: string | undefined
      do {
        const page = await inbox({ limit, ...(after && { after }) })
        expect(page.rows.length).toBeLessThanOrEqual(limit)
        rows.push(...page.rows)
        after = page.next
      } while (after)
      expect(rows).toEqual(whole)
    }
  })

  test('is made up by the console for a number, and sent nowhere', async () => {
    const { relayId } = (await create()).body
    const { status, body } = await owner.call('relays/test', { relayId, phoneNumber: '010-1234-5678' })
    expect(status).toBe(200)
    await world.advance(5_000)
    expect(await messages()).toMatchObject([{ issueId: body.issueId, occasion: 'test', deliveryStatus: 'delivered' }])
    expect((await inbox()).rows).toMatchObject([{ issueId: body.issueId, code: expect.stringMatching(/^\d{6}$/) }])
    expect(world.sms.requests).toEqual([])
    expect(await owner.call('relays/test', { relayId, phoneNumber: '010-12' })).toMatchObject({
      status: 400,
      body: { data: { param: 'phoneNumber' } },
    })
  })

  test('is not made up for a live relay', async () => {
    const { relayId } = (await create({ mode: 'live' })).body
    expect((await owner.call('relays/test', { relayId, phoneNumber: TO })).status).toBe(404)
    expect(await world.rows('SELECT 1 FROM issues')).toEqual([])
  })
})

test('a review number is added, shown with its code, and removed', async () => {
  const ofApp = { appId: keys.appId }
  const wanted = { ...ofApp, name: 'App Store', phoneNumber: TO, days: 30, dailyMax: 20 }
  const added = await owner.call('apps/addReviewNumber', wanted)
  expect(added).toMatchObject({ status: 200, body: { name: 'App Store', dailyMax: 20 } })
  expect((await owner.call('apps/reviewNumbers', ofApp)).body.reviewNumbers).toEqual([added.body])
  const issued = await world.call(
    'rest',
    'issue',
    { phoneNumber: TO, purpose: 'login', idempotencyKey: 'k' },
    { key: keys.live },
  )
  const { issueId } = issued.body
  const verified = await world.call('rest', 'verify', { issueId, code: added.body.code }, { key: keys.live })
  expect(verified.body).toMatchObject({ verified: true })
  expect((await owner.call('apps/addReviewNumber', { ...wanted, days: 91 })).body.data).toMatchObject({ param: 'days' })
  expect((await owner.call('apps/removeReviewNumber', { ...ofApp, name: 'App Store' })).status).toBe(200)
  expect((await owner.call('apps/reviewNumbers', ofApp)).body.reviewNumbers).toEqual([])
})

test('a client of Twilio Verify gets its settings, and works with them', async () => {
  const ofApp = { appId: keys.appId }
  expect((await owner.call('apps/twilio', ofApp)).body).toEqual({
    baseUrl: 'http://localhost/compat/twilio',
    accountSid: expect.stringMatching(/^AC[0-9a-f]{32}$/),
    services: [],
  })
  const { status, body } = await owner.call('apps/addTwilioPurpose', { ...ofApp, purpose: 'signup' })
  expect(status).toBe(200)
  expect((await owner.call('apps/twilio', ofApp)).body).toEqual(body)
  expect(body.services).toEqual([{ purpose: 'signup', serviceSid: expect.stringMatching(/^VA[0-9a-f]{32}$/) }])
  const url = `${new URL(body.baseUrl).pathname}/v2/Services/${body.services[0].serviceSid}/Verifications`
  const headers = {
    authorization: `Basic ${btoa(`${body.accountSid}:${keys.test}`)}`,
    'content-type': 'application/x-www-form-urlencoded',
  }
  const created = await world.send('POST', url, 'To=%2B14155550100&Channel=sms', { headers })
  expect([created.status, created.body.account_sid]).toEqual([201, body.accountSid])
  expect((await owner.call('apps/addTwilioPurpose', { ...ofApp, purpose: '' })).body.data).toMatchObject({
    param: 'purpose',
  })
  expect((await owner.call('apps/twilio', { appId: 'app_none' })).status).toBe(404)
})

describe('each role', () => {
  const LOOK = ['relays/list', 'relays/messages', 'apps/twilio']
  const KEYS = ['relays/create', 'relays/changeSecret', 'relays/remove', 'relays/test']
  const APPS = ['apps/reviewNumbers', 'apps/addReviewNumber', 'apps/removeReviewNumber', 'apps/addTwilioPurpose']
  test.each([
    ['viewer', LOOK],
    ['developer', [...LOOK, ...KEYS]],
  ])('%s may do no more than its own', async (role, allowed) => {
    const invited = await owner.call('operators/invite', { role })
    const client = new ConsoleClient(world)
    const person = { name: role, email: `${role}@example.com`, password: 'correct horse battery' }
    await client.call('session/accept', { token: invited.body.url.split('#')[1], ...person })
    const able: string[] = []
    for (const path of [...LOOK, ...KEYS, ...APPS]) if ((await client.call(path, {})).status !== 403) able.push(path)
    expect(able).toEqual(allowed)
  })
})
