/** A database of every release goes on: what it answered is answered, here and after a move, and what was under way ends. */
import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Secret, TOTP } from 'otpauth'
import { move } from '../../src/store/move/move'
import { openUrl } from '../../src/store/move/postgres'
import { Side } from '../../src/store/move/side'
import { openFile } from '../../src/store/move/sqlite'
import { MIGRATIONS } from '../../src/store/postgres/migrate'
import { layOut } from '../../src/store/sqlite/open'
import { systemPasswords } from '../../src/system/passwords'
import { createVault } from '../../src/system/vault'
import { verifyAudit } from '../../src/usecases/verify-audit'
import { ConsoleClient } from '../console/client'
import { databaseOf, type Kept, type KeptIssue, keptOf, RELEASES, type Release } from '../fixtures/releases'
import { VirtualClock } from '../support/clock'
import { FilePlace, type Place } from '../support/place'
import { SchemaPlace } from '../support/schema-place'
import { HANGS_AFTER_MS } from '../support/until'
import { SECRET, World } from '../support/world'
import { query, Scratch } from './open'

setDefaultTimeout(HANGS_AFTER_MS)

const ORIGIN = 'https://shop.example.com'
/** What operators had not typed yet when the server was stopped. */
const LATER_MS = 60_000

const releases = [...RELEASES.sqlite, ...RELEASES.postgres].map(
  (release) => [release.schema, release.kind, release] as const,
)

test('each schema there was has a release, but for one that none had, and the newest, which may be just being made', () => {
  const upTo = (from: number, last: number) => Array.from({ length: last - from + 1 }, (_, n) => from + n)
  using scratch = new Scratch()
  layOut(scratch.file)
  const [today] = query<{ user_version: number }>(scratch.file, 'PRAGMA user_version')
  const schemas = { sqlite: upTo(5, (today?.user_version ?? 0) - 1), postgres: upTo(1, MIGRATIONS.length - 1) }
  const found = RELEASES.sqlite.map(({ schema }) => schema)
  expect(found).toEqual(expect.arrayContaining(schemas.sqlite.filter((schema) => schema !== 8)))
  expect(RELEASES.postgres.map(({ schema }) => schema)).toEqual(expect.arrayContaining(schemas.postgres))
})

let world: World | undefined
afterEach(async () => {
  await world?.stop()
  world = undefined
})

async function begin(place: Place, kept: Kept): Promise<World> {
  world = await World.start({ place, clock: new VirtualClock(kept.now), passwords: systemPasswords })
  return world
}

async function placeOf(release: Release): Promise<FilePlace | SchemaPlace> {
  const database = await databaseOf(release)
  if (release.kind === 'postgres') return SchemaPlace.loaded(database.toString())
  const place = new FilePlace()
  await Bun.write(place.file, database)
  return place
}

/** All of it in a database of the other kind. */
async function movedFrom(place: FilePlace | SchemaPlace): Promise<Place> {
  const target = place instanceof FilePlace ? await SchemaPlace.find() : new FilePlace()
  const sideOf = async (one: FilePlace | SchemaPlace) => {
    if (one instanceof SchemaPlace) return new Side(await openUrl(one.url))
    layOut(one.file)
    return new Side(openFile(one.file, one.dir))
  }
  const [from, to] = [await sideOf(place), await sideOf(target)]
  try {
    await move(from, to, {
      vault: createVault(Buffer.from(SECRET)),
      id: '00112233445566778899aabbccddeeff',
      report() {},
    })
  } finally {
    await from.close()
    await to.close()
  }
  return target
}

describe.each(releases)('a database of schema %i in %s', (_, __, release) => {
  test('answers what it answered, and goes on', async () => {
    const kept = await keptOf(release)
    const here = await begin(await placeOf(release), kept)
    await answersAsBefore(here, kept)
    await goesOn(here, kept)
  })

  test('does so after a move', async () => {
    const kept = await keptOf(release)
    const here = await begin(await movedFrom(await placeOf(release)), kept)
    await answersAsBefore(here, kept)
    await goesOn(here, kept)
  })
})

async function answersAsBefore(here: World, kept: Kept): Promise<void> {
  for (const [path, answer] of Object.entries(kept.reads)) {
    const { status, body } = await here.send('GET', path, undefined, { key: kept.keys.live })
    expect({ path, status, body: comparable(body) }).toMatchObject({ path, status: 200, body: comparable(answer) })
  }
  const [{ sum } = { sum: 0 }] = await here.rows<{ sum: number }>('SELECT sum(amount_delta) AS sum FROM ledger_entries')
  expect(kept.reads['/v1/balance']).toMatchObject({ balance: Number(sum) })
  await hasItsSettings(here, kept)
  const { entries, head } = kept.audit
  const verdict = await verifyAudit({ read: here.store.read, vault: here.vault, hash: head })
  expect(verdict).toMatchObject({ isIntact: true, entries, holdsHash: true })
}

