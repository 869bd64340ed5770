/**
 * What must hold however many do it at once: what a transaction decides by, it has looked at and locked itself. Over the store
 * as it is, over one that is far away, so that others come between whatever is read and what is done with it, and over
 * one that asks for every transaction twice.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Secret, TOTP } from 'otpauth'
import type { Store, Tx } from '../../src/ports/store'
import { SignInPauses } from '../../src/runtime/limits/sign-in-pauses'
import * as administer from '../../src/usecases/administer'
import * as people from '../../src/usecases/people'
import { recordReport } from '../../src/usecases/record-report'
import { writeAudit } from '../../src/usecases/shared/write-audit'
import { acceptAudit, verifyAudit } from '../../src/usecases/verify-audit'
import { ConsoleClient } from '../console/client'
import { eachUnitTwice } from '../simulation/twice'
import { ASLEEP } from '../support/asleep'
import { IS_POSTGRES } from '../support/place'
import { Receivers, receives } from '../support/receiver'
import { UNTOLD } from '../support/untold'
import { type Furnished, SMS_URL, World } from '../support/world'

const AT_ONCE = 40
const PASSWORD = 'correct horse battery'

/** Happens once, after the next transaction is stored and before whoever asked for it learns of it. */
let meanwhile: (() => Promise<unknown>) | undefined

const letOthersGoOn = async (turns: number) => {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
}

type Words = Record<string, unknown>

/** What is read is of some turns ago. */
const late =
  (read: (...given: unknown[]) => unknown) =>
  (...given: unknown[]) => {
    const found = read(...given)
    return found instanceof Promise ? found.finally(() => letOthersGoOn(2)) : found
  }

const lateWords = (words: object): Words =>
  Object.fromEntries(
    Object.entries(words).map(([name, word]) => [name, typeof word === 'function' ? late(word) : lateWords(word)]),
  )

const farAway = (store: Store): Store => ({
  ...store,
  read: lateWords(store.read) as unknown as Store['read'],
  async transaction(work) {
    await letOthersGoOn(2)
    return store.transaction(work)
  },
})

/** How often each transaction runs; the last one counts. */
let runs = 1
/** Told when a transaction has what it has asked for first, which is what it locks. */
let hasLocked: (() => void) | undefined

const tellingOfLocks = (tx: Tx): Tx =>
  new Proxy(tx, {
    get(target, name) {
      const words = Reflect.get(target, name)
      if (typeof words !== 'object') return words
      return new Proxy(words, {
        get(door, word) {
          return async (...given: unknown[]) => {
            const found = await Reflect.get(door, word)(...given)
            hasLocked?.()
            return found
          }
        },
      })
    },
  })

const withOthersMeanwhile = (store: Store): Store => ({
  ...store,
  async transaction(work) {
    let run = 0
    const answer = await store.transaction((tx) => work(hasLocked && ++run === runs ? tellingOfLocks(tx) : tx))
    const happens = meanwhile
    meanwhile = undefined
    await happens?.()
    return answer
  },
})

/** As a database that locks nothing: a word of a door answers, and then that happens, before the answer is used. */
function notLocking(
  door: 'hooks' | 'invitations' | 'reports',
  word: string,
  then: (tx: Tx, found: unknown) => unknown,
) {
  return (store: Store): Store => ({
    ...store,
    transaction: (work) =>
      store.transaction((tx) => {
        const words = tx[door] as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>
        const answered = async (...given: unknown[]) => {
          const found = await words[word]?.(...given)
          return (await then(tx, found)) ?? found
        }
        return work(Object.create(tx, { [door]: { value: { ...words, [word]: answered } } }))
      }),
  })
}

const receivers = new Receivers(() => world.clock.now())
let world: World
let keys: Furnished

async function begin(wrap: (store: Store) => Store): Promise<void> {
  meanwhile = undefined
  runs = wrap === eachUnitTwice ? 2 : 1
  world = await World.start({ wrapStore: (store) => withOthersMeanwhile(wrap(store)), hooks: receivers })
  keys = await world.furnish()
}
afterEach(() => world.stop())

type Outcome<T> = { value: T } | { refusal: { kind?: string; detail?: { reason?: string } } }

/** How each ended. */
const atOnce = <T>(...works: Array<() => Promise<T>>): Promise<Array<Outcome<T>>> =>
  Promise.all(
    works.map((work) =>
      work().then(
        (value) => ({ value }),
        (refusal) => ({ refusal }),
      ),
    ),
  )
