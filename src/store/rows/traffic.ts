/** What becomes of live codes, by where they go; incidents. */

import type { Incident } from '../../domain/incident'
import type { DeliveryStatus } from '../../domain/issue'
import type { KeyKind } from '../../domain/key'
import type { Rule } from '../../domain/rule'
import type { Decision, LaneHour, SeenIssue } from '../../ports/store/traffic'
import type { HashCover } from '../../ports/vault'
import { COVERED, HASH_KEY } from '../covered'
import type { Row } from './row'

export const incidentOf = (row: Row<Incident>): Incident => ({
  ...row,
  endedAt: row.endedAt ?? undefined,
  pausedUntil: row.pausedUntil ?? undefined,
  tellAt: row.tellAt ?? undefined,
  refunded: row.refunded ?? undefined,
})

export const incidentRow = (incident: Incident): Row<Incident> & { rules: Rule[] } => ({
  ...incident,
  rules: [...incident.rules],
  endedAt: incident.endedAt ?? null,
  pausedUntil: incident.pausedUntil ?? null,
  tellAt: incident.tellAt ?? null,
  refunded: incident.refunded ?? null,
})

/** No incident began later. */
export const BEFORE_ANY = { since: Number.MAX_SAFE_INTEGER, incidentId: '00000000-0000-0000-0000-000000000000' }

/** What may change of an incident. */
export const INCIDENT_CHANGING = [
  'lastAt',
  'endedAt',
  'isBlocked',
  'refused',
  'rules',
  'pausedUntil',
  'pauses',
  'cost',
  'tellAt',
  'tells',
  'refunded',
] as const

const { phone_hash: PHONE_BYTES, prefix_hash: PLACE_BYTES } = COVERED.issues.hashes

const plain = (stored: unknown, hashKey: unknown, bytes: number, cover: HashCover) =>
  cover.plain(stored as Uint8Array, Number(hashKey ?? 0), bytes)

/** Columns in this order: id, kind, hash of the phone, created, key of the hash. */
export const recentIn = (row: readonly unknown[], cover: HashCover) => ({
  keyKind: (row[1] ?? undefined) as KeyKind | undefined,
  phoneHash: plain(row[2], row[4], PHONE_BYTES, cover),
  createdAt: Number(row[3]),
})

/** Columns in this order: id, kind, country, hashes of prefix, network and phone, created, verified, delivery, price, key of the hashes. */
export const seenIn = (row: readonly unknown[], issueId: string, cover: HashCover): SeenIssue => ({
  issueId,
  keyKind: (row[1] ?? undefined) as KeyKind | undefined,
  country: (row[2] ?? undefined) as string | undefined,
  prefixHash: row[3] ? plain(row[3], row[10], PLACE_BYTES, cover) : undefined,
  networkHash: row[4] ? plain(row[4], row[10], PLACE_BYTES, cover) : undefined,
  phoneHash: plain(row[5], row[10], PHONE_BYTES, cover),
  createdAt: Number(row[6]),
  verifiedAt: row[7] === null ? undefined : Number(row[7]),
  deliveryStatus: row[8] as DeliveryStatus,
  price: Number(row[9]),
})

/** The columns of `decisions` by which they are told apart, in the order of the primary key; and those that are counted. */
export const DECISION_KEY = 'minute, key_kind, country, rule, refused, prefix_hash, network_hash'
export const DECISION_COLUMNS = `${DECISION_KEY}, times, credits, ${HASH_KEY}`

export const decisionIn = (appId: string, row: readonly unknown[], cover: HashCover): Decision => ({
  appId,
  minute: Number(row[0]),
  kind: row[1] as KeyKind,
  country: String(row[2]),
  rule: row[3] as Rule,
  isRefused: Boolean(row[4]),
  prefixHash: plain(row[5], row[9], PLACE_BYTES, cover),
  networkHash: plain(row[6], row[9], PLACE_BYTES, cover),
  times: Number(row[7]),
  credits: Number(row[8]),
})

/** The same of `traffic_hours`. */
export const HOUR_KEY = 'hour, key_kind, country'
export const HOUR_COLUMNS = `${HOUR_KEY}, sent, credits, verified, unverified`

export const hourIn = (row: readonly unknown[]): LaneHour => ({
  hour: Number(row[0]),
  kind: row[1] as KeyKind,
  country: String(row[2]),
  sent: Number(row[3]),
  credits: Number(row[4]),
  verified: Number(row[5]),
  unverified: Number(row[6]),
})

/** The fact that says up to when it is forgotten from which networks codes were asked: Unix milliseconds, as text. */
export const NETWORKS_FORGOTTEN = 'networks_forgotten'
