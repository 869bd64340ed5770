/** Usage for finance: prices and tokens as the console makes them, and the report that a token reads. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import * as administer from '../../src/usecases/administer'
import { setUpToken } from '../../src/usecases/people'
import { seededRandom } from '../support/random'
import { SEED } from '../support/seed'
import { type Furnished, START, World } from '../support/world'
import { ConsoleClient } from './client'

const DAY = new Date(START).toISOString().slice(0, 10)
const MONTH = `from=${DAY.slice(0, 8)}01&to=${DAY}`

let world: World
let keys: Furnished
let owner: ConsoleClient

beforeEach(async () => {
  world = await World.start()
  keys = await world.furnish()
  owner = new ConsoleClient(world)
  const person = { name: 'Ann', email: 'ann@example.com', password: 'correct horse battery' }
  expect((await owner.call('session/setUp', { token: await setUpToken(world), ...person })).status).toBe(200)
})
afterEach(() => world.stop())

const issue = async (phoneNumber: string, purpose = 'signup') => {
  await world.call('rest', 'issue', { phoneNumber, purpose, idempotencyKey: phoneNumber }, { key: keys.live })
  await world.settle()
}
const newToken = () => administer.createReportToken(world.admin, { name: 'ERP' })
const read = async (query: string, key?: string) =>
  world.send('GET', `/reports/usage?${query}`, undefined, key === undefined ? {} : { key })
const csvOf = async (query: string, key: string) => {
  const headers = { authorization: `Bearer ${key}` }
  const request = new Request(`http://localhost/reports/usage?format=csv&${query}`, { headers })
  const response = await world.app.fetch(request, '127.0.0.1')
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}
const KRW = { carrier: '', country: '', channel: '', currency: 'KRW', amount: '9.9', validFrom: '2020-01-01' }

describe('the report', () => {
  test('says the same to a tool, as JSON and as CSV, and to the console', async () => {
    await issue('010-1234-0001')
    await issue('010-1234-0002', '=SUM(A1:A9),"x"')
    await owner.call('prices/set', KRW)
    const { token } = await newToken()
    const query = `${MONTH}&timeZone=Asia/Seoul&groupBy=month,country,purpose`
    const { status, body } = await read(query, token)
    expect(status).toBe(200)
    expect(body.total).toMatchObject({
      issued: 2,
      messages: 2,
      unpriced: 0,
      cost: [{ currency: 'KRW', amount: '19.8' }],
    })
    expect(body.rows).toMatchObject([
      { month: DAY.slice(0, 7), country: 'KR', purpose: '=SUM(A1:A9),"x"', issued: 1 },
      { country: 'KR', purpose: 'signup', issued: 1, cost: [{ currency: 'KRW', amount: '9.9' }] },
    ])
    const asked = { mode: 'live', from: `${DAY.slice(0, 8)}01`, to: DAY, timeZone: 'Asia/Seoul' }
    const shown = await owner.call('usage/report', { ...asked, groupBy: ['month', 'country', 'purpose'] })
    expect(shown.body).toEqual(body)
    const file = await csvOf(query, token)
    expect([file.status, file.type]).toEqual([200, 'text/csv; charset=utf-8'])
    expect(file.text.replace('\uFEFF', '').split('\r\n')).toEqual([
      '"month","country","purpose","issued","sent","delivered","failed","verified","spent","messages","unpriced","cost_KRW"',
      `"${DAY.slice(0, 7)}","KR","'=SUM(A1:A9),""x""",1,1,0,0,0,0,1,0,"9.9"`,
      `"${DAY.slice(0, 7)}","KR","signup",1,1,0,0,0,0,1,0,"9.9"`,
      '',
    ])
  })

  test('leads from page to page', async () => {
    for (const n of [1, 2, 3]) await issue(`010-1234-000${n}`, `purpose ${n}`)
    const { token } = await newToken()
    const names: string[] = []
    for (let after = ''; names.length < 3; ) {
      const { body } = await read(`${MONTH}&groupBy=purpose&limit=1${after}`, token)
      names.push(body.rows[0].purpose)
      after = `&after=${encodeURIComponent(body.next)}`
    }
    expect(names).toEqual(['purpose 1', 'purpose 2', 'purpose 3'])
  })

  test('is read by a token only, until it is revoked, and no log has the token', async () => {
    const { token, tokenId } = await newToken()
    expect(token).toMatch(/^rpt_[\w-]{43}$/)
    expect((await read(MONTH, token)).status).toBe(200)
    for (const wrong of [undefined, keys.live, `${token}x`, token.slice(0, -1), 'rpt_', ''])
      expect((await read(MONTH, wrong)).status).toBe(401)
    expect((await world.send('POST', `/reports/usage?${MONTH}`, {}, { key: token })).status).toBe(404)
    expect((await world.call('rest', 'listIssues', {}, { key: token })).status).toBe(401)
    expect(JSON.stringify((await owner.call('tokens/list')).body)).not.toContain(token)
    expect((await owner.call('tokens/revoke', { tokenId })).status).toBe(200)
    expect((await read(MONTH, token)).status).toBe(401)
    expect(JSON.stringify((await owner.call('audit/list', {})).body)).not.toContain(token)
  })

  test('is read 60 times a minute', async () => {
    const { token } = await newToken()
    for (let n = 0; n < 60; n++) expect((await read(MONTH, token)).status).toBe(200)
    const { status, body, headers } = await read(MONTH, token)
    expect([status, body.data.limit]).toEqual([429, 'perKey'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    await world.advance(60_000)
    expect((await read(MONTH, token)).status).toBe(200)
  })

  test.each([
    ['', 'from', 'required'],
    [`from=${DAY}`, 'to', 'required'],
    [`from=2026-02-30&to=${DAY}`, 'from', 'invalid_day'],
    ['from=2026-01-02&to=2026-01-01', 'to', 'invalid_period'],
    ['from=2024-01-02&to=2026-01-01', 'to', 'invalid_period'],
    [`${MONTH}&timeZone=Mars/Olympus`, 'timeZone', 'invalid_time_zone'],
    [`${MONTH}&timeZone=${'A'.repeat(5_000)}`, 'timeZone', 'invalid_time_zone'],
    [`${MONTH}&groupBy=country,shoe`, 'groupBy', 'not_a_choice'],
    [`${MONTH}&format=xml`, 'format', 'not_a_choice'],
    [`${MONTH}&limit=1001`, 'limit', 'too_large'],
    [`${MONTH}&limit=x`, 'limit', 'wrong_type'],
    [`${MONTH}&mode=live&mode=test`, 'mode', 'duplicate_field'],
    [`${MONTH}&shoe=1`, 'shoe', 'unknown_field'],
  ])('refuses %s', async (query, param, reason) => {
    const { token } = await newToken()
    const { status, body } = await read(query, token)
    expect([status, body.code, body.data]).toEqual([400, 'BAD_REQUEST', { param, reason }])
  })

  test('knows no app that never was', async () => {
    const { token } = await newToken()
    expect((await read(`${MONTH}&app=app_none`, token)).status).toBe(404)
    expect((await read(`${MONTH}&app=${keys.appId}`, token)).status).toBe(200)
  })

  test('answers hostile queries with an error of its own', async () => {
    const { token } = await newToken()
    const random = seededRandom(SEED)
    const names = ['from', 'to', 'timeZone', 'groupBy', 'app', 'mode', 'format', 'after', 'limit', '__proto__', '']
    const values = [
      DAY,
      '2026-13-01',
      'UTC',
      '+99:99',
      'day,day',
      "'; DROP TABLE prices; --",
      '\u0000',
      '%',
      '☃',
      '-1',
      '1e9',
    ]
    for (let n = 0; n < 400; n++) {
      const query = Array.from(
        { length: random.below(6) },
        () => `${random.pick(names)}=${encodeURIComponent(random.pick(values))}`,
      )
      const { status } = await read([...query, MONTH].join('&'), token)
      expect({ query, status: [200, 400, 404, 429].includes(status) }).toEqual({ query, status: true })
      if (status === 429) await world.advance(60_000)
    }
  })
})

describe('prices', () => {
  test('are set, replaced, listed and removed, and the log says so', async () => {
    const { priceId } = (await owner.call('prices/set', { ...KRW, carrier: 'main', country: 'KR', channel: 'sms' }))
      .body
    const changed = { ...KRW, carrier: 'main', country: 'KR', channel: 'sms', amount: '10', currency: 'USD' }
    expect((await owner.call('prices/set', changed)).body).toEqual({ priceId, ...changed })
    expect((await owner.call('prices/list')).body.prices).toEqual([{ priceId, ...changed }])
    expect((await owner.call('prices/remove', { priceId })).status).toBe(200)
    expect((await owner.call('prices/remove', { priceId })).status).toBe(404)
    const actions = (await owner.call('audit/list', {})).body.rows.map(({ action }: { action: string }) => action)
    expect(actions.slice(0, 3)).toEqual(['price.remove', 'price.set', 'price.set'])
  })

  test.each([
    [{ amount: '-1' }, 'amount', 'invalid_amount'],
    [{ amount: '1e3' }, 'amount', 'invalid_amount'],
    [{ amount: '0.0000001' }, 'amount', 'invalid_amount'],
    [{ amount: '10000.000001' }, 'amount', 'invalid_amount'],
    [{ amount: '٣' }, 'amount', 'invalid_amount'],
    [{ currency: 'krw' }, 'currency', 'invalid_currency'],
    [{ currency: 'XYZ' }, 'currency', 'invalid_currency'],
    [{ country: 'kr' }, 'country', 'invalid_country'],
    [{ validFrom: '2026-02-29' }, 'validFrom', 'invalid_day'],
    [{ carrier: '=cmd' }, 'carrier', 'invalid_name'],
  ])('are refused with %j', async (wrong, param, reason) => {
    const { status, body } = await owner.call('prices/set', { ...KRW, ...wrong })
    expect([status, body.data.param, body.data.reason]).toEqual([400, param, reason])
  })
})