/** The same, where the first has locked what all of them need before the others begin. */
async function inFront<T>(first: () => Promise<T>, ...others: Array<() => Promise<T>>): Promise<Array<Outcome<T>>> {
  const { promise: locked, resolve } = Promise.withResolvers<void>()
  hasLocked = resolve
  const behind = locked.then(() => {
    hasLocked = undefined
    return atOnce(...others)
  })
  // One that is refused at once may have locked nothing.
  return [...(await atOnce(first).finally(resolve)), ...(await behind)]
}
const times = <T>(count: number, work: (index: number) => Promise<T>) =>
  atOnce(...Array.from({ length: count }, (_, index) => () => work(index)))

const done = <T>(outcomes: Array<Outcome<T> | undefined>): T[] =>
  outcomes.flatMap((outcome) => (outcome && 'value' in outcome ? [outcome.value] : []))
const reasons = (outcomes: Array<Outcome<unknown> | undefined>) =>
  outcomes.flatMap((outcome) =>
    outcome && 'refusal' in outcome ? [outcome.refusal.detail?.reason ?? outcome.refusal.kind] : [],
  )

const noted = async (action: string) => (await world.store.read.audit.page({ limit: 100, action })).reverse()
const activeKeys = async () =>
  (await world.store.read.keys.ofApp(keys.appId)).filter(
    ({ revokedAt, expiresAt = Number.POSITIVE_INFINITY }) => revokedAt === undefined && world.clock.now() < expiresAt,
  )
const keyId = async (key: string) =>
  (await world.store.read.keys.ofApp(keys.appId)).find(({ lastFour }) => key.endsWith(lastFour))?.keyId ?? ''

// ── keys and apps ──────────────────────────────────────────────────────────────────────────────────

const TEMPLATE = {
  templateId: 'welcome',
  name: 'Welcome',
  channelSupport: ['sms'] as const,
  variables: {},
  providerTemplateCode: 'X',
  body: '#{code}',
}
const LISTENS = { mode: 'live', url: 'https://hook.example.com/', events: ['otp.sent'] } as const

