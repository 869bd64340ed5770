/**
 * Finds issues and keys by whatever an operator has at hand: a phone number, the id of an issue, a carrier's id of a
 * message, a key. A number is looked up by its keyed hash, and each such look-up is in the audit log, without the number.
 */

import type { StoredKey } from '../domain/access/api-key'
import type { App } from '../domain/access/app'
import type { Issue } from '../domain/codes/issue'
import type { Numbering } from '../domain/phone/phone'
import { Refusal } from '../domain/shared/error'
import { isUuid } from '../domain/shared/value'
import type { Store } from '../ports/store'
import { findAnywhere } from './inspect'
import { seekPhone } from './shared/phone'
import { type AuditDependencies, writeAudit } from './shared/write-audit'

export interface FindDependencies extends AuditDependencies {
  store: Store
  numbering: Numbering
  mayFindPhones: boolean
  /** Whether the operator sees an app. */
  sees: (appId: string) => boolean
}

export interface Found {
  issues: Issue[]
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
  return {
    issues: named && deps.sees(named.appId) ? [...issues, named] : issues,
    keys: await findKeys(store, text, apps.values()),
    apps,
  }
}

/** Apps read national formats of their own countries, so that a text may be several numbers. */
function hashesOf(
  { vault, numbering, mayFindPhones }: FindDependencies,
  text: string,
  apps: Iterable<App>,
): Uint8Array[] {
  if (!mayFindPhones) return []
  if (/\p{L}/u.test(text) || (text.match(/\p{Nd}/gu)?.length ?? 0) < DIGITS_AT_LEAST) return []
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

async function findByPhone(deps: FindDependencies, hashes: readonly Uint8Array[]): Promise<Issue[]> {
  const found = await Promise.all(hashes.map((hash) => deps.store.read.issues.newestOfPhone(hash, ISSUES_READ)))
  const seen = found.flat().filter(({ appId }) => deps.sees(appId))
  const issues = seen.sort((one, other) => other.createdAt - one.createdAt)
  const newest = issues.slice(0, ISSUES_AT_MOST)
  await deps.store.transaction((tx) => writeAudit(deps, tx, 'issue.search_phone', '', { found: newest.length }))
  return newest
}

/** Only messages whose report is still awaited: those have an index by the carrier's id. */
async function findByMessage(store: Store, carrierMessageId: string): Promise<Issue | undefined> {
  const carriers = await store.read.carriers.all()
  const awaited = await store.transaction(async (tx) => {
    for (const { name } of carriers) {
      const found = await tx.reports.findByCarrier(name, carrierMessageId)
      if (found) return found
    }
    return undefined
  })
  return awaited && store.read.issues.find(awaited, awaited.issueId)
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
