/** The master secret is changed while servers run: whatever was under way goes on, and the old secret opens nothing. */
import { afterEach, describe, expect, test } from 'bun:test'
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose'
import { fail } from '../../src/abuse/rules/failure-budget'
import { phoneOf } from '../../src/domain/access/rate-limits'
import { HOUR_MS, MINUTE_MS } from '../../src/domain/shared/value'
import type { Issue } from '../../src/domain/verification/issue'
import { PROOF_LIFETIME_SEC } from '../../src/domain/verification/proof'
import type { Store, Tx } from '../../src/ports/store'
import { createVault } from '../../src/system/vault'
import * as administer from '../../src/usecases/administer'
import { setUpToken } from '../../src/usecases/people'
import { beginRotation, finishRotation, isUnderWay, renewAll } from '../../src/usecases/rotate-secret'
import { verifyAudit } from '../../src/usecases/verify-audit'
import { answered } from '../support/carrier'
import { VirtualClock } from '../support/clock'
import { IS_POSTGRES, newPlace } from '../support/place'
import { type Furnished, SECRET, World } from '../support/world'

const NEW = 'the secret that comes after that of tests'
const next = Buffer.from(NEW)

let worlds: World[] = []
afterEach(async () => {
  for (const world of worlds) await world.stop()
  worlds = []
})

async function start(options: Parameters<typeof World.start>[0] = {}): Promise<World> {
  const world = await World.start({
    env: { WATCHWORD_LIMIT_ISSUES_PER_PHONE_10_MIN: '2', WATCHWORD_WEBHOOK_ALLOW_HTTP: 'true' },
    ...options,
  })
  worlds.push(world)
  return world
}

/** In the place of another one, by another secret. */
async function restart(world: World, secret: string): Promise<World> {
  await world.run(world.app.stop())
  worlds = worlds.filter((other) => other !== world)
  const carriers = { sms: world.sms, kakao: world.kakao }
  return start({ place: world.place, clock: world.clock, carriers, secret })
}

/** Not by `rejects`, which waits without the event loop's turns that others wait for. */
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: Error) => error.message,
  )

interface Command {
  secret?: string
  /** What happens until every server has heard. */
  meanwhile?: () => Promise<void>
  wrap?: (store: Store) => Store
}

/** A command is a process of its own beside the servers. */
async function command<T>(
  world: World,
  { secret = SECRET, meanwhile, wrap = (store) => store }: Command,
  work: (deps: Parameters<typeof renewAll>[0]) => Promise<T>,
): Promise<T> {
  await world.settle()
  const vault = createVault(Buffer.from(secret))
  const store = await world.place.open({ clock: world.clock, vault })
  try {
    return await work({
      ...{ store: wrap(store), vault, clock: world.clock, actor: { name: 'cli' } },
      proofs: { issuer: undefined, lifetimeMs: PROOF_LIFETIME_SEC * 1_000 },
      async heard() {
        await meanwhile?.()
        await world.advance(3_000)
      },
    })
  } finally {
    await store.close()
  }
}

/** A store that ends with its process, after so many transactions. */
const dying = (left: number) => (store: Store) => ({
  ...store,
  transaction: (work: Parameters<Store['transaction']>[0]) => {
    if (left-- === 0) return Promise.reject(new Error('killed'))
    return store.transaction(work)
  },
})

const rotate = (world: World, how: Command = {}) =>
  command(world, how, async (deps) => {
    await beginRotation(deps, next)
    return renewAll(deps)
  })
/** What a command that was killed has left. */
const rotateRest = (world: World) =>
  command(world, { secret: NEW }, async (deps) => expect(await renewAll(deps)).toBe(0))
const finish = (world: World, secret = NEW) => command(world, { secret }, finishRotation)

let made = 0
const order = (phoneNumber: string) => ({ phoneNumber, purpose: 'login', idempotencyKey: `secret-${made++}` })
const issue = (world: World, key: string, input: object) => world.call('rest', 'issue', input, { key })