const settings: Array<[string, () => Promise<void>]> = [
  [
    'an app has five test keys and no more',
    async () => {
      const made = await times(AT_ONCE, () =>
        administer.createKey(world.admin, { appId: keys.appId, kind: 'sk', mode: 'test' }),
      )
      expect(done(made)).toHaveLength(4)
      expect(new Set(reasons(made))).toEqual(new Set(['too_many_keys']))
      expect((await activeKeys()).filter(({ mode }) => mode === 'test')).toHaveLength(5)
    },
  ],
  [
    'an app has twenty live keys and no more',
    async () => {
      await times(AT_ONCE, () => administer.createKey(world.admin, { appId: keys.appId, kind: 'sk', mode: 'live' }))
      expect((await activeKeys()).filter(({ mode }) => mode === 'live')).toHaveLength(20)
    },
  ],
  [
    'an app has twenty webhooks and no more',
    async () => {
      await times(AT_ONCE, () => administer.addEndpoint(world.admin, { ...LISTENS, appId: keys.appId }))
      expect(await world.store.read.endpoints.ofApp(keys.appId)).toHaveLength(20)
    },
  ],
  [
    'a standing key is one key, whoever asks for it first',
    async () => {
      const asked = await times(10, () => administer.standingTestKey(world.admin, keys.appId, 'sk'))
      expect(reasons(asked)).toEqual([])
      expect(new Set(done(asked)).size).toBe(1)
      expect((await activeKeys()).filter(({ mode }) => mode === 'test')).toHaveLength(2)
    },
  ],
  [
    'a key that is rotated without an overlap has one successor',
    async () => {
      const old = await keyId(keys.live)
      const rotated = await times(5, () => administer.rotateKey(world.admin, old, 0))
      expect(done(rotated)).toHaveLength(1)
      expect(reasons(rotated)).toEqual(Array(4).fill('key_not_active'))
      expect((await activeKeys()).filter(({ mode }) => mode === 'live')).toHaveLength(1)
    },
  ],
  [
    'a key that is revoked while it is rotated either has no successor or had one before',
    async () => {
      const old = await keyId(keys.live)
      const [revoked, rotated] = await atOnce<unknown>(
        () => administer.revokeKey(world.admin, old),
        () => administer.rotateKey(world.admin, old, 0),
      )
      const successors = done([rotated])
      expect(reasons([revoked, rotated])).toEqual(successors.length > 0 ? [] : ['key_not_active'])
      expect((await activeKeys()).filter(({ mode }) => mode === 'live')).toHaveLength(successors.length)
    },
  ],
  [
    'a revocation is told as it is stored: the first counts',
    async () => {
      const id = await keyId(keys.live)
      const told = await times(3, async (n) => {
        await letOthersGoOn(n)
        world.clock.step(1)
        return administer.revokeKey(world.admin, id)
      })
      const { revokedAt = 0 } = (await world.store.read.keys.find(id)) ?? {}
      expect(done(told)).toEqual(Array(3).fill({ keyId: id, revokedAt }))
    },
  ],
  [
    'what a key was allowed before is noted as it was',
    async () => {
      const pk = { appId: keys.appId, kind: 'pk', mode: 'live', allowedOrigins: ['https://shop.example.com'] } as const
      const { stored } = await administer.createKey(world.admin, pk)
      await atOnce(
        () => administer.allowKey(world.admin, stored.keyId, ['from']),
        () => administer.allowKey(world.admin, stored.keyId, ['text']),
        () => administer.allowKey(world.admin, stored.keyId, []),
      )
      const details = (await noted('key.allow')).map(({ detail }) => detail)
      expect(details.map(({ before }) => before)).toEqual([[], ...details.slice(0, 2).map(({ allows }) => allows)])
    },
  ],
  [
    'an app that is renamed and given a region has both',
    async () => {
      await inFront(
        () => administer.renameApp(world.admin, keys.appId, 'Renamed'),
        () => administer.setRegion(world.admin, keys.appId, 'JP'),
        () => administer.renameApp(world.admin, keys.appId, 'Renamed again'),
      )
      expect(await world.store.read.apps.find(keys.appId)).toMatchObject({ name: 'Renamed again', region: 'JP' })
      const names = (await noted('app.rename')).map(({ detail }) => detail)
      expect(names).toMatchObject([{ before: 'demo' }, { before: 'Renamed', name: 'Renamed again' }])
    },
  ],
  [
    'an app is removed once',
    async () => {
      const removed = await times(3, () => administer.removeApp(world.admin, keys.appId))
      expect(done(removed)).toMatchObject([{ revokedKeys: 2 }])
      expect(reasons(removed)).toEqual(['no_such', 'no_such'])
      expect(await noted('app.remove')).toHaveLength(1)
    },
  ],
  [
    'what is added to an app just before it is removed ends with it',
    async () => {
      const { appId } = keys
      const [key, live, test, removed] = await atOnce<unknown>(
        () => administer.createKey(world.admin, { appId, kind: 'sk', mode: 'live' }),
        () => administer.addEndpoint(world.admin, { ...LISTENS, appId }),
        () => administer.addEndpoint(world.admin, { ...LISTENS, mode: 'test', appId }),
        () => administer.removeApp(world.admin, appId),
      )
      const revokedKeys = 2 + done([key]).length
      expect(done([removed])).toMatchObject([{ revokedKeys, removedWebhooks: done([live, test]).length }])
      expect(await activeKeys()).toEqual([])
      expect(await world.store.read.endpoints.ofApp(appId)).toEqual([])
    },
  ],
  [
    'nothing changes of an app that is being removed',
    async () => {
      const { appId } = keys
      const live = await keyId(keys.live)
      await administer.saveTemplate(world.admin, appId, TEMPLATE)
      const outcomes = await inFront<unknown>(
        () => administer.removeApp(world.admin, appId),
        () => administer.createKey(world.admin, { appId, kind: 'sk', mode: 'live' }),
        () => administer.standingTestKey(world.admin, appId, 'sk'),
        () => administer.rotateKey(world.admin, live, 24),
        () => administer.addEndpoint(world.admin, { ...LISTENS, appId }),
        () => administer.saveTemplate(world.admin, appId, TEMPLATE),
        () => administer.removeTemplate(world.admin, appId, TEMPLATE.templateId),
        () => administer.addCredit(world.admin, { appId, amount: 5 }),
        () => administer.clawBackCredit(world.admin, { appId, amount: 5, reference: 'r' }),
        () => administer.setOverdraft(world.admin, { appId, limit: 5 }),
        () => administer.setCreditAlert(world.admin, { appId, below: 5 }),
        () => administer.renameApp(world.admin, appId, 'Renamed'),
        () => administer.setRegion(world.admin, appId, 'JP'),
        () => administer.setRoute(world.admin, { appId, channel: 'sms', country: undefined, carriers: ['main'] }),
      )
      expect(done(outcomes)).toHaveLength(1)
      const [last] = await world.store.read.audit.page({ limit: 1 })
      expect(last?.action).toBe('app.remove')
      expect(await activeKeys()).toEqual([])
    },
  ],
  [
    'each template that is saved is a version of its own',
    async () => {
      const saved = await times(10, (n) =>
        administer.saveTemplate(world.admin, keys.appId, { ...TEMPLATE, body: `#{code} ${n}` }),
      )
      expect(reasons(saved)).toEqual([])
      const versions = await world.rows<{ version: number }>('SELECT version FROM templates ORDER BY version')
      expect(versions.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    },
  ],

  // ── carriers and routes ────────────────────────────────────────────────────────────────────────

  [
    'the report secret of a carrier that is set up anew is told once, and is the one that is kept',
    async () => {
      const wanted = { name: 'new', type: 'http', channels: ['sms'] as const, config: { url: SMS_URL } }
      const set = done(await times(5, () => administer.setCarrier(world.admin, wanted)))
      const told = set.flatMap(({ newReportSecret }) => (newReportSecret === undefined ? [] : [newReportSecret]))
      const kept = (await world.store.read.carriers.all()).find(({ name }) => name === 'new')?.config.reportSecret
      expect(told).toEqual([String(kept)])
    },
  ],
  [
    'no route leads to a carrier that is being removed, or no longer delivers its channel',
    async () => {
      const route = { appId: undefined, country: undefined, channel: 'sms' as const }
      await world.provide('other', ['sms', 'alimtalk'], SMS_URL)
      const outcomes = [
        ...(await inFront<unknown>(
          () => administer.removeCarrier(world.admin, 'main'),
          () => administer.setRoute(world.admin, { ...route, carriers: ['main'] }),
        )),
        ...(await inFront<unknown>(
          () => world.provide('other', ['alimtalk'], SMS_URL),
          () => administer.setRoute(world.admin, { ...route, carriers: ['other'] }),
        )),
      ]
      expect(reasons(outcomes)).toEqual(['no_such', 'channel_not_delivered'])
      expect(await world.store.read.routes.all()).toEqual([])
    },
  ],
]

// ── people ─────────────────────────────────────────────────────────────────────────────────────────

const free = { limits: { acquire: async () => ({ release() {} }) }, signInLimits: new SignInPauses() }
const passwords = {
  hash: async (password: string) => `plain:${password}`,
  verify: async (password: string, hash: string | undefined) => hash === `plain:${password}`,
  isCommon: () => false,
}
const deps = () => {
  const { store, clock, random, vault } = world
  return { store, clock, random, vault, node: free, passwords }
}
const actor = { name: 'test' }
const everybody = () => world.store.read.people.all()
const joinBy = (token: string, email: string) =>
  people.join(deps(), {}, { token, name: 'Somebody', email, password: PASSWORD })

/** An account made by the set-up link. */
async function owner() {
  return joinBy((await people.setUpToken(deps())) ?? '', 'ann@example.com')
}
async function another(role: 'owner' | 'viewer' = 'owner') {
  const { token } = await people.invite(deps(), actor, { role })
  return joinBy(token, `${role}@example.com`)
}

const accounts: Array<[string, () => Promise<void>]> = [
  [
    'of servers that start at once each shows the same set-up link',
    async () => {
      const tokens = done(await times(3, () => people.setUpToken(deps())))
      expect(new Set(tokens).size).toBe(1)
      const works = await atOnce(...tokens.map((token) => () => people.readInvitation(deps(), token ?? '')))
      expect(done(works)).toHaveLength(3)
      expect(await world.store.read.invitations.all()).toHaveLength(1)
    },
  ],
  [
    'there is a set-up link or an owner, never both',
    async () => {
      const token = (await people.setUpToken(deps())) ?? ''
      await atOnce<unknown>(
        () => joinBy(token, 'ann@example.com'),
        () => letOthersGoOn(1).then(() => people.setUpToken(deps())),
      )
      expect((await everybody()).length + (await world.store.read.invitations.all()).length).toBe(1)
    },
  ],
  [
    'a set-up link makes one owner',
    async () => {
      const token = (await people.setUpToken(deps())) ?? ''
      const joined = await times(5, (n) => joinBy(token, `p${n}@example.com`))
      expect(reasons(joined)).toEqual(Array(4).fill('link_used_up'))
      expect(await everybody()).toHaveLength(1)
    },
  ],
  [
    'an invitation makes one account',
    async () => {
      const { token } = await people.invite(deps(), actor, { role: 'viewer' })
      const joined = await times(5, (n) => joinBy(token, `p${n}@example.com`))
      expect(reasons(joined)).toEqual(Array(4).fill('link_used_up'))
      expect(await everybody()).toHaveLength(1)
    },
  ],
  [
    'an address of mail has one account',
    async () => {
      const invited = done(await times(5, () => people.invite(deps(), actor, { role: 'viewer' })))
      const joined = await atOnce(
        ...invited.map(
          ({ token }) =>
            () =>
              joinBy(token, 'ann@example.com'),
        ),
      )
      expect(reasons(joined)).toEqual(Array(4).fill('email_taken'))
    },
  ],
  [
    'an invitation is withdrawn once, and not when it was used before',
    async () => {
      const [one, used] = done(await times(2, () => people.invite(deps(), actor, { role: 'viewer' })))
      const withdraw = async (token = '') => {
        const { tokenHash } = await people.readInvitation(deps(), token)
        await people.withdrawInvitation(deps(), actor, people.invitationId(tokenHash))
      }
      const withdrawn = await times(3, () => withdraw(one?.token))
      expect(reasons(withdrawn)).toEqual(['link_used_up', 'link_used_up'])
      expect(await noted('operator.withdraw')).toHaveLength(1)
      const raced = await atOnce<unknown>(
        () => joinBy(used?.token ?? '', 'ann@example.com'),
        () => withdraw(used?.token),
      )
      expect(done(raced)).toHaveLength(1)
      expect((await everybody()).length + (await noted('operator.withdraw')).length).toBe(2)
    },
  ],
  [
    'who may invite no more leaves no invitation',
    async () => {
      await owner()
      const { operatorId } = await another()
      const [, invited] = await inFront<unknown>(
        () => people.changeRights(deps(), actor, operatorId, { role: 'viewer' }),
        () => people.invite(deps(), { name: operatorId }, { role: 'owner', inviter: operatorId }),
      )
      expect(reasons(invited ? [invited] : [])).toEqual(['role_lacks_permission'])
      expect(await world.store.read.invitations.all()).toEqual([])
    },
  ],
  [
    'of two owners who take it from each other one stays',
    async () => {
      const both = [await owner(), await another()]
      const ends = [
        (id: string) => people.changeRights(deps(), actor, id, { role: 'viewer' }),
        (id: string) => people.removeOperator(deps(), actor, id),
      ]
      const outcomes = await atOnce<unknown>(
        ...both.map(
          ({ operatorId }, n) =>
            () =>
              ends[n]?.(operatorId) ?? owner(),
        ),
      )
      expect(reasons(outcomes)).toEqual(['last_owner'])
      expect((await everybody()).filter(({ role }) => role === 'owner')).toHaveLength(1)
    },
  ],
  [
    'what changes of an account at once changes all of it',
    async () => {
      await owner()
      const known = await another()
      const { operatorId } = known
      const { secret } = await people.beginTotp(deps(), known, PASSWORD)
      const totp = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: world.clock.now() })
      const outcomes = await atOnce<unknown>(
        () => people.changeRights(deps(), actor, operatorId, { role: 'viewer' }),
        () => people.unlock(deps(), actor, { operatorId }),
        () => people.confirmTotp(deps(), actor, known, totp),
        () => people.changePassword(deps(), actor, known, { current: PASSWORD, password: 'another one' }),
      )
      expect(reasons(outcomes)).toEqual([])
      const now = (await everybody()).find((one) => one.operatorId === operatorId)
      expect(now).toMatchObject({ role: 'viewer', totpSecret: secret, passwordHash: 'plain:another one' })
      expect(now?.unlockedAt).toBeNumber()
    },
  ],
  [
    'a password that was changed since it was asked for takes off no second factor',
    async () => {
      const joined = await owner()
      const { operatorId } = joined
      const { secret } = await people.beginTotp(deps(), joined, PASSWORD)
      const totp = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: world.clock.now() })
      const [ann] = await everybody()
      if (!ann) throw new Error('nobody is there')
      await people.confirmTotp(deps(), actor, ann, totp)
      await people.changePassword(deps(), actor, ann, { current: PASSWORD, password: 'another one' })
      const outcomes = await atOnce(() => people.removeTotp(deps(), actor, ann, PASSWORD))
      expect(reasons(outcomes)).toEqual(['password_changed'])
      expect((await everybody()).find((one) => one.operatorId === operatorId)?.totpSecret).toBe(secret)
    },
  ],
  [
    'who has changed a password that is reset meanwhile is signed in no more',
    async () => {
      const client = new ConsoleClient(world)
      const token = await people.setUpToken(deps())
      const person = { token, name: 'Ann', email: 'ann@example.com', password: PASSWORD }
      expect((await client.call('session/setUp', person)).status).toBe(200)
      meanwhile = () => people.resetPassword(deps(), actor, 'ann@example.com')
      await client.call('session/changePassword', { current: PASSWORD, password: 'another good one' })
      expect((await client.call('session/current')).body.operator).toBeUndefined()
    },
  ],
]

