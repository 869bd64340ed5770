/**
 * Erase what belongs to one phone. In small steps: others have their turn between them, and one that is killed goes on
 * with the next sweep. Decisions: "Erasing a phone".
 */

import { protectionOf } from '../abuse/rules/protection'
import type { App } from '../domain/access/app'
import { ERASED_KEPT_MS, type Erasure, erased, erasureLine, isCounted, readErasure } from '../domain/operations/erasure'
import type { Numbering } from '../domain/phone/phone'
import { DAY_MS, MINUTE_MS, type Owner } from '../domain/shared/value'
import type { Stored } from '../domain/verification/verification'
import type { Clock } from '../ports/clock'
import type { ErasedFile } from '../ports/files'
import type { Store, Tx } from '../ports/store'
import { existingApp } from './administer/shared'
import { type PhoneSought, seekPhone, shownHash } from './shared/phone'
import { type SaveDependencies, saveChange } from './shared/save-change'
import { type AuditDependencies, writeAudit } from './shared/write-audit'

export interface ErasureDependencies extends AuditDependencies, SaveDependencies {
  store: Store
  /** Where there is one, phones that were erased are also noted there: it does not go with a database that is replaced. */
  erasedFile?: ErasedFile | undefined
}

/** Counts of an erasure. */
export interface Erased {
  /** Issues that are gone, or of which nothing is left but what is counted. */
  issues: number
  /** Those that are still counted or charged. They go within days. */
  counted: number
  /** Events of webhooks. */
  events: number
  /** Whether nothing of them is left in a write-ahead log of the database. */
  isLogEmptied: boolean
}

const NOTHING: Erased = { issues: 0, counted: 0, events: 0, isLogEmptied: true }

const sum = (one: Erased, other: Erased): Erased => ({
  issues: one.issues + other.issues,
  counted: one.counted + other.counted,
  events: one.events + other.events,
  isLogEmptied: one.isLogEmptied && other.isLogEmptied,
})

/** Erases the phone at one app, or at all apps, removed ones included. Throws `invalid` or `not_found`. */
export async function erasePhone(
  deps: ErasureDependencies & { numbering: Numbering },
  { phoneNumber, appId }: { phoneNumber: string; appId?: string | undefined },
): Promise<Erased & { number: string }> {
  const { store } = deps
  const app = appId === undefined ? undefined : await existingApp(deps, appId)
  const { region = deps.numbering.region } = app ?? {}
  const phone = seekPhone(deps.vault, phoneNumber, { ...deps.numbering, region })
  const apps = app ? [app] : await store.read.apps.all()
  const erasures = await store.transaction(async (tx) => {
    await trustNoMore(tx, phone, apps)
    await writeAudit(deps, tx, 'privacy.erase', appId ?? '', { phone: shownHash(phone.hashes) })
    const begun = phone.hashes.map((phoneHash) => ({ phoneHash, appId, erasedAt: tx.now, doneAt: undefined }))
    for (const erasure of begun) await tx.erasures.begin(erasure)
    return begun
  })
  deps.erasedFile?.add(erasures.map(erasureLine))
  return { number: phone.number, ...(await carryOut(deps, erasures)) }
}

/** Trusted phones and review numbers are stored by the same hash. */
async function trustNoMore(tx: Tx, { hashes }: PhoneSought, apps: readonly App[]): Promise<void> {
  const sought = new Set(hashes.map((hash) => Buffer.from(hash).toString('hex')))
  const isSought = (phone: string) => sought.has(phone)
  const knows = (app: App) =>
    protectionOf(app).trusted.phones.some(isSought) || app.reviewNumbers?.some(({ phoneHash }) => isSought(phoneHash))
  for (const { appId } of apps.filter(knows)) {
    const app = await tx.apps.lock(appId)
    if (!app) continue
    const protection = protectionOf(app)
    const phones = protection.trusted.phones.filter((phone) => !isSought(phone))
    const reviewNumbers = app.reviewNumbers?.filter(({ phoneHash }) => !isSought(phoneHash))
    const trusting = { ...protection, trusted: { ...protection.trusted, phones } }
    await tx.apps.save({
      ...app,
      protection: trusting,
      reviewNumbers: reviewNumbers?.length ? reviewNumbers : undefined,
    })
  }
}

