/**
 * What the port asks of transactions, and only some databases enforce. The order in which they lock: a transaction that locks against it
 * can wait for another one that waits for it, where rows are really locked; what is added belongs to what is locked already,
 * and is no lock. And that they read the time only once a door has answered.
 */
import type { Store, Tx } from '../../src/ports/store'

// biome-ignore format: it is one row
const ORDER = [
  'app', 'key', 'carrier', 'people', 'invitation',
  'phone', 'idempotency-record', 'issue', 'failures', 'notice', 'job', 'attempt', 'endpoint', 'webhook', 'wallet', 'key ring', 'audit',
] as const

type Locked = (typeof ORDER)[number]

/** What each word locks, and which of it: what a transaction has locked it may lock again. */
const LOCKS: { [Door in keyof Tx]?: Partial<Record<string, readonly [Locked, (...args: never[]) => string]>> } = {
  apps: { lock: ['app', (appId: string) => appId] },
  keys: { lock: ['key', (keyId: string) => keyId] },
  carriers: { lock: ['carrier', (name: string) => name] },
  people: { lockAll: ['people', () => 'everybody'] },
  invitations: {
    lock: ['invitation', (tokenHash: Uint8Array) => hex(tokenHash)],
    remove: ['invitation', (tokenHash: Uint8Array) => hex(tokenHash)],
    removeOf: ['invitation', (invitedBy: string) => `of ${invitedBy}`],
  },
  idempotency: {
    find: ['idempotency-record', (_owner: object, keyHash: Uint8Array) => hex(keyHash)],
  },
  issues: {
    lockPhone: [
      'phone',
      (_owner: object, { phoneHash }: { phoneHash: Uint8Array }, purpose: string) => hex(phoneHash) + purpose,
    ],
    lockToVerify: ['issue', (_owner: object, issueId: string) => issueId],
    lock: ['issue', (_owner: object, issueId: string) => issueId],
  },
  failures: {
    lock: ['failures', ({ kind, phoneHash }: { kind: string; phoneHash: Uint8Array }) => kind + hex(phoneHash)],
  },
  notices: {
    lock: ['notice', (noticeId: string) => noticeId],
    lockMessage: ['notice', (messageId: string) => `of ${messageId}`],
  },
  jobs: {
    lock: ['job', ({ kind, subjectId }: { kind: string; subjectId: string }) => kind + subjectId],
    finish: ['job', ({ kind, subjectId }: { kind: string; subjectId: string }) => kind + subjectId],
    reschedule: ['job', ({ kind, subjectId }: { kind: string; subjectId: string }) => kind + subjectId],
    remove: ['job', (kind: string, subjectId: string) => kind + subjectId],
    hasten: ['job', (kind: string, subjectId: string) => kind + subjectId],
  },
  attempts: {
    answer: ['attempt', ({ issueId }: { issueId: string }) => issueId],
    noteReport: ['attempt', ({ issueId }: { issueId: string }) => issueId],
  },
  endpoints: {
    lock: ['endpoint', (endpointId: string) => endpointId],
    lockOfApp: ['endpoint', (appId: string) => `of ${appId}`],
  },
  hooks: { lock: ['webhook', (deliveryId: string) => deliveryId] },
  wallets: {
    lock: ['wallet', (appId: string) => appId],
    reserve: ['wallet', (appId: string) => appId],
    release: ['wallet', (appId: string) => appId],
    debit: ['wallet', (appId: string) => appId],
  },
  keyRing: { lock: ['key ring', () => 'all of it'] },
  audit: { lockLast: ['audit', () => 'the last'] },
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** The store, which tells of every transaction that locks against the order. */
export const inLockOrder = (store: Store, tell: (violation: string) => void): Store => ({
  ...store,
  transaction: (work, options) => store.transaction((tx) => work(observed(tx, tell)), options),
})

function observed(tx: Tx, tell: (violation: string) => void): Tx {
  /** When each was asked for: what is asked for together is locked in that order, whichever answer comes first. */
  const held = new Map<string, number>()
  let asked = 0
  let hasAnswered = false
  const note = (door: string, word: string, what: Locked, which: string, at: number) => {
    const row = `${what} ${which}`
    if (held.has(row)) return
    for (const [other, otherAt] of held) {
      const [first, second] = otherAt < at ? [other, row] : [row, other]
      if (rank(first) > rank(second))
        tell(`${door}.${word}: ${second.split(' ')[0]} is locked after ${first.split(' ')[0]}`)
    }
    held.set(row, at)
  }
  const answering = (door: string, words: object) =>
    new Proxy(words, {
      get(doorOf, word) {
        const value = Reflect.get(doorOf, word)
        const lock = LOCKS[door as keyof Tx]?.[String(word)]
        return async (...args: never[]) => {
          const at = asked++
          const answer = await value.apply(doorOf, args)
          hasAnswered = true
          // What is not there is not held.
          if (lock && (answer !== undefined || lock[0] === 'wallet'))
            note(door, String(word), lock[0], lock[1](...args), at)
          return answer
        }
      },
    })
  return new Proxy(tx, {
    get(target, name) {
      if (name === 'now' && !hasAnswered)
        throw new Error('The time of a transaction is known once a method has answered')
      const value = Reflect.get(target, name)
      return typeof value === 'object' ? answering(String(name), value) : value
    },
  })
}

const rank = (row: string) => ORDER.indexOf(row.split(' ')[0] as Locked)
