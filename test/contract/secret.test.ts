/** The master secret is changed while servers run: whatever was under way goes on, and the old secret opens nothing. */
import { afterEach, describe, expect, test } from 'bun:test'
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose'
import { readHead, writeHead } from '../../src/domain/audit'
import { fail } from '../../src/domain/failure-budget'
import { phoneOf } from '../../src/domain/issue'
import { PROOF_LIFETIME_SEC } from '../../src/domain/proof'
import { HOUR_MS, MINUTE_MS } from '../../src/domain/value'
import type { Store } from '../../src/ports/store'
import { ALL_COVERED } from '../../src/store/covered'
import { SEALED } from '../../src/store/sealed'
import { createVault } from '../../src/system/vault'
import * as administer from '../../src/usecases/administer'
import { setUpToken } from '../../src/usecases/people'
import { beginRotation, finishRotation, isUnderWay, renewAll } from '../../src/usecases/rotate-secret'
import { verifyAudit } from '../../src/usecases/verify-audit'
import { answered } from '../support/carrier'
import { IS_POSTGRES } from '../support/place'
import { until } from '../support/until'
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

/** A store that ends with its process, after so many units. */
const dying = (left: number) => (store: Store) => ({
  ...store,
  transaction: (unit: Parameters<Store['transaction']>[0]) => {
    if (left-- === 0) return Promise.reject(new Error('killed'))
    return store.transaction(unit)
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
      ...{ createdAt: tx.now, lastSeenAt: undefined, unlockedAt: undefined },
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

/** Every hash as it is stored, by where: as hexadecimal digits. */
async function storedHashes(world: World): Promise<string[]> {
  const stored: string[] = []
  for (const { table, hashes } of ALL_COVERED)
    for (const row of await world.rows<Record<string, Uint8Array | null>>(
      `SELECT ${Object.keys(hashes)} FROM ${table}`,
    ))
      for (const [column, hash] of Object.entries(row))
        if (hash && hash.length > 0) stored.push(`${table}.${column} ${Buffer.from(hash).toString('hex')}`)
  return stored
}

/** What somebody finds with a secret of before and all that is stored now. */
async function openedBy(world: World, secret: string): Promise<string[]> {
  const vault = createVault(Buffer.from(secret))
  expect(vault.ring.adopt(await world.store.read.ring.all())).toBe(false)
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
    const hashes = await storedHashes(world)
    const guessed = Buffer.from(createVault(Buffer.from(SECRET)).phoneHash('+821011110001')).toString('hex')
    expect(hashes).toContain(`issues.phone_hash ${guessed}`)
    const meanwhile: number[] = []
    const rows = await rotate(world, {
      async meanwhile() {
        meanwhile.push((await issue(world, keys.live, order(`010-2222-000${meanwhile.length}`))).status)
      },
    })
    expect([rows, meanwhile]).toEqual([0, [200, 200]])
    // Whoever has the first secret makes all that was stored, and finds nothing of it.
    const now = await storedHashes(world)
    expect(now.length).toBeGreaterThan(hashes.length)
    expect(now.filter((hash) => hashes.includes(hash))).toEqual([])
    await world.advance(MINUTE_MS)
    // Nobody was restarted: by the old secret, and the keys that the database keeps.
    expect((await issue(world, keys.live, order('010-3333-0001'))).status).toBe(200)
    expect((await world.store.read.carriers.all()).map(({ name }) => name).toSorted()).toEqual(['kakao', 'main'])
    await world.provide('more', ['sms'], 'http://more.example')
    expect(await command(world, { secret: NEW }, ({ store }) => store.read.ring.older())).toBe(0)

    if (IS_POSTGRES) expect(await refusal(finish(world))).toContain('before the secret was changed: a server')
    expect(await refusal(finish(world, SECRET))).toContain('This is the old secret')
    world = await restart(world, NEW)
    await finish(world)
    await expectAllGoesOn(world, keys, before)
    expect(await openedBy(world, SECRET)).toEqual([])
    expect(await refusal(World.open({ place: world.place, clock: world.clock }))).toContain(
      'does not open this database',
    )
    expect(isUnderWay(await world.store.read.ring.all())).toBe(false)
    // Nor does who has it make a line that says where the audit log ends.
    const line = writeHead({ seq: 1, hash: new Uint8Array(32) }, createVault(Buffer.from(SECRET)).headHashes)
    const known = await command(world, { secret: NEW }, async ({ vault }) => readHead(line, vault.headHashes))
    expect(known).toBeUndefined()
  })

  test('who has nothing to open seals by the new key, too', async () => {
    const world = await start()
    await rotate(world)
    await world.provide('main', ['sms'], 'http://main.example')
    expect(await command(world, { secret: NEW }, ({ store }) => store.read.ring.older())).toBe(0)
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

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe('between the first use of the new key and the end of storing anew', () => {
  /** The new key is begun, and nothing is stored anew. */
  async function between(world: World) {
    expect(await refusal(rotate(world, { wrap: dying(2) as Command['wrap'] }))).toContain('killed')
    await world.advance(3_000)
    const [generation, older] = [world.vault.cover.generation, await world.store.read.ring.older()]
    expect([generation, older > 0, world.vault.cover.isChanging]).toEqual([1, true, true])
  }
  const phone = (n: number) => `010-6666-000${n}`
  const hashOf = (world: World, n: number) => world.vault.phoneHash(`+82${phone(n).slice(1).replaceAll('-', '')}`)
  const failuresOf = async (world: World, { appId }: Furnished, n: number, { read } = world.store) =>
    (await read.phones.failures(appId, [hashOf(world, n)])).map(({ kind, failures }) => [kind, failures.inARow])

  test('whoever looks for a hash finds what is stored by either key', async () => {
    const world = await start()
    const keys = await world.furnish()
    const before = await underWay(world, keys)
    await between(world)
    await expectAllGoesOn(world, keys, before)
    await rotateRest(world)
  })

  test('a code replaces the one before, wrong codes add up, and both are found for who asks for their data', async () => {
    const world = await start()
    const keys = await world.furnish()
    const first = (await issue(world, keys.live, order(phone(1)))).body.issueId
    const wrong = async (issueId: string) =>
      world.call('rest', 'verify', { issueId, code: '000000' }, { key: keys.live })
    await wrong(first)
    await between(world)
    await wrong(first)
    expect(await failuresOf(world, keys, 1)).toEqual([['sk', 2]])
    const second = (await issue(world, keys.live, order(phone(1)))).body.issueId
    await wrong(second)
    expect(await failuresOf(world, keys, 1)).toEqual([['sk', 3]])
    const { rows } = await world.store.read.phones.issues(keys.appId, [hashOf(world, 1)], { limit: 10 })
    expect(rows.map(({ issueId, verificationStatus }) => [issueId, verificationStatus])).toEqual([
      [first, 'replaced'],
      [second, 'issued'],
    ])
    expect((await issue(world, keys.live, order(phone(1)))).body.data).toMatchObject({ limit: 'perPhone' })
    await rotateRest(world)
    expect(await failuresOf(world, keys, 1)).toEqual([['sk', 3]])
  })

  test('a right code ends a row of wrong ones, also where its issue and they are stored by different keys', async () => {
    const world = await start()
    const keys = await world.furnish()
    const { issueId } = (await issue(world, keys.live, order(phone(4)))).body
    await world.settle()
    const known = { issueId, code: world.sms.lastCode() }
    await world.call('rest', 'verify', { ...known, code: '000000' }, { key: keys.live })
    await between(world)
    // What is sealed is stored anew, and then issues, which are the first that have hashes.
    const halted = (deps: Parameters<typeof renewAll>[0]) =>
      renewAll({ ...deps, store: dying(SEALED.length + 1)(deps.store) as Store })
    expect(await refusal(command(world, { secret: NEW }, halted))).toBe('killed')
    expect(await world.rows('SELECT hash_key FROM issues')).toEqual([{ hash_key: 1 }])
    expect(await world.rows('SELECT hash_key FROM failures')).toEqual([{ hash_key: null }])
    const { body } = await world.call('rest', 'verify', known, { key: keys.live })
    expect(body.verified).toBe(true)
    expect(await failuresOf(world, keys, 4)).toEqual([['sk', 0]])
  })

  test('whose metadata was forgotten is still known by their phone', async () => {
    const world = await start()
    const keys = await world.furnish()
    await issue(world, keys.live, order(phone(5)))
    const found = async () => (await world.store.read.phones.issues(keys.appId, [hashOf(world, 5)], { limit: 10 })).rows
    await between(world)
    const [made] = await found()
    if (!made) throw new Error('It was issued')
    await world.store.transaction((tx) =>
      tx.erasures.strip({ ...made, metadata: undefined, erasedAt: world.clock.now() }),
    )
    await rotateRest(world)
    const hashes = (await found()).flatMap(({ phoneHash, codeHash }) => [phoneHash, codeHash])
    expect(hashes.map(hex)).toEqual([hashOf(world, 5), made.codeHash].map(hex))
  })

  test('an order to erase is one, and what rules were against is counted once', async () => {
    const world = await start()
    const keys = await world.furnish()
    const order = {
      ...{ phoneHash: hashOf(world, 2), appId: keys.appId },
      erasedAt: world.clock.now(),
      doneAt: undefined,
    }
    const decision = {
      ...({ appId: keys.appId, minute: 60_000, kind: 'sk', country: 'KR', rule: 'cap', isRefused: true } as const),
      ...{ prefixHash: world.vault.placeHash('prefix 82'), networkHash: new Uint8Array(), times: 2, credits: 3 },
    } as const
    const store = () =>
      world.store.transaction(async (tx) => {
        await tx.erasures.begin(order)
        await tx.traffic.addDecisions([decision])
        await tx.people.lockAll()
      })
    await store()
    await between(world)
    await store()
    expect(await world.store.read.phones.erasures()).toMatchObject([{ appId: keys.appId, doneAt: undefined }])
    await rotateRest(world)
    const [counted, ...others] = (
      await Array.fromAsync(world.store.lists.traffic.decisions(keys.appId, 0, 120_000))
    ).flat()
    expect(others).toEqual([])
    expect(counted).toMatchObject({ times: 4, credits: 6, prefixHash: new Uint8Array(decision.prefixHash) })
    expect(await world.store.transaction((tx) => tx.erasures.finish(order))).toBe(true)
  })

  test('a command that has waited meanwhile finds what is stored by either key', async () => {
    const world = await start()
    const keys = await world.furnish()
    await issue(world, keys.live, order(phone(6)))
    await world.settle()
    const [vault, other] = [createVault(Buffer.from(SECRET)), createVault(Buffer.from(SECRET))]
    const waiting = await world.place.open({ clock: world.clock, vault: other, serves: false })
    const changing = await world.place.open({ clock: world.clock, vault, serves: false })
    await between(world)
    await issue(world, keys.live, order(phone(6)))
    await world.settle()
    const found = await waiting.read.phones.issues(keys.appId, [hashOf(world, 6)], { limit: 10 })
    expect(found.rows).toHaveLength(2)
    await changing.transaction((tx) => tx.ring.lock())
    expect(vault.cover.generation).toBe(1)
    await changing.close()
    await waiting.close()
  })

  test.skipIf(!IS_POSTGRES)('servers that store by different keys wait for each other', async () => {
    const world = await start()
    const keys = await world.furnish()
    const [owner, clock] = [{ appId: keys.appId, mode: 'live' } as const, world.clock]
    const open = async () => {
      const vault = createVault(Buffer.from(SECRET))
      return { vault, store: await world.place.open({ clock, vault }) }
    }
    await command(world, {}, async (deps) => {
      await beginRotation(deps, next)
      // It has heard of the new key, and not that it is begun.
      const late = await open()
      const halted = { ...deps, store: dying(1)(deps.store) as Store, heard: async () => {} }
      expect(await refusal(renewAll(halted))).toBe('killed')
      const early = await open()
      expect([late, early].map(({ vault }) => vault.cover.generation)).toEqual([0, 1])
      const phone = { appId: keys.appId, kind: 'sk', phoneHash: hashOf(world, 3) } as const
      const claimHash = world.vault.claimHash('a claim')
      const told: string[] = []
      const isWaitedFor = async () => (await world.rows('SELECT 1 FROM pg_locks WHERE NOT granted')).length > 0
      const work = (store: Store, name: string) =>
        store.transaction(async (tx) => {
          const claim = await tx.claims.find(owner, claimHash)
          told.push(`${name} found ${claim ? 'a claim' : 'none'}`)
          if (!claim) {
            const fingerprint = world.vault.fingerprint('it')
            await tx.claims.add({
              ...owner,
              keyHash: claimHash,
              fingerprint,
              issueId: crypto.randomUUID(),
              createdAt: tx.now,
            })
          }
          const failures = await tx.failures.lock(phone)
          await tx.failures.save(phone, fail(failures, tx.now))
          if (told.length === 1)
            await until(async () => told.length > 1 || (await isWaitedFor()), 'the other one to wait')
          told.push(`${name} ends`)
        })
      await Promise.all([work(late.store, 'one'), work(early.store, 'one')])
      expect(told).toEqual(['one found none', 'one ends', 'one found a claim', 'one ends'])
      expect(await failuresOf(world, keys, 3, early.store)).toEqual([['sk', 2]])
      expect(await world.rows('SELECT key_hash FROM claims')).toHaveLength(1)
      for (const { store } of [late, early]) await store.close()
    })
  })
})

test.skipIf(!IS_POSTGRES)(
  'a unit goes on as it began where its server hears meanwhile that the new key is used',
  async () => {
    const world = await start()
    const keys = await world.furnish()
    const owner = { appId: keys.appId, mode: 'live' } as const
    const { clock } = world
    const [keyHash, fingerprint] = [world.vault.claimHash('a claim'), world.vault.fingerprint('it')]
    await world.store.transaction((tx) =>
      tx.claims.add({ ...owner, keyHash, fingerprint, issueId: crypto.randomUUID(), createdAt: clock.now() }),
    )
    await command(world, {}, async (deps) => {
      await beginRotation(deps, next)
      const vault = createVault(Buffer.from(SECRET))
      const store = await world.place.open({ clock, vault })
      const halted = { ...deps, store: dying(1)(deps.store) as Store, heard: async () => {} }
      expect(await refusal(renewAll(halted))).toBe('killed')
      const begun = await deps.store.read.ring.all()
      const found = await store.transaction(async (tx) => {
        // By the hash that is looked for last nothing is stored.
        const finding = tx.claims.find(owner, keyHash, () => Buffer.alloc(16, 0xff))
        expect([vault.cover.generation, vault.ring.adopt(begun), vault.cover.generation]).toEqual([0, true, 1])
        return finding
      })
      expect(found?.fingerprint).toEqual(new Uint8Array(fingerprint))
      await store.close()
    })
  },
)

test('a table of many pages is stored anew to its last row, and what is already is passed by', async () => {
  const world = await start()
  const { appId } = await world.furnish()
  const { vault } = world
  const MANY = 4_500
  await world.store.transaction(async (tx) => {
    for (let n = 0; n < MANY; n++)
      await tx.claims.add({
        ...{ appId, mode: 'live', keyHash: vault.claimHash(`${n}`), fingerprint: vault.fingerprint(`${n}`) },
        ...{ issueId: crypto.randomUUID(), createdAt: world.clock.now() },
      })
  })
  await rotate(world)
  const count = 'SELECT count(*) AS rows FROM claims WHERE hash_key = 1'
  expect(await world.rows(count)).toEqual([{ rows: MANY }])
  // Some in the middle, and the last.
  await world.write(`UPDATE claims SET hash_key = NULL WHERE claim_id % 1999 = 7 OR claim_id > ${MANY - 1}`)
  await rotateRest(world)
  expect(await world.rows(count)).toEqual([{ rows: MANY }])
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
    expect(isUnderWay(await world.store.read.ring.all())).toBe(false)
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