/** Found together, and changed together: what takes a few milliseconds each. */
const FOUND_AT_ONCE = 200
const CHANGED_AT_ONCE = 20

/** The erasures of one phone. */
async function carryOut(deps: ErasureDependencies, erasures: readonly Erasure[]): Promise<Erased> {
  const { store } = deps
  let erased = NOTHING
  for (const { phoneHash, appId, erasedAt } of erasures) {
    const apps = appId === undefined ? (await store.read.apps.withRemoved()).map((app) => app.appId) : [appId]
    for (const one of apps)
      for await (const found of issuesOf(store, one, phoneHash, erasedAt))
        erased = sum(erased, await store.transaction((tx) => eraseIssues(deps, tx, found)))
  }
  await store.transaction(async (tx) => {
    const finished = []
    for (const erasure of erasures) {
      finished.push(await tx.erasures.finish(erasure))
      await tx.absences.forget(erasure.phoneHash)
    }
    if (!finished.includes(true)) return
    const { issues, counted, events } = erased
    const phone = shownHash(erasures.map(({ phoneHash }) => phoneHash))
    await writeAudit(deps, tx, 'privacy.erased', erasures[0]?.appId ?? '', { phone, issues, counted, events })
  })
  return { ...erased, isLogEmptied: await store.truncateLog() }
}

/** Erases the issues of the phone that were made until then, a few at a time. */
async function* issuesOf(store: Store, appId: string, phoneHash: Uint8Array, until: number): AsyncIterable<Stored[]> {
  let after: string | undefined
  do {
    const { rows, next } = await store.read.phones.issues(appId, [phoneHash], { after, limit: FOUND_AT_ONCE })
    const found = rows.filter(({ createdAt, erasedAt }) => createdAt <= until && erasedAt === undefined)
    for (let from = 0; from < found.length; from += CHANGED_AT_ONCE) yield found.slice(from, from + CHANGED_AT_ONCE)
    after = next
  } while (after !== undefined)
}

type NamedIssue = Owner & { issueId: string }

/** Each as it is now, whatever has happened since it was found. */
async function lockAll(tx: Tx, named: readonly NamedIssue[]): Promise<Stored[]> {
  const issues = await Promise.all(named.map((one) => tx.issues.lock(one, one.issueId)))
  return issues.filter((issue) => issue !== undefined)
}

async function eraseIssues(deps: ErasureDependencies, tx: Tx, found: readonly NamedIssue[]): Promise<Erased> {
  const issues = (await lockAll(tx, found)).filter(({ erasedAt }) => erasedAt === undefined)
  const counted = issues.filter((issue) => isCounted(issue, tx.now))
  for (const issue of counted) await makeBare(deps, tx, issue)
  // All asked at once: one after the other each would be a journey to the database.
  const events = await Promise.all(issues.map(({ issueId }) => tx.erasures.forgetEvents(issueId)))
  for (const issue of issues) if (!counted.includes(issue)) await tx.erasures.remove(issue, deps.random.uuid(tx.now))
  const allEvents = events.reduce((all, some) => all + some, 0)
  return { ...NOTHING, issues: issues.length, counted: counted.length, events: allEvents }
}

/** A message that waits is not sent. One that is on its way is charged when its carrier has answered. */
async function makeBare(deps: ErasureDependencies, tx: Tx, issue: Stored): Promise<void> {
  const after = erased(issue, tx.now)
  await saveChange(deps, tx, issue, after)
  await tx.erasures.strip(after)
}

/** Somebody else is at it, as long as it is that young. */
const UNDER_WAY_MS = 10 * MINUTE_MS