/** Everything that depends on the secret, and what says afterwards that it goes on. */
async function underWay(world: World, keys: Furnished) {
  const answer = async (input: object) => {
    const { status, body } = await issue(world, keys.live, input)
    expect(status).toBe(200)
    await world.settle()
    return { issueId: body.issueId as string, code: world.sms.lastCode() }
  }
  const live = { ...order('010-1111-0001'), expiresInSec: 600 }
  const known = await answer(live)
  for (let n = 0; n < 2; n++) await answer(order('010-1111-0002'))
  const guessed = await answer(order('010-1111-0003'))
  await world.store.transaction(async (tx) => {
    const issue = await tx.issues.lock({ appId: keys.appId, mode: 'live' }, guessed.issueId)
    if (!issue) throw new Error('It was issued')
    const before = await tx.failures.lock(phoneOf(issue))
    let failures = fail(before, tx.now)
    for (let n = 0; n < 100; n++) failures = fail(failures, tx.now)
    await tx.failures.save(phoneOf(issue), failures)
  })
  const proven = await answer(order('010-1111-0004'))
  const { proof } = (
    await world.call('rest', 'verify', { ...proven, phoneNumber: '010-1111-0004' }, { key: keys.live })
  ).body
  world.sms.script(() => answered(429, {}))
  const waiting = await issue(world, keys.live, order('010-1111-0005'))
  await world.settle()
  const { secret } = await administer.addEndpoint(world.admin, {
    ...{ appId: keys.appId, mode: 'live', url: 'http://93.184.216.34/hook', events: ['otp.verified'] },
    headers: { 'X-Token': 'told-to-receivers' },
  })
  await world.store.transaction(async (tx) => {
    await tx.people.lockAll()
    await tx.people.add({
      ...{ operatorId: 'op_one', email: 'a@b.example', name: 'Ann', role: 'owner', passwordHash: 'x' },
      ...{ totpSecret: 'JBSWY3DPEHPK3PXP', totpBegun: { secret: 'GEZDGNBVGY3TQOJQ', until: 1 } },
      ...{ createdAt: tx.now, lastSeenAt: undefined, unlockedAt: undefined, appIds: undefined },
    })
    await tx.people.rememberAddress('op_one', world.vault.addressHash('op_one 10.0.0.0'), 5)
  })
  const testKey = await administer.standingTestKey(world.admin, keys.appId, 'sk')
  return { live, known, waiting: waiting.body.issueId as string, proof: proof as string, secret, testKey }
}

/** By a world that may run by another secret. */
async function expectAllGoesOn(world: World, keys: Furnished, before: Awaited<ReturnType<typeof underWay>>) {
  const key = keys.live
  const { known, live, secret, testKey, proof } = before
  expect((await issue(world, key, live)).body.issueId).toBe(known.issueId)
  expect((await issue(world, key, { ...live, purpose: 'pay' })).status).toBe(409)
  expect((await issue(world, key, order('010-1111-0002'))).body.data).toMatchObject({ limit: 'perPhone' })
  expect((await issue(world, key, order('010-1111-0003'))).body.data).toMatchObject({ limit: 'failures' })
  const { body } = await world.call('rest', 'verify', { ...known, phoneNumber: '010-1111-0001' }, { key })
  expect(body.verified).toBe(true)
  for (const one of [proof, body.proof]) await believed(world, one)
  expect(world.sms.accepted.map(({ to }) => to)).toContain('+821011110005')
  const { store, vault } = world
  expect((await store.read.endpoints.ofApp(keys.appId))[0]).toMatchObject({
    secrets: [{ secret }],
    headers: { 'X-Token': 'told-to-receivers' },
  })
  const totp = { totpSecret: 'JBSWY3DPEHPK3PXP', totpBegun: { secret: 'GEZDGNBVGY3TQOJQ' } }
  expect((await store.read.people.all())[0]).toMatchObject(totp)
  expect(await store.read.people.knowsAddress('op_one', vault.addressHash('op_one 10.0.0.0'))).toBe(true)
  expect(await administer.standingTestKey(world.admin, keys.appId, 'sk')).toBe(testKey)
  expect(await verifyAudit({ read: store.read, vault })).toMatchObject({ isIntact: true })
}

const publishedBy = async (world: World): Promise<JSONWebKeySet> =>
  (await world.send('GET', '/.well-known/jwks.json', undefined)).body
