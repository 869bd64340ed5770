/**
 * Changes the master secret while servers run: the keys of the database are wrapped for both secrets, a new key seals, what is
 * sealed is sealed anew, and in the end the old secret opens nothing. Each step goes on where one
 * that was killed has ended. Decisions: "Changing the master secret".
 */

import { conditionOf, type NodeState } from '../domain/operations/node'
import { VERSION } from '../domain/operations/version'
import { Refusal } from '../domain/shared/error'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/shared/value'
import { type ProofSettings, publishedKeyNames } from '../domain/verification/proof'
import type { Clock } from '../ports/clock'
import type { Store } from '../ports/store'
import type { RenewalPlace } from '../ports/store/key-ring'
import type { RingRow, Vault } from '../ports/vault'
import { type AuditDependencies, writeAudit } from './shared/write-audit'

export interface RotationDependencies extends AuditDependencies {
  store: Store
  vault: Vault
  clock: Pick<Clock, 'now'>
  proofs: ProofSettings
  /** Until every server has heard of a change of settings. */
  heard: () => Promise<void>
}

/** Rows that are renewed together: nobody else waits long. */
const AT_ONCE = 200
/** Whoever keeps the published keys for an hour has the next one when it signs. */
const SIGNS_ON_MS = 2 * HOUR_MS
/** For a server whose time is a little off. */
const LATE_PROOFS_MS = 10 * MINUTE_MS
/** However long proofs were good for. */
const LONGEST_MS = SIGNS_ON_MS + DAY_MS + LATE_PROOFS_MS

const conflict = (message: string) => new Refusal('conflict', message)

/** From now on either secret opens the database. Throws `conflict`, also while a server of another release is at work. */
export async function beginRotation(deps: RotationDependencies, next: Uint8Array): Promise<void> {
  const { store, vault, proofs } = deps
  await assertOneRelease(deps)
  await store.transaction(async (tx) => {
    const rows = await tx.keyRing.lock()
    const { ring } = vault
    if (!ring.adopt(rows)) throw conflict('Somebody else has just changed the secret')
    if (isSame(ring.idOf(next), ring.secretId)) throw conflict('The new secret is the one of now')
    if (secretsOf(rows) > 1) {
      if (rows.some(({ secretId }) => isSame(secretId, ring.idOf(next)))) return
      throw conflict('The secret is just being changed to another one; finish that first')
    }
    const signsUntil = tx.now + SIGNS_ON_MS
    const former = {
      names: publishedKeyNames(tx.now),
      signsUntil,
      until: signsUntil + proofs.lifetimeMs + LATE_PROOFS_MS,
    }
    for (const row of rows) await tx.keyRing.drop(row)
    await tx.keyRing.add(ring.renewed(next, former, tx.now))
    await writeAudit(deps, tx, 'secret.rotate', 'secret')
  })
  await look(deps)
}

/** Whether a change has begun that is not finished. */
export const isUnderWay = (rows: readonly RingRow[]): boolean =>
  secretsOf(rows) > 1 || rows.some(({ begunAt }) => begunAt === undefined) || rootsOf(rows).size > 1

/** Begins the new key where it is not, and renews by it what is sealed by another one. Answers how many rows are left. */
export async function renewAll(deps: RotationDependencies): Promise<number> {
  const { store } = deps
  const waiting = (await store.read.keyRing.all()).find(({ begunAt }) => begunAt === undefined)
  if (waiting) {
    await deps.heard()
    await store.transaction(async (tx) => {
      await tx.keyRing.lock()
      await tx.keyRing.begin(waiting.name)
    })
    await look(deps)
    // Rows that other servers store by the old key until they have heard are renewed with the rest.
    await deps.heard()
  }
  let place: RenewalPlace | undefined
  do place = await store.transaction((tx) => tx.keyRing.renew(place, AT_ONCE))
  while (place)
  return store.read.keyRing.older()
}

/**
 * The old secret opens nothing from now on. Throws `conflict` for who has not the new one, while a server may run by the old
 * one, and where a row is left that somebody keeps locked.
 */
export async function finishRotation(deps: RotationDependencies): Promise<void> {
  const { store, vault } = deps
  if (!isUnderWay(await store.read.keyRing.all())) throw conflict('The secret is not just being changed')
  if (!vault.ring.isNewest) throw conflict('This is the old secret: finish with the new one')
  await assertRestarted(deps)
  if ((await renewAll(deps)) > 0) throw conflict('Somebody is changing the last rows; try again')
  await store.transaction(async (tx) => {
    const rows = await tx.keyRing.lock()
    for (const row of rows) if (isOver(row, vault, tx.now)) await tx.keyRing.drop(row)
    await writeAudit(deps, tx, 'secret.finish', 'secret')
  })
  await look(deps)
}

/** Keys that can go: of the old secret, without sealed data, or without proofs that are still valid. */
function isOver({ name, secretId, madeAt }: RingRow, { ring }: Vault, now: number): boolean {
  if (!isSame(secretId, ring.secretId)) return true
  if (name.startsWith('root ')) return name !== `root ${ring.generation}`
  return name.startsWith('signing ') && madeAt < now - LONGEST_MS
}

async function running({ store, clock }: RotationDependencies): Promise<NodeState[]> {
  return (await store.read.nodes()).filter((node) => conditionOf(node, clock.now()) !== 'silent')
}

/** An older one may not know that what it finds is under another key. */
async function assertOneRelease(deps: RotationDependencies): Promise<void> {
  const others = (await running(deps)).filter(({ version }) => version !== VERSION)
  if (others.length === 0) return
  const names = others.map(({ name, version }) => `${name} (${version})`).join(', ')
  throw conflict(`These servers are of another release than ${VERSION}: ${names}. Deploy one to all of them first`)
}

async function assertRestarted(deps: RotationDependencies): Promise<void> {
  const begunAt = Math.max(...(await deps.store.read.keyRing.all()).map((row) => row.begunAt ?? 0))
  const before = (await running(deps)).filter(({ startedAt }) => startedAt <= begunAt)
  if (before.length === 0) return
  const names = before.map(({ name }) => name).join(', ')
  throw conflict(`These servers were started before the secret was changed: ${names}. Restart them with the new one`)
}

/** This process knows at once what it has stored itself. */
async function look({ store, vault }: RotationDependencies): Promise<void> {
  vault.ring.adopt(await store.read.keyRing.all())
}

const secretsOf = (rows: readonly RingRow[]) =>
  new Set(rows.map(({ secretId }) => Buffer.from(secretId).toString('hex'))).size
const rootsOf = (rows: readonly RingRow[]) =>
  new Set(rows.map(({ name }) => name).filter((name) => name.startsWith('root ')))
const isSame = (one: Uint8Array, other: Uint8Array) => Buffer.from(one).equals(other)