// ── credit, webhooks, the audit log ────────────────────────────────────────────────────────────────

/** A message that was charged; who is told of it was told. */
async function charged(): Promise<string> {
  await world.provide('main', ['sms'], SMS_URL, { reports: false })
  const order = { phoneNumber: '010-1234-5678', purpose: 'p', idempotencyKey: 'k' }
  const { body } = await world.call('rest', 'issue', order, { key: keys.live })
  await world.advance(5_000)
  return body.issueId
}
const balance = async () => (await world.store.read.wallets.find(keys.appId))?.balance

/** What a request and two more of its kind beside it are answered with: an issue, or a status. */
async function retried(idempotencyKey: string): Promise<unknown[]> {
  const order = { phoneNumber: '010-1234-5678', purpose: 'p', idempotencyKey }
  const issue = () => world.call('rest', 'issue', order, { key: keys.live })
  const answers = done(await inFront(issue, issue, issue))
  return [...new Set(answers.map(({ status, body }) => (status === 200 ? body.issueId : status)))]
}

const records: Array<[string, () => Promise<void>]> = [
  [
    'a retry beside its first is answered as that, which may be the last that its phone gets',
    async () => {
      for (const idempotencyKey of ['1', '2', '3', '4', '5'])
        expect(await retried(idempotencyKey)).toEqual([expect.any(String)])
      expect(await retried('6')).toEqual([429])
    },
  ],
  [
    'a retry beside its first is answered as that, which may have spent the last credit',
    async () => {
      await administer.clawBackCredit(world.admin, { appId: keys.appId, amount: 999, reference: 'all-but-one' })
      expect(await retried('1')).toEqual([expect.any(String)])
      expect(await retried('2')).toEqual([402])
    },
  ],
  [
    'an order of credit with one reference is carried out once',
    async () => {
      const { appId } = keys
      await times(5, () => administer.addCredit(world.admin, { appId, amount: 10, reference: 'a' }))
      await times(5, () => administer.clawBackCredit(world.admin, { appId, amount: 3, reference: 'b' }))
      expect(await balance()).toBe(1_007)
      const references = [...(await noted('credit.credit')), ...(await noted('credit.clawback'))].map(
        ({ detail }) => detail.reference,
      )
      expect(references).toEqual([undefined, 'a', 'b'])
    },
  ],
  [
    'an issue is refunded once, by itself and with its incident',
    async () => {
      const issueId = await charged()
      await world.write("UPDATE issues SET outcome_ambiguous = true, delivery_status = 'sent'")
      expect(await balance()).toBe(999)
      const incident = { problem: 'ambiguous', from: 0, to: world.clock.now() + 1 } as const
      const damage = await administer.assessIncident(world.admin, incident)
      expect(damage.charged).toHaveLength(1)
      const admin = { ...world.admin, clock: world.clock }
      const { appId } = keys
      await world.run(
        atOnce<unknown>(
          () => administer.refundIncident(admin, incident, damage),
          () => administer.refundIssue(world.admin, { appId, issueId }),
          () => administer.refundIncident(admin, incident, damage),
          () => administer.refundIssue(world.admin, { appId, issueId }),
        ),
      )
      expect(await balance()).toBe(1_000)
    },
  ],
  [
    'an issue of an app that is being removed is not refunded',
    async () => {
      const issueId = await charged()
      const { appId } = keys
      const outcomes = await inFront<unknown>(
        () => administer.removeApp(world.admin, appId),
        () => administer.refundIssue(world.admin, { appId, issueId }),
      )
      expect(reasons(outcomes)).toEqual(['no_such'])
      expect(await balance()).toBe(999)
    },
  ],
  [
    'limits of a wallet that are set at once hold beside each other',
    async () => {
      const { appId } = keys
      await atOnce<unknown>(
        () => administer.setOverdraft(world.admin, { appId, limit: 7 }),
        () => administer.setCreditAlert(world.admin, { appId, below: 9 }),
        () => administer.addCredit(world.admin, { appId, amount: 1 }),
      )
      expect(await world.store.read.wallets.find(appId)).toMatchObject({
        balance: 1_001,
        overdraftLimit: 7,
        alertBelow: 9,
      })
    },
  ],
  [
    'what is changed of a webhook at once changes all of it',
    async () => {
      const { appId } = keys
      const { endpoint, secret } = await administer.addEndpoint(world.admin, { ...LISTENS, appId })
      const id = endpoint.endpointId
      const [rotated] = await atOnce<unknown>(
        () => administer.rotateEndpoint(world.admin, id, 24),
        () => administer.updateEndpoint(world.admin, id, { url: 'https://elsewhere.example.com/' }),
        () => administer.updateEndpoint(world.admin, id, { enabled: false }),
      )
      const now = await world.store.read.endpoints.find(id)
      expect(now).toMatchObject({
        url: 'https://elsewhere.example.com/',
        disabledReason: 'Disabled by an operator',
        secrets: [{}, { secret }],
      })
      expect(rotated).toMatchObject({ value: { secret: now?.secrets[0].secret } })
    },
  ],
  [
    'a webhook that is replayed by two is sent once more',
    async () => {
      receivers.answer = () => receives(400)
      const { endpoint } = await administer.addEndpoint(world.admin, { ...LISTENS, appId: keys.appId })
      await charged()
      const [hook] = await world.store.read.hooks.page({ endpointId: endpoint.endpointId, limit: 10 })
      expect(hook).toMatchObject({ status: 'failed', attempts: 1 })
      receivers.answer = () => receives(200)
      const { endpointId } = endpoint
      const replayed = await times(5, (n) =>
        administer.replayEvents(world.admin, endpointId, n % 2 ? { since: 0 } : { eventId: hook?.eventId ?? '' }),
      )
      expect(reasons(replayed)).toEqual([])
      await world.advance(5_000)
      expect(await world.store.read.hooks.page({ endpointId, limit: 10 })).toMatchObject([
        { status: 'delivered', attempts: 2 },
      ])
    },
  ],
  [
    'a webhook that is being disabled is not replayed',
    async () => {
      receivers.answer = () => receives(400)
      const { endpoint } = await administer.addEndpoint(world.admin, { ...LISTENS, appId: keys.appId })
      await charged()
      const { endpointId } = endpoint
      const outcomes = await atOnce<unknown>(
        () => administer.updateEndpoint(world.admin, endpointId, { enabled: false }),
        () => administer.replayEvents(world.admin, endpointId, { since: 0 }),
      )
      // Where transactions do not queue, the replay may have come first: it was of no use either.
      await world.advance(1_000)
      const cameFirst = IS_POSTGRES && reasons(outcomes).length === 0
      expect(reasons(outcomes)).toEqual(cameFirst ? [] : ['webhook_disabled'])
      expect(await world.store.read.hooks.page({ endpointId, limit: 10 })).toMatchObject([{ status: 'failed' }])
    },
  ],
  [
    'a replay that finds nothing to replay is not noted',
    async () => {
      const { endpoint } = await administer.addEndpoint(world.admin, { ...LISTENS, appId: keys.appId })
      const eventId = world.random.uuid(world.clock.now())
      const replayed = await atOnce(() => administer.replayEvents(world.admin, endpoint.endpointId, { eventId }))
      expect(reasons(replayed)).toEqual(['no_such'])
      expect(await noted('webhook.replay')).toEqual([])
    },
  ],
  [
    'entries of the audit log stand in one row',
    async () => {
      await times(AT_ONCE, (n) =>
        world.store.transaction((tx) => writeAudit(world.admin, tx, 'app.create', `app_${n}`)),
      )
      expect(await verifyAudit({ read: world.store.read, vault: world.vault })).toMatchObject({ isIntact: true })
      expect((await noted('app.create')).map(({ target }) => target).filter((id) => /^app_\d+$/.test(id))).toHaveLength(
        AT_ONCE,
      )
    },
  ],
  [
    'an audit log whose end is gone is accepted once',
    async () => {
      await world.store.transaction((tx) => writeAudit(world.admin, tx, 'app.create', 'app_lost'))
      await world.write("DELETE FROM audit_entries WHERE target = 'app_lost'")
      const accepted = done(await times(3, () => acceptAudit(world.admin)))
      const lost = accepted.map((lost) => lost.length)
      expect(lost.toSorted()).toEqual([0, 0, 1])
      const noticed = (await noted('audit.accept')).map(({ detail }) => detail.lost as unknown[])
      expect(noticed.map((lost) => lost.length)).toEqual([1, 0, 0])
    },
  ],
]