/** Entries of the ledger are named otherwise since 0.1.0; templates and statuses only say more. */
const comparable = (value: object): object =>
  JSON.parse(JSON.stringify(value, (name, inner) => (name === 'ledgerId' ? undefined : inner)))

async function hasItsSettings({ store }: World, { appId, lists, webhookSecret }: Kept): Promise<void> {
  const byName = (rows: object[], name: string) =>
    rows
      .map((row) => JSON.parse(JSON.stringify(row)) as Record<string, unknown>)
      .toSorted((a, b) => (String(a[name]) < String(b[name]) ? -1 : 1))
  const same = (rows: object[], before: object[], name: string, fields: string[]) => {
    const chosen = (some: object[]) => byName(some, name).map((row) => fields.map((field) => row[field]))
    expect(before.length).toBeGreaterThan(0)
    expect(chosen(rows)).toEqual(chosen(before))
  }
  const { read } = store
  const keyFields = ['keyId', 'kind', 'mode', 'prefix', 'lastFour', 'scopes', 'allowedOrigins', 'allowedCidrs']
  same(await read.keys.ofApp(appId), lists.keys, 'keyId', keyFields)
  same(await read.carriers.all(), lists.carriers, 'name', ['name', 'type', 'channels'])
  same(
    (await read.routes.all()).map(({ carriers: providers, ...route }) => ({ ...route, providers })),
    lists.routes,
    'country',
    ['channel', 'providers'],
  )
  same(await read.people.all(), lists.operators, 'email', ['operatorId', 'email', 'name', 'role'])
  const endpoints = await read.endpoints.ofApp(appId)
  same(endpoints, lists.webhooks, 'endpointId', ['endpointId', 'mode', 'url', 'events', 'filters'])
  expect(endpoints).toMatchObject([{ headers: { 'X-Shop': '7' }, secrets: [{ secret: webhookSecret }] }])
  same(await store.lists.audit.page({ limit: 100 }), lists.audit, 'seq', ['seq', 'actor', 'action', 'target', 'detail'])
}

async function goesOn(here: World, kept: Kept): Promise<void> {
  const call = (operation: 'issue' | 'verify' | 'status' | 'balance', input: object, key = kept.keys.live) =>
    here.call('rest', operation, input, { key, headers: { origin: ORIGIN } })
  const issueNamed = (name: string): KeptIssue => {
    const issue = kept.issues[name]
    if (!issue) throw new Error(`The release issued no ${name}`)
    return issue
  }
  for (const { key, request, answer } of ['verified', 'newer', 'browser', 'test', 'waiting', 'refused'].map(issueNamed))
    expect((await call('issue', request, kept.keys[key])).body).toMatchObject(answer)
  expect((await call('issue', issueNamed('replaced').request)).status).toBe(409)

  const verify = async (name: string) => {
    const { key, answer, code } = issueNamed(name)
    return (await call('verify', { issueId: answer.issueId, code }, kept.keys[key])).body
  }
  expect(await verify('verified')).toMatchObject({ verified: false, reasonCode: 'ALREADY_VERIFIED' })
  expect(await verify('replaced')).toMatchObject({ verified: false })
  for (const name of ['newer', 'browser', 'test', 'waiting'])
    expect(await verify(name)).toMatchObject({ verified: true })

  const balance = async () => (await call('balance', {})).body.balance
  const before = await balance()
  const { secret, messageId } = kept.report
  expect((await here.report('reporting', { messageId, status: 'delivered' }, secret)).status).toBe(200)
  await here.settle()
  const { issueId } = issueNamed('reporting').answer
  expect((await call('status', { issueId })).body).toMatchObject({ deliveryStatus: 'delivered' })
  expect(await balance()).toBe(before - 1)

  await here.advance(LATER_MS)
  const { email, password, totpSecret } = kept.operator
  const totp = new TOTP({ secret: Secret.fromBase32(totpSecret) }).generate({ timestamp: here.clock.now() })
  // Real hashes take real time, in which no virtual time is to pass.
  const still = { app: here.app, run: <T>(work: Promise<T>) => work }
  const signIn = (more: object) => new ConsoleClient(still).call('session/signIn', { email, password, ...more })
  expect((await signIn({ password: 'another', totp })).status).toBe(401)
  expect((await signIn({})).status).toBe(401)
  expect((await signIn({ totp })).status).toBe(200)
}
