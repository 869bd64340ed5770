/** The tables that are moved: all that both kinds of database have. The others hold state of running servers. */
import { MIGRATIONS_FACT } from '../migrations'
import { MOVED_FROM, MOVED_TO } from '../moved'
import * as ours from '../tables'

export interface MovedColumn {
  name: string
  /** Type in PostgreSQL, which is more specific. */
  type: 'text' | 'integer' | 'bigint' | 'boolean' | 'bytea' | 'uuid'
}

export interface MovedTable {
  name: string
  columns: readonly MovedColumn[]
  /** SQL condition for the rows to move. */
  only?: string
}

const TYPES: Record<ours.ColumnKind, MovedColumn['type']> = {
  ...{ text: 'text', json: 'text', origin: 'text', integer: 'integer', bigint: 'bigint', boolean: 'boolean' },
  ...{ uuid: 'uuid', bytes: 'bytea' },
}

/** In the order of foreign keys. */
const ORDER = [
  ...[ours.organizations, ours.apps, ours.challenges, ours.relays, ours.apiKeys, ours.templates],
  ...[ours.carriers, ours.carrierHealth, ours.routes],
  ...[ours.wallets, ours.ledgerEntries, ours.erasures, ours.absentPhones],
  ...[ours.issues, ours.erasedIssues, ours.failures, ours.outbox, ours.attempts],
  ...[ours.jobs, ours.webhookEndpoints, ours.webhookEvents, ours.webhookDeliveries, ours.webhookAttempts],
  ...[ours.operators, ours.operatorAddresses, ours.operatorSessions, ours.invitations],
  ...[ours.trafficHours, ours.trafficSnapshots, ours.decisions, ours.incidents],
  ...[ours.notices, ours.noticeWays, ours.noticeMessages, ours.prices, ours.adminTokens, ours.adminRequests],
  ...[ours.auditEntries, ours.usageIntervals, ours.clockSteps, ours.keyRing, ours.facts],
]

/** Facts of each database that are not moved; `room` is written by the check of the disk. */
const OWN_FACTS = [MIGRATIONS_FACT, MOVED_TO, MOVED_FROM, 'room']

export const TABLES: readonly MovedTable[] = ORDER.map(({ name, fields }: ours.Table) => ({
  name,
  columns: Object.entries(fields).map(([property, field]) => ({
    name: ours.nameOf(property, field),
    type: TYPES[field.kind],
  })),
  ...(name === ours.facts.name && { only: `name NOT IN (${OWN_FACTS.map((fact) => `'${fact}'`).join(', ')})` }),
}))

/** Columns filled by a sequence, by table. */
export const SEQUENCES = { jobs: 'job_id', webhook_deliveries: 'seq' } as const
