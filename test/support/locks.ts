/**
 * The order in which units lock, as the port promises it. A unit that locks against it can wait for another one that waits
 * for it, where rows are really locked. What is added belongs to what is locked already, and is no lock.
 */
import type { Store, Tx } from '../../src/ports/store'

// biome-ignore format: it is one row
const ORDER = [
  'app', 'key', 'carrier', 'people', 'invitation',
  'claim', 'phone', 'issue', 'job', 'attempt', 'endpoint', 'webhook', 'wallet', 'audit',
] as const

type Locked = (typeof ORDER)[number]

/** What each word locks, and which of it: what a unit has locked it may lock again. */
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
  claims: {
    find: ['claim', (_owner: object, keyHash: Uint8Array) => hex(keyHash)],
  },
  issues: {
    lockLive: ['phone', (_owner: object, phoneHash: Uint8Array, purpose: string) => hex(phoneHash) + purpose],
    lock: ['issue', (_owner: object, issueId: string) => issueId],
  },
  jobs: {
    lock: ['job', ({ kind, subjectId }: { kind: string; subjectId: string }) => kind + subjectId],
    finish: ['job', ({ kind, subjectId }: { kind: string; subjectId: string }) => kind + subjectId],
    reschedule: ['job', ({ kind, subjectId }: { kind: string; subjectId: string }) => kind + subjectId],
    hasten: ['job', (kind: string, subjectId: string) => kind + subjectId],
  },
  attempts: { answer: ['attempt', ({ issueId }: { issueId: string }) => issueId] },
  endpoints: {
    lock: ['endpoint', (endpointId: string) => endpointId],
    lockOfApp: ['endpoint', (appId: string) => `of ${appId}`],
  },
  hooks: { lock: ['webhook', (deliveryId: string) => deliveryId] },
  wallets: {
    lock: ['wallet', (appId: string) => appId],
    reserve: ['wallet', (appId: string) => appId],
    release: ['wallet', (appId: string) => appId],
  },
  audit: { lockLast: ['audit', () => 'the last'] },
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** The store, which tells of every unit that locks against the order. */
export const inLockOrder = (store: Store, tell: (violation: string) => void): Store => ({
  ...store,
  transaction: (unit) => store.transaction((tx) => unit(observed(tx, tell))),
})

function observed(tx: Tx, tell: (violation: string) => void): Tx {
  const held = new Map<string, string>()
  const note = (door: string, word: string, what: Locked, which: string) => {
    const row = `${what} ${which}`
    if (held.has(row)) return
    const later = [...held.keys()].find((other) => rank(other) > rank(row))
    if (later) tell(`${door}.${word} locks after ${later.split(' ')[0]}`)
    held.set(row, word)
  }
  return new Proxy(tx, {
    get(target, door, receiver) {
      const words = Reflect.get(target, door, receiver)
      const locking = LOCKS[door as keyof Tx]
      if (!locking) return words
      return new Proxy(words as object, {
        get(doorOf, word) {
          const value = Reflect.get(doorOf, word)
          const lock = locking[String(word)]
          if (!lock) return value
          const [what, which] = lock
          return async (...args: never[]) => {
            const answer = await value.apply(doorOf, args)
            // What is not there is not held.
            if (answer !== undefined || what === 'wallet') note(String(door), String(word), what, which(...args))
            return answer
          }
        },
      })
    },
  })
}

const rank = (row: string) => ORDER.indexOf(row.split(' ')[0] as Locked)
