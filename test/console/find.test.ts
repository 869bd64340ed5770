/** The one search of the console: what an operator types, and what it finds. No number stays anywhere. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { may, ROLES } from '../../src/domain/access/operator'
import * as administer from '../../src/usecases/administer'
import { anIssue } from '../domain/sample'
import { type Furnished, START, type World } from '../support/world'
import { ConsoleClient, furnishedConsole } from './client'

const PHONE = '010-1234-5678'
const MINUTE_MS = 60_000

let world: World
let keys: Furnished
let owner: ConsoleClient

beforeEach(async () => {
  ;({ world, keys, owner } = await furnishedConsole())
})
afterEach(() => world.stop())

let asked = 0
async function issue(phoneNumber = PHONE, key = keys.live): Promise<string> {
  const request = { phoneNumber, purpose: 'login', idempotencyKey: `asked-${asked++}` }
  const { status, body } = await world.call('rest', 'issue', request, { key })
  expect(status).toBe(200)
  await world.leap(MINUTE_MS)
  return body.issueId
}

async function find(text: string, client = owner) {
  const { status, body } = await client.call('issues/find', { text })
  expect(status).toBe(200)
  return body
}
const idsOf = ({ issues }: { issues: Array<{ issueId: string }> }) => issues.map(({ issueId }) => issueId)
async function everyRow() {
  const tables = await world.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
  return Promise.all(tables.map(({ name }) => world.rows(`SELECT * FROM ${name}`)))
}
const lookUps = async () => (await owner.call('audit/list', { action: 'issue.search_phone' })).body.rows

describe('a phone number', () => {
  test.each([PHONE, '01012345678', '+82 10-1234-5678', '+821012345678', ' 010 1234 5678 ', '０１０１２３４５６７８'])(
    'finds its issues as %s, the newest first',
    async (spelling) => {
      const older = await issue()
      await issue('010-8765-4321')
      const newer = await issue()
      const found = await find(spelling)
      expect(idsOf(found)).toEqual([newer, older])
      expect(found.issues[0]).toMatchObject({ appId: keys.appId, appName: 'demo', purpose: 'login', mode: 'live' })
      expect(found.keys).toEqual([])
    },
  )

  test('is read as each app reads it, and finds the issues of all apps', async () => {
    const { appId } = await administer.createApp(world.admin, { name: 'London', region: 'GB' })
    await administer.addCredit(world.admin, { appId, amount: 10 })
    const theirs = await issue('07400 123456', await world.key({ appId, kind: 'sk', mode: 'live' }))
    expect(idsOf(await find('07400 123456'))).toEqual([theirs])
    const ours = await issue('+44 7400 123456')
    expect(idsOf(await find('+447400123456'))).toEqual([ours, theirs])
  })

  test('of a test code, of nobody, erased or unreadable finds nothing', async () => {
    await issue('010-0000-0000', keys.test)
    await issue()
    await owner.call('privacy/erase', { phoneNumber: PHONE })
    for (const text of ['010-0000-0000', PHONE, '010-1111-2222', '000-0000', '0'.repeat(40)])
      expect(await find(text)).toEqual({ issues: [], keys: [] })
  })

  test('is in no row, log or answer; its look-up is in the audit log, with the count alone', async () => {
    await issue()
    const before = world.logged.length
    const found = await find(PHONE)
    await find('010-1111-2222')
    expect((await owner.call('issues/find', { text: `${PHONE} ${'x'.repeat(256)}` })).status).toBe(400)
    const rows = await lookUps()
    expect(rows.map(({ target, detail }: { target: string; detail: object }) => [target, detail])).toEqual([
      ['', { found: 0 }],
      ['', { found: 1 }],
    ])
    const hash = Buffer.from(world.vault.phoneHash('+821012345678')).toString('hex')
    const told = JSON.stringify([await everyRow(), world.logged.slice(before), found])
    for (const secret of ['12345678', '1234-5678', '11112222', '1111-2222', hash]) expect(told).not.toContain(secret)
  })

  test('finds the newest twenty', async () => {
    const phoneHash = world.vault.phoneHash('+821012345678')
    const stored = Array.from({ length: 21 }, (_, n) =>
      anIssue({
        ...{ appId: keys.appId, phoneHash, verificationStatus: 'replaced', createdAt: START + n },
        issueId: `019ca91c-4e00-7000-8000-0000000001${String(n).padStart(2, '0')}`,
      }),
    )
    await world.store.transaction(async (tx) => {
      for (const issue of stored) await tx.issues.add(issue)
    })
    const ids = stored.map(({ issueId }) => issueId)
    expect(idsOf(await find(PHONE))).toEqual(ids.slice(1).toReversed())
  })
})

test('an issue is found by its id, in any mode, and by the carrier’s id, also after the report', async () => {
  const live = await issue()
  const tried = await issue('010-0000-0000', keys.test)
  expect(idsOf(await find(live.toUpperCase()))).toEqual([live])
  expect(idsOf(await find(` ${tried} `))).toEqual([tried])
  const [{ id } = {}] = await world.rows('SELECT provider_message_id AS id FROM attempts WHERE awaited_at IS NOT NULL')
  expect(idsOf(await find(String(id)))).toEqual([live])
  await world.report('main', { messageId: String(id), status: 'delivered' })
  await world.settle()
  expect(await world.rows('SELECT 1 FROM attempts WHERE awaited_at IS NOT NULL')).toEqual([])
  expect(idsOf(await find(String(id)))).toEqual([live])
  expect(await find('another')).toEqual({ issues: [], keys: [] })
  expect(await lookUps()).toEqual([])
})

test('an issue is found by a whole value of its metadata, and a number in it only by those who may find phones', async () => {
  const metadata = { orderId: 'A-17 "x"', contact: '02-345-6789', sub: 'A-1' }
  const request = { phoneNumber: PHONE, purpose: 'login', idempotencyKey: 'with-metadata', metadata }
  const { body } = await world.call('rest', 'issue', request, { key: keys.live })
  for (const text of ['A-17 "x"', 'A-1', '02-345-6789'])
    expect([text, idsOf(await find(text))]).toEqual([text, [body.issueId]])
  for (const text of ['A-17', 'orderId', '":"', 'x']) expect(await find(text)).toEqual({ issues: [], keys: [] })
  const { url } = (await owner.call('operators/invite', { role: 'viewer' })).body
  const viewer = new ConsoleClient(world)
  const person = { name: 'Vic', email: 'vic@example.com', password: 'correct horse battery' }
  await viewer.call('session/accept', { token: url.split('#')[1], ...person })
  expect(idsOf(await find('A-1', viewer))).toEqual([body.issueId])
  expect(idsOf(await find('02-345-6789', viewer))).toEqual([])
})

test('a key is found by its id, its beginning, its end, as it is shown and as a whole', async () => {
  const { keys: listed } = (await owner.call('keys/list', { appId: keys.appId })).body
  const { keyId, shown } = listed.find(({ mode }: { mode: string }) => mode === 'live')
  const found = { appId: keys.appId, appName: 'demo', keyId, mode: 'live', shown }
  for (const text of [keyId, ...shown.split('…'), shown, keys.live])
    expect(await find(text)).toEqual({ issues: [], keys: [found] })
  expect(await find(shown.slice(0, -1))).toEqual({ issues: [], keys: [] })
  expect(JSON.stringify(await find(keys.live))).not.toContain(keys.live)
})

test('every role finds an id, some find a phone, and nobody who is not signed in', async () => {
  const issueId = await issue()
  for (const role of ROLES) {
    const { url } = (await owner.call('operators/invite', { role })).body
    const client = new ConsoleClient(world)
    const person = { name: role, email: `${role}@example.com`, password: 'correct horse battery' }
    await client.call('session/accept', { token: url.split('#')[1], ...person })
    expect(idsOf(await find(issueId, client))).toEqual([issueId])
    expect([role, idsOf(await find(PHONE, client))]).toEqual([role, may(role, 'find') ? [issueId] : []])
  }
  expect((await new ConsoleClient(world).call('issues/find', { text: PHONE })).status).toBe(401)
})
