/** Traffic of live codes by country, decisions of rules, and incidents. */

import type { Incident } from '../../abuse/rules/incident'
import type { Rule } from '../../abuse/rules/rule'
import { AGE_MS } from '../../abuse/rules/wish'
import type { CallerKind } from '../../domain/access/caller'
import type { DeliveryStatus } from '../../domain/message/message'
import type { VerificationStatus } from '../../domain/shared/addressed'
import type { CountedIssues, Decision, IssueTrafficRow, TrafficSnapshot } from '../../ports/store/traffic'
import type { Vault } from '../../ports/vault'

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
type IncidentRow = Incident & {
  tellAt: number | undefined
  tells: number
  pausedUntil: number | undefined
  pauses: number
}

export const incidentOf = ({
  tellAt: _,
  tells: __,
  pausedUntil: ___,
  pauses: ____,
  ...row
}: IncidentRow): Incident => ({
  ...row,
  rules: [...new Set(row.rules.map(ruleIn))],
})

export const incidentRow = (incident: Incident): IncidentRow & { rules: Rule[] } => ({
  ...incident,
  tellAt: undefined,
  tells: 0,
  pausedUntil: undefined,
  pauses: 0,
  rules: [...incident.rules],
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
  keyKind: row[1] as CallerKind,
  country: (row[2] ?? undefined) as string | undefined,
  prefixHash: (row[3] ?? undefined) as Uint8Array | undefined,
  networkHash: (row[4] ?? undefined) as Uint8Array | undefined,
  phoneHash: row[5] as Uint8Array,
  createdAt: Number(row[6]),
  verifiedAt: row[7] === null ? undefined : Number(row[7]),
  deliveryStatus: row[8] as DeliveryStatus,
  price: Number(row[9]),
  messages: Number(row[10]),
  verificationStatus: (row[11] ?? undefined) as VerificationStatus | undefined,
})

/** The columns that `seenIn` reads. Only a code that may have gone several ways has its attempts counted. */
export const SEEN_COLUMNS = `issue_id, key_kind, country, prefix_hash, network_hash, phone_hash, created_at, verified_at, delivery_status, price,
  CASE WHEN legs IS NULL AND leg = channel THEN 1 ELSE (SELECT count(*) FROM attempts WHERE attempts.app_id = seen.app_id
    AND attempts.mode = seen.mode AND attempts.issue_id = seen.issue_id AND outcome IN ('accepted', 'ambiguous')) END AS messages, verification_status`

/** The rule by its name of today. */
export const decisionOf = (row: Omit<Decision, 'rule'> & { rule: string }): Decision => ({
  ...row,
  rule: ruleIn(row.rule),
})

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
  all: 'delivery_status IS NOT NULL',
  verified: 'delivery_status IS NOT NULL AND verified_at IS NOT NULL',
  late: `delivery_status IS NOT NULL AND verified_at >= created_at + ${AGE_MS.judged}`,
}