const believed = async (world: World, proof: string) =>
  jwtVerify(proof, createLocalJWKSet(await publishedBy(world)), { currentDate: new Date(world.clock.now()) })

/** What somebody finds with a secret of before and all that is stored now. */
async function openedBy(world: World, secret: string): Promise<string[]> {
  const vault = createVault(Buffer.from(secret))
  expect(vault.ring.adopt(await world.store.read.keyRing.all())).toBe(false)
  const sealed: Array<[string, string, (row: { id: string }) => string]> = [
    ['providers', 'name AS id, config AS sealed', ({ id }) => `provider:${id}`],
    ['operators', 'operator_id AS id, totp_secret AS sealed', ({ id }) => `operator-totp:${id}`],
    ['webhook_endpoints', 'endpoint_id AS id, secrets AS sealed', ({ id }) => `hook-secrets:${id}`],
    ['webhook_endpoints', 'endpoint_id AS id, headers AS sealed', ({ id }) => `hook-headers:${id}`],
  ]
  const found: string[] = []
  for (const [table, columns, rowId] of sealed) {
    const rows = await world.rows<{ id: string; sealed: Uint8Array }>(`SELECT ${columns} FROM ${table}`)
    expect([table, rows.length > 0]).toEqual([table, true])
    for (const row of rows)
      try {
        vault.open(rowId(row), row.sealed)
        found.push(`${table} ${row.id}`)
      } catch {
        // It is under another key.
      }
  }
  return found
}

describe('while it is changed', () => {
  test('codes, claims, limits, locks, letters, credentials and proofs go on', async () => {
    let world = await start()
    const keys = await world.furnish()
    const before = await underWay(world, keys)
    const meanwhile: number[] = []
    const rows = await rotate(world, {
      async meanwhile() {
        meanwhile.push((await issue(world, keys.live, order(`010-2222-000${meanwhile.length}`))).status)
      },
    })
    expect([rows, meanwhile]).toEqual([0, [200, 200]])
    await world.advance(MINUTE_MS)
    // Nobody was restarted: by the old secret, and the keys that the database keeps.
    expect((await issue(world, keys.live, order('010-3333-0001'))).status).toBe(200)
    expect((await world.store.read.carriers.all()).map(({ name }) => name).toSorted()).toEqual(['kakao', 'main'])
    await world.provide('more', ['sms'], 'http://more.example')
    expect(await command(world, { secret: NEW }, ({ store }) => store.read.keyRing.older())).toBe(0)

    if (IS_POSTGRES) expect(await refusal(finish(world))).toContain('before the secret was changed: a server')
    expect(await refusal(finish(world, SECRET))).toContain('This is the old secret')
    world = await restart(world, NEW)
    await finish(world)
    await expectAllGoesOn(world, keys, before)
    expect(await openedBy(world, SECRET)).toEqual([])
    expect(await refusal(World.open({ place: world.place, clock: world.clock }))).toContain(
      'does not open this database',
    )
    expect(isUnderWay(await world.store.read.keyRing.all())).toBe(false)
  })

  test('who has nothing to open seals by the new key, too', async () => {
    const world = await start()
    await rotate(world)
    await world.provide('main', ['sms'], 'http://main.example')
    expect(await command(world, { secret: NEW }, ({ store }) => store.read.keyRing.older())).toBe(0)
  })

  test('and a second time, with what the first has left', async () => {
    let world = await start()
    const keys = await world.furnish()
    const before = await underWay(world, keys)
    await rotate(world)
    world = await restart(world, NEW)
    await finish(world)
    const third = 'one more secret, after that which came after'
    await command(world, { secret: NEW }, async (deps) => {
      await beginRotation(deps, Buffer.from(third))
      expect(await renewAll(deps)).toBe(0)
    })
    world = await restart(world, third)
    await finish(world, third)
    await world.advance(MINUTE_MS)
    await expectAllGoesOn(world, keys, before)
    for (const secret of [SECRET, NEW]) expect(await openedBy(world, secret)).toEqual([])
  })

  test('proofs are signed by the old key until everybody may know the next one, and published for as long as one is about', async () => {
    const world = await start()
    const keys = await world.furnish()
    const proofOf = async (phoneNumber: string) => {
      const { issueId } = (await issue(world, keys.live, order(phoneNumber))).body
      await world.settle()
      const input = { issueId, code: world.sms.lastCode(), phoneNumber }
      return (await world.call('rest', 'verify', input, { key: keys.live })).body.proof as string
    }
    const [first] = (await publishedBy(world)).keys
    const kidOf = (proof: string) => decodeProtectedHeader(proof).kid ?? ''
    const kids = async () => (await publishedBy(world)).keys.map(({ kid }) => kid ?? '')
    const before = await kids()
    await rotate(world)
    const soon = await proofOf('010-4444-0001')
    const atOnce = await kids()
    expect([before.includes(kidOf(soon)), atOnce.length]).toEqual([true, 6])
    await world.leap(3 * HOUR_MS)
    const later = await proofOf('010-4444-0002')
    expect([before.includes(kidOf(later)), atOnce.includes(kidOf(later))]).toEqual([false, true])
    await believed(world, later)
    expect(await kids()).not.toContain(first?.kid)
  })
})

