/**
 * What the port asks of transactions, and only some databases enforce. The order in which they lock: a transaction that locks against it
 * can wait for another one that waits for it, where rows are really locked; what is added belongs to what is locked already,
 * and is no lock. And that they read the time only once a door has answered.
 */
import type { Store, Tx } from '../../src/ports/store'

// biome-ignore format: it is one row
const ORDER = [
  'app', 'key', 'carrier', 'people', 'invitation',
  'phone', 'idempotency record', 'issue', 'failures', 'notice', 'job', 'attempt', 'absence', 'endpoint', 'webhook', 'wallet', 'incident',
  'key ring', 'audit',
] as const

type Locked = (typeof ORDER)[number]

const MADE: readonly Locked[] = ['absence', 'failures', 'incident', 'wallet']

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

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
    find: ['idempotency record', (_owner: object, keyHash: Uint8Array) => hex(keyHash)],
  },
  issues: {
    lockPhone: [
      'phone',
      (_owner: object, { phoneHash }: { phoneHash: Uint8Array }, purpose: string) => hex(phoneHash) + purpose,
    ],
    lockToVerify: ['issue', (_owner: object, issueId: string) => issueId],
    lock: ['issue', (_owner: object, issueId: string) => issueId],
    lockMessage: ['issue', (_owner: object, issueId: string) => issueId],
    lockAlone: ['issue', (_owner: object, phoneHash: Uint8Array) => `alone ${hex(phoneHash)}`],
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
  absences: {
    note: ['absence', (channel: string, phoneHash: Uint8Array) => channel + hex(phoneHash)],
    forget: ['absence', hex],
  },
  endpoints: {
    lock: ['endpoint', (endpointId: string) => endpointId],
    lockOfApp: ['endpoint', (appId: string) => `of ${appId}`],
  },
  hooks: { lock: ['webhook', (deliveryId: string) => deliveryId] },
  wallets: {
    lock: ['wallet', (appId: string) => appId],
  },
  traffic: {
    lockIncident: ['incident', (appId: string, segment: object) => appId + JSON.stringify(segment)],
    lockIncidentById: ['incident', (incidentId: string) => incidentId],
  },
  keyRing: { lock: ['key ring', () => 'all of it'] },
  audit: { lockLast: ['audit', () => 'the last'] },
}

/** The store, which tells of every transaction that locks against the order. */
export const inLockOrder = (store: Store, tell: (violation: string) => void): Store => ({
  ...store,
  transaction: (work) => store.transaction((tx) => work(observed(tx, tell))),
})

function observed(tx: Tx, tell: (violation: string) => void): Tx {
  /** When each was asked for: what is asked for together is locked in that order, whichever answer comes first. */
  const held = new Map<string, { what: Locked; at: number }>()
  let asked = 0
  let hasAnswered = false
  const note = (by: string, what: Locked, which: string, at: number) => {
    const row = `${what} ${which}`
    if (held.has(row)) return
    for (const other of held.values()) {
      const [first, second] = other.at < at ? [other.what, what] : [what, other.what]
      if (ORDER.indexOf(first) > ORDER.indexOf(second)) tell(`${by}: ${second} is locked after ${first}`)
    }
    held.set(row, { what, at })
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
          // What is not there is not held, but these are made by being locked.
          if (lock && (answer !== undefined || MADE.includes(lock[0])))
            note(`${door}.${String(word)}`, lock[0], lock[1](...args), at)
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
