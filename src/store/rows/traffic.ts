/** Traffic of live codes by country, decisions of rules, and incidents. */

import type { Incident } from '../../abuse/rules/incident'
import type { Rule } from '../../abuse/rules/rule'
import { AGE_MS } from '../../abuse/rules/wish'
import type { KeyKind } from '../../domain/access/api-key'
import type { DeliveryStatus, VerificationStatus } from '../../domain/codes/issue'
import type { CountedIssues, Decision, IssueTrafficRow, SegmentHour, TrafficSnapshot } from '../../ports/store/traffic'
import type { Vault } from '../../ports/vault'
import type { Row } from '../tables'

/** Rules of earlier releases, by the one that does their work now. */
const RETIRED: Readonly<Record<string, Rule>> = {
  network_pending: 'network_unverified',
  network_countries: 'network_unverified',
  prefix_pending: 'prefix_unverified',
  country_paused: 'country_unverified',
  country_pending: 'country_unverified',
}
const ruleIn = (stored: string): Rule => RETIRED[stored] ?? (stored as Rule)

/** The columns of pauses are of earlier releases. */
type IncidentRow = Row<Incident> & { tellAt: number | null; tells: number; pausedUntil: number | null; pauses: number }

export const incidentOf = ({
  tellAt: _,
  tells: __,
  pausedUntil: ___,
  pauses: ____,
  ...row
}: IncidentRow): Incident => ({
  ...row,
  rules: [...new Set(row.rules.map(ruleIn))],
  endedAt: row.endedAt ?? undefined,
  refunded: row.refunded ?? undefined,
})

export const incidentRow = (incident: Incident): IncidentRow & { rules: Rule[] } => ({
  ...incident,
  tellAt: null,
  tells: 0,
  pausedUntil: null,
  pauses: 0,
  rules: [...incident.rules],
  endedAt: incident.endedAt ?? null,
  refunded: incident.refunded ?? null,
})

/** A position before the newest incident. */
export const BEFORE_ANY = { since: Number.MAX_SAFE_INTEGER, incidentId: '00000000-0000-0000-0000-000000000000' }

/** The columns of an incident that change. */
export const INCIDENT_CHANGING = ['lastAt', 'endedAt', 'isBlocked', 'refused', 'rules', 'cost', 'refunded'] as const

/**
 * Expects the columns in this order: id, kind, country, hashes of prefix, network and phone, created, verified,
 * delivery, price, messages, verification.
 */
export const seenIn = (row: readonly unknown[], issueId: string): IssueTrafficRow => ({
  issueId,
  keyKind: row[1] as KeyKind,
  country: (row[2] ?? undefined) as string | undefined,
  prefixHash: (row[3] ?? undefined) as Uint8Array | undefined,
  networkHash: (row[4] ?? undefined) as Uint8Array | undefined,
  phoneHash: row[5] as Uint8Array,
  createdAt: Number(row[6]),
  verifiedAt: row[7] === null ? undefined : Number(row[7]),
  deliveryStatus: row[8] as DeliveryStatus,
  price: Number(row[9]),
  messages: Number(row[10]),
  verificationStatus: row[11] as VerificationStatus,
})

/** The columns that `seenIn` reads. Only a code that may have gone several ways has its attempts counted. */
export const SEEN_COLUMNS = `issue_id, key_kind, country, prefix_hash, network_hash, phone_hash, created_at, verified_at, delivery_status, price,
  CASE WHEN legs IS NULL AND leg = channel THEN 1 ELSE (SELECT count(*) FROM attempts WHERE attempts.app_id = seen.app_id
    AND attempts.mode = seen.mode AND attempts.issue_id = seen.issue_id AND outcome IN ('accepted', 'ambiguous')) END AS messages, verification_status`

/** The primary key of `decisions` behind the app, in order; and the columns with its counts. */
export const DECISION_KEY = 'minute, key_kind, country, rule, refused, prefix_hash, network_hash'
export const DECISION_COLUMNS = `${DECISION_KEY}, times, credits`

export const decisionIn = (appId: string, row: readonly unknown[]): Decision => ({
  appId,
  minute: Number(row[0]),
  kind: row[1] as KeyKind,
  country: String(row[2]),
  rule: ruleIn(String(row[3])),
  isRefused: Boolean(row[4]),
  prefixHash: row[5] as Uint8Array,
  networkHash: row[6] as Uint8Array,
  times: Number(row[7]),
  credits: Number(row[8]),
})

/** The same for `traffic_hours`. */
export const HOUR_KEY = 'hour, key_kind, country'
export const HOUR_COLUMNS = `${HOUR_KEY}, sent, credits, verified, unverified`

export const hourIn = (row: readonly unknown[]): SegmentHour => ({
  hour: Number(row[0]),
  kind: row[1] as KeyKind,
  country: String(row[2]),
  sent: Number(row[3]),
  credits: Number(row[4]),
  verified: Number(row[5]),
  unverified: Number(row[6]),
})

/** Name of the fact with the time up to which the networks of requests were deleted: Unix milliseconds, as text. */
export const NETWORKS_FORGOTTEN = 'networks_forgotten'

interface SnapshotRow {
  appId: string
  madeAt: number
  sealed: Uint8Array
}

export const snapshotSeal = (appId: string) => `traffic:${appId}`

export const snapshotRow = (vault: Vault, { appId, madeAt, state }: TrafficSnapshot): SnapshotRow => ({
  ...{ appId, madeAt },
  sealed: vault.seal(snapshotSeal(appId), state),
})

/** A snapshot only saves reading the issues, so one that cannot be decrypted counts as missing. */
export function snapshotOf(vault: Vault, { appId, madeAt, sealed }: SnapshotRow): TrafficSnapshot | undefined {
  try {
    return { appId, madeAt, state: vault.open(snapshotSeal(appId), sealed) }
  } catch {
    return undefined
  }
}

/** SQL conditions by which issues are selected. */
export const SEEN_WHERE: Readonly<Record<CountedIssues, string>> = {
  all: 'true',
  verified: 'verified_at IS NOT NULL',
  late: `verified_at >= created_at + ${AGE_MS.judged}`,
}