test('all goes on between the first use of the new key and the end of sealing anew', async () => {
  const world = await start()
  const keys = await world.furnish()
  const before = await underWay(world, keys)
  expect(await refusal(rotate(world, { wrap: dying(2) as Command['wrap'] }))).toContain('killed')
  await world.advance(3_000)
  expect([world.vault.ring.generation, (await world.store.read.keyRing.older()) > 0]).toEqual([1, true])
  await expectAllGoesOn(world, keys, before)
  await rotateRest(world)
  await world.settle()
  expect(await world.store.read.keyRing.older()).toBe(0)
})

test('a table of many pages is sealed anew to its last row, and what is already is passed by', async () => {
  const world = await start()
  await world.furnish()
  const MANY = 450
  const issueIds = Array.from({ length: MANY }, () => crypto.randomUUID())
  const rendered = { text: 'a letter' } as unknown as Parameters<Tx['outbox']['add']>[1]
  const expiresAt = world.clock.now() + HOUR_MS
  const add = (ids: readonly string[]) =>
    world.store.transaction(async (tx) => {
      for (const issueId of ids) await tx.outbox.add({ issueId, expiresAt } as Issue, rendered)
    })
  await add(issueIds.slice(0, -5))
  expect(await refusal(rotate(world, { wrap: dying(2) as Command['wrap'] }))).toContain('killed')
  await world.advance(3_000)
  await add(issueIds.slice(-5))
  expect(await world.store.read.keyRing.older()).toBeGreaterThanOrEqual(MANY - 5)
  await rotateRest(world)
  expect(await world.store.read.keyRing.older()).toBe(0)
  for (const issueId of issueIds)
    expect(await world.store.read.phones.rendered(issueId)).toMatchObject({ text: 'a letter' })
})

describe('the keys of a database', () => {
  test('are its own: by the secret alone nobody makes its hashes', async () => {
    const [one, other] = [await start({ seed: 1 }), await start({ seed: 2 })]
    const hashes = [one, other].map(({ vault }) => Buffer.from(vault.phoneHash('+821011112222')).toString('hex'))
    expect(new Set(hashes).size).toBe(2)
  })

  test('are the same for all that begin an empty one at once', async () => {
    const place = await newPlace()
    const clock = new VirtualClock(Date.UTC(2026, 0, 5))
    const vaults = Array.from({ length: 4 }, () => createVault(Buffer.from(SECRET)))
    const stores = await Promise.all(vaults.map((vault) => place.open({ clock, vault })))
    const hashes = vaults.map((vault) => Buffer.from(vault.phoneHash('+821011112222')).toString('hex'))
    expect(new Set(hashes).size).toBe(1)
    for (const store of stores) await store.close()
    await place.remove()
  })
})

test.skipIf(!IS_POSTGRES)('a server whose secret was dropped while it was away does nothing any more', async () => {
  const world = await start()
  const keys = await world.furnish()
  await rotate(world)
  await world.write('UPDATE nodes SET seen_at = 0')
  await finish(world)
  await world.advance(3_000)
  const { status, headers } = await issue(world, keys.live, order('010-7777-0001'))
  expect([status, Number(headers.get('retry-after')) > 0]).toEqual([503, true])
  expect(await world.rows('SELECT issue_id FROM issues')).toEqual([])
})