const STORES: Array<[string, (store: Store) => Store]> = [
  ['as it is', (store) => store],
  ['that is far away', farAway],
  ['that asks for every transaction twice', eachUnitTwice],
]

describe.each(STORES)('whoever does it at once, over a store %s', (_, wrap) => {
  beforeEach(() => begin(wrap))
  test.each([...settings, ...accounts, ...records])('%s', (_, race) => race())
})

describe('over a store that is gone in the middle', () => {
  let left = Number.POSITIVE_INFINITY
  const dying = (store: Store): Store => ({
    ...store,
    async transaction(work) {
      if (left-- <= 0) throw new Error('killed')
      return store.transaction(work)
    },
  })
  beforeEach(async () => {
    left = Number.POSITIVE_INFINITY
    await begin(dying)
  })

  test.each([0, 1, 2])('a key has a successor and an end, or neither: after %d transactions', async (units) => {
    const old = await keyId(keys.live)
    left = units
    await atOnce(() => administer.rotateKey(world.admin, old, 24))
    left = Number.POSITIVE_INFINITY
    const live = (await activeKeys()).filter(({ mode }) => mode === 'live')
    const ends = live.find(({ keyId }) => keyId === old)?.expiresAt
    expect([live.length, ends === undefined]).toEqual(units === 0 ? [1, true] : [2, false])
  })
})

