/** The double that watches locks sees each row that the store locks, and tells whoever locks against the order. */
import { expect, test } from 'bun:test'
import type { Store, Tx } from '../../src/ports/store'
import { inLockOrder } from '../support/locks'

const APP = 'app_1'
const PHONE = new Uint8Array([1])
const SEGMENT = { kind: 'sk', country: 'KR' } as const

/** What is told of a transaction that does this, where every row is there. */
async function toldOf(work: (tx: Tx) => Promise<unknown>): Promise<string[]> {
  const told: string[] = []
  const door = new Proxy({}, { get: () => async () => ({}) })
  const tx = new Proxy({} as Tx, { get: (_, name) => (name === 'now' ? 0 : door) })
  const store = { transaction: (inside: (tx: Tx) => Promise<unknown>) => inside(tx) } as unknown as Store
  await inLockOrder(store, (violation) => told.push(violation)).transaction(work)
  return told
}

test.each<[string, (tx: Tx) => Promise<unknown>, string[]]>([
  [
    'a key after the key ring',
    (tx) => tx.keyRing.lock().then(() => tx.keys.lock('key_1')),
    ['keys.lock: key is locked after key ring'],
  ],
  ['the key ring after a wallet', (tx) => tx.wallets.lock(APP).then(() => tx.keyRing.lock()), []],
  [
    'an attempt after an absence',
    (tx) => tx.absences.forget(PHONE).then(() => tx.attempts.noteReport({ issueId: 'i' } as never)),
    ['attempts.noteReport: attempt is locked after absence'],
  ],
  [
    'a wallet after an incident',
    (tx) => tx.traffic.lockIncident(APP, SEGMENT).then(() => tx.wallets.lock(APP)),
    ['wallets.lock: wallet is locked after incident'],
  ],
  ['an incident after the wallet of it', (tx) => tx.wallets.lock(APP).then(() => tx.traffic.lockIncidentById('i')), []],
  [
    'an app and a wallet that are asked for together, the wallet first',
    (tx) => Promise.all([tx.wallets.lock(APP), tx.apps.lock(APP)]),
    ['apps.lock: app is locked after wallet'],
  ],
  [
    'a wallet again',
    (tx) =>
      tx.wallets
        .lock(APP)
        .then(() => tx.audit.lockLast())
        .then(() => tx.wallets.lock(APP)),
    [],
  ],
])('tells of what is locked against the order: %s', async (_, work, told) => {
  expect(await toldOf(work)).toEqual(told)
})