/** Goes on with what was killed, and what a backup has brought back; `isAlone`: nobody else is at it. */
export async function eraseDue(
  deps: ErasureDependencies & { clock: Pick<Clock, 'now'>; isAlone?: boolean },
): Promise<Erased> {
  const { store, clock, isAlone = false } = deps
  const until = isAlone ? Number.POSITIVE_INFINITY : clock.now() - UNDER_WAY_MS
  let erased = NOTHING
  for (const erasure of await store.read.phones.erasures()) {
    if (erasure.doneAt !== undefined || erasure.erasedAt > until) continue
    erased = sum(erased, await carryOut(deps, [erasure]))
  }
  return erased
}

export interface RemovalDependencies extends ErasureDependencies {
  clock: Pick<Clock, 'now'>
  idempotencyDays: number
}

/**
 * Bare rows that nothing counts any more go, and with them the last that leads from the ledger to a phone; that they were
 * there is known for as long as their idempotency keys.
 */
export async function removeBare(deps: RemovalDependencies): Promise<void> {
  const { store, random, clock, idempotencyDays } = deps
  await store.transaction((tx) => tx.erasures.forgetRemoved(clock.now() - idempotencyDays * DAY_MS))
  let all = 0
  let removed: number
  do {
    removed = await store.transaction(async (tx) => {
      const bare = await tx.erasures.bare(clock.now() - ERASED_KEPT_MS, CHANGED_AT_ONCE)
      const over = (await lockAll(tx, bare)).filter((issue) => !isCounted(issue, tx.now))
      for (const issue of over) await tx.erasures.remove(issue, random.uuid(tx.now))
      return over.length
    })
    all += removed
  } while (removed === CHANGED_AT_ONCE)
  if (all > 0) await store.truncateLog()
}

type RememberedBy = Pick<ErasureDependencies, 'store' | 'erasedFile'>

export interface RememberedFor {
  clock: Pick<Clock, 'now'>
  liveRetentionDays: number
}

/** When the oldest issue was made that any app still keeps: nothing older comes back, whichever backup is put in place. */
async function oldestKept({ store, clock, liveRetentionDays }: { store: Store } & RememberedFor): Promise<number> {
  const apps = await store.read.apps.withRemoved()
  const days = Math.max(liveRetentionDays, ...apps.map(({ retentionDays = 0 }) => retentionDays))
  return clock.now() - days * DAY_MS
}

/** Database and file know the same: what either lacks it is told, and what is new to the database is erased again. */
export async function takeErasures(deps: RememberedBy & RememberedFor, lines: readonly string[]): Promise<number> {
  const { store, erasedFile } = deps
  const before = await oldestKept(deps)
  const known = await store.read.phones.erasures()
  const latest = new Map(known.map((erasure) => [nameOf(erasure), erasure.erasedAt]))
  const unknown = new Map<string, Omit<Erasure, 'doneAt'>>()
  for (const erasure of lines.map(readErasure)) {
    if (!erasure || erasure.erasedAt < before) continue
    const name = nameOf(erasure)
    if (erasure.erasedAt <= (latest.get(name) ?? -1)) continue
    latest.set(name, erasure.erasedAt)
    unknown.set(name, erasure)
  }
  if (unknown.size > 0)
    await store.transaction(async (tx) => {
      for (const erasure of unknown.values()) await tx.erasures.begin(erasure)
    })
  await keepFile(deps, erasedFile)
  return unknown.size
}

const nameOf = ({ phoneHash, appId = '' }: Pick<Erasure, 'phoneHash' | 'appId'>) =>
  `${Buffer.from(phoneHash).toString('hex')} ${appId}`

/** Phones that were erased are remembered for as long as a backup could bring them back. */
export async function forgetErasures(deps: RememberedBy & RememberedFor): Promise<void> {
  const before = await oldestKept(deps)
  const forgotten = await deps.store.transaction((tx) => tx.erasures.forget(before))
  if (forgotten > 0) await keepFile(deps, deps.erasedFile)
}

async function keepFile({ store }: { store: Store }, file: ErasedFile | undefined): Promise<void> {
  if (!file) return
  const lines = (await store.read.phones.erasures()).map(erasureLine)
  const written = file.read()
  if (lines.length !== written.length || lines.some((line) => !written.includes(line))) file.write(lines)
}