describe('over a store that lets others by', () => {
  test('an attempt writes back nothing of an endpoint but how it fares', async () => {
    const changes = { url: 'https://elsewhere.example.com/', secrets: [{ secret: 'whsec_rotated' }] } as const
    let isChanged = false
    await begin(
      notLocking('hooks', 'lock', async (tx, found) => {
        const { endpoint } = (found as Awaited<ReturnType<Tx['hooks']['lock']>>) ?? {}
        // The second time is when the answer is recorded.
        if (!endpoint || receivers.arrived.length === 0 || isChanged) return
        isChanged = true
        await tx.endpoints.save({ ...endpoint, ...changes })
      }),
    )
    receivers.arrived.length = 0
    receivers.answer = () => receives(503)
    const { endpoint } = await administer.addEndpoint(world.admin, { ...LISTENS, appId: keys.appId })
    await charged()
    expect(isChanged).toBe(true)
    const now = await world.store.read.endpoints.find(endpoint.endpointId)
    expect(now).toMatchObject(changes)
    expect(now?.failingSince).toBeNumber()
  })

  test('a report of a message that another one has just ended starts nothing', async () => {
    let isEnded = false
    await begin(
      notLocking('reports', 'findByCarrier', async (tx, found) => {
        const { messageId } = (found as Awaited<ReturnType<Tx['reports']['findByCarrier']>>) ?? {}
        isEnded = messageId !== undefined
        if (messageId) await tx.reports.forget(messageId)
      }),
    )
    const order = { phoneNumber: '010-1234-5678', purpose: 'p', idempotencyKey: 'k' }
    await world.call('rest', 'issue', order, { key: keys.live })
    await world.settle()
    const [attempt] = await world.rows('SELECT provider_message_id AS id FROM attempts')
    const report = { messageId: attempt?.id ?? '', status: 'delivered', mustAsk: true } as const
    const outside = { node: ASLEEP, telemetry: UNTOLD, carrierNamed: async () => undefined }
    expect(await recordReport({ ...world.admin, ...outside }, 'main', report)).toBe('unmatched')
    expect(isEnded).toBe(true)
    expect(await world.rows('SELECT 1 FROM attempts WHERE awaited_at IS NOT NULL')).toEqual([])
  })

  test('a link that somebody else has just used up makes no account', async () => {
    await begin(
      notLocking('invitations', 'lock', async (tx, found) => {
        const { tokenHash } = (found as Awaited<ReturnType<Tx['invitations']['lock']>>) ?? {}
        if (tokenHash) await tx.invitations.remove(tokenHash)
      }),
    )
    const { token } = await people.invite(deps(), actor, { role: 'viewer' })
    expect(reasons(await atOnce(() => joinBy(token, 'ann@example.com')))).toEqual(['link_used_up'])
    expect(await everybody()).toEqual([])
  })
})
