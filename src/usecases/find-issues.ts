/**
 * Finds issues and keys by whatever an operator has at hand: a phone number, the id of an issue, a carrier's id of a
 * message, a value of the metadata, a key. A number is looked up by its keyed hash, and each such look-up is in the audit log, without the number.
 */

import type { StoredKey } from '../domain/access/api-key'
import type { App } from '../domain/access/app'
import type { Numbering } from '../domain/phone/phone'
import { Refusal } from '../domain/shared/error'
import { isUuid, MODES } from '../domain/shared/value'
import type { Stored } from '../domain/verification/verification'
import type { Clock } from '../ports/clock'
import type { Store } from '../ports/store'
import { findAnywhere } from './inspect'
import { seekPhone } from './shared/phone'
import { type AuditDependencies, writeAudit } from './shared/write-audit'

export interface FindDependencies extends AuditDependencies {
  store: Store
  numbering: Numbering
  clock: Pick<Clock, 'now'>
  mayFindPhones: boolean
  /** Whether the operator sees an app. */
  sees: (appId: string) => boolean
}

export interface Found {
  issues: Stored[]
  keys: StoredKey[]
  /** By id; removed ones included. */
  apps: ReadonlyMap<string, App>
}

const ISSUES_AT_MOST = 20
/** More, since some may be of apps that the operator does not see. */
const ISSUES_READ = 100
/** A shorter number belongs to no phone, and may be the end of a key. */
const DIGITS_AT_LEAST = 6

export async function findByText(deps: FindDependencies, text: string): Promise<Found> {
  const { store } = deps
  const known = (await store.read.apps.withRemoved()).filter(({ appId }) => deps.sees(appId))
  const apps = new Map(known.map((app) => [app.appId, app]))
  const hashes = hashesOf(deps, text, apps.values())
  const issues = hashes.length > 0 ? await findByPhone(deps, hashes) : []
  const named = isUuid(text) ? await findAnywhere(store, text.toLowerCase()) : await findByMessage(store, text)
  if (named && deps.sees(named.appId)) issues.push(named)
  const keys = await findKeys(store, text, apps.values())
  const isFound = issues.length > 0 || keys.length > 0
  // Metadata may have numbers, which only those may look for who may find phones.
  const mentioning =
    isFound || (isNumber(text) && !deps.mayFindPhones) ? [] : await findMentions(deps, text, apps.values())
  return { issues: [...issues, ...mentioning], keys, apps }
}

const isNumber = (text: string) => !/\p{L}/u.test(text) && (text.match(/\p{Nd}/gu)?.length ?? 0) >= DIGITS_AT_LEAST

/** Each looks at a bounded number of issues, the newest first, so that a search over all of them ends soon. */
const SEARCHES_AT_MOST = 12

/** Neither carriers' ids of messages nor metadata have an index: each code would pay for it. */
async function findMentions(
  { store, clock }: FindDependencies,
  mentioned: string,
  apps: Iterable<App>,
): Promise<Stored[]> {
  const found: Stored[] = []
  let searches = 0
  for (const { appId } of apps) {
    for (const mode of MODES) {
      let before: string | undefined
      do {
        if (searches++ === SEARCHES_AT_MOST) return found
        const filter = { mentioned, before, limit: ISSUES_AT_MOST - found.length }
        const { issues, next } = await store.lists.issues.search({ appId, mode }, filter, clock.now())
        found.push(...issues)
        if (found.length === ISSUES_AT_MOST) return found
        before = next
      } while (before !== undefined)
    }
  }
  return found
}

/** Apps read national formats of their own countries, so that a text may be several numbers. */
function hashesOf(
  { vault, numbering, mayFindPhones }: FindDependencies,
  text: string,
  apps: Iterable<App>,
): Uint8Array[] {
  if (!mayFindPhones || !isNumber(text)) return []
  const regions = new Set([numbering.region, ...[...apps].map(({ region }) => region ?? numbering.region)])
  const phones = [...regions].flatMap((region) => {
    try {
      return [seekPhone(vault, text, { ...numbering, region })]
    } catch (refusal) {
      if (refusal instanceof Refusal) return []
      throw refusal
    }
  })
  return [...new Map(phones.map(({ number, hashes }) => [number, hashes])).values()].flat()
}

async function findByPhone(deps: FindDependencies, hashes: readonly Uint8Array[]): Promise<Stored[]> {
  const found = await Promise.all(hashes.map((hash) => deps.store.read.issues.newestOfPhone(hash, ISSUES_READ)))
  const seen = found.flat().filter(({ appId }) => deps.sees(appId))
  const issues = seen.sort((one, other) => other.createdAt - one.createdAt)
  const newest = issues.slice(0, ISSUES_AT_MOST)
  await deps.store.transaction((tx) => writeAudit(deps, tx, 'issue.search_phone', '', { found: newest.length }))
  return newest
}

/** Only messages whose report is still awaited: those have an index by the carrier's id. */
async function findByMessage(store: Store, carrierMessageId: string): Promise<Stored | undefined> {
  const carriers = await store.read.carriers.all()
  const awaited = await store.transaction(async (tx) => {
    for (const { name } of carriers) {
      const found = await tx.reports.findByCarrier(name, carrierMessageId)
      if (found) return found
    }
    return undefined
  })
  return awaited && store.read.issues.stored(awaited, awaited.issueId)
}

async function findKeys(store: Store, text: string, apps: Iterable<App>): Promise<StoredKey[]> {
  const live = [...apps].filter(({ removedAt }) => removedAt === undefined)
  const keys = await Promise.all(live.map(({ appId }) => store.read.keys.ofApp(appId)))
  return keys.flat().filter(({ keyId, prefix, lastFour }) => {
    // A whole key, or as it is shown: its beginning and its end.
    const isShown = text.startsWith(prefix) && text.endsWith(lastFour)
    return isShown || [keyId, prefix, lastFour].includes(text)
  })
}