test.skipIf(!IS_POSTGRES)('servers hear of the new key before the first one uses it', async () => {
  const one = await start()
  const keys = await one.furnish()
  const carriers = { sms: one.sms, kakao: one.kakao }
  const other = await start({ place: one.place, clock: one.clock, carriers, seed: 2 })
  await one.advance(3_000)
  const seen: string[] = []
  await rotate(one, {
    async meanwhile() {
      // What the one seals the other opens, and the other way round.
      for (const [from, to] of [
        [one, other],
        [other, one],
      ] as const) {
        await administer.setCarrier(from.admin, {
          ...{ name: 'main', type: 'http', channels: ['sms'] },
          config: { url: `http://${seen.length}.example`, reports: false },
        })
        seen.push(String((await to.store.read.carriers.all()).find(({ name }) => name === 'main')?.config.url))
      }
    },
  })
  expect(seen).toEqual([0, 1, 2, 3].map((n) => `http://${n}.example`))
  expect([one, other].map(({ vault }) => vault.ring.generation)).toEqual([1, 1])
  expect(keys.live).toStartWith('sk_')
})

describe('what is killed', () => {
  test('at any of its steps goes on where it was', async () => {
    const world = await start()
    const keys = await world.furnish()
    const before = await underWay(world, keys)
    let kills = 0
    const killed = (work: (wrap: Command['wrap']) => Promise<unknown>) =>
      work(dying(kills) as Command['wrap']).then(
        () => false,
        (error: Error) => {
          expect(error.message).toBe('killed')
          return true
        },
      )
    while (await killed((wrap) => rotate(world, { wrap: wrap ?? ((store) => store) }))) kills++
    expect(kills).toBeGreaterThan(9)
    const restarted = await restart(world, NEW)
    kills = 0
    while (
      await killed((wrap) => command(restarted, { secret: NEW, wrap: wrap ?? ((store) => store) }, finishRotation))
    )
      kills++
    await restarted.advance(MINUTE_MS)
    await expectAllGoesOn(restarted, keys, before)
    expect(await openedBy(restarted, SECRET)).toEqual([])
  })
})

describe('refused is', () => {
  test('a third secret while a change is under way, and the one of now', async () => {
    const world = await start()
    await world.furnish()
    const begin = (secret: string) => command(world, {}, (deps) => beginRotation(deps, Buffer.from(secret)))
    expect(await refusal(begin(SECRET))).toContain('The new secret is the one of now')
    await begin(NEW)
    await begin(NEW)
    expect(await refusal(begin('quite another secret, as long as it has to be'))).toContain('finish that first')
  })

  test.skipIf(!IS_POSTGRES)('to begin while a server of another release is at work', async () => {
    const world = await start()
    await world.write("UPDATE nodes SET version = '0.0.9'")
    expect(await refusal(rotate(world))).toContain('another release than')
    expect(isUnderWay(await world.store.read.keyRing.all())).toBe(false)
    await world.write(`UPDATE nodes SET version = '0.0.9', seen_at = 0`)
    expect(await refusal(rotate(world))).toBe('none')
  })

  test('to finish where nothing is under way', async () => {
    const world = await start()
    expect(await refusal(finish(world, SECRET))).toContain('not just being changed')
  })
})

test('the link that makes the first operator is another one', async () => {
  let world = await start()
  const before = await setUpToken(world)
  expect(await setUpToken(world)).toBe(before)
  await rotate(world)
  world = await restart(world, NEW)
  expect(await setUpToken(world)).not.toBe(before)
})

test('the audit log says when it was changed, and nothing of it', async () => {
  let world = await start()
  await world.furnish()
  await rotate(world)
  world = await restart(world, NEW)
  await finish(world)
  const entries = await world.store.read.audit.page({ limit: 10 })
  expect(entries.slice(0, 2).map(({ action, detail }) => [action, detail])).toEqual([
    ['secret.finish', {}],
    ['secret.rotate', {}],
  ])
  const dump = await world.place.dump()
  for (const secret of [SECRET, NEW]) expect(dump).not.toContain(secret)
})
