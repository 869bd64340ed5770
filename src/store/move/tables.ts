/** What is moved: every table that both kinds of database have. The others hold what servers share while they run. */
import { getTableColumns, getTableName } from 'drizzle-orm'
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core'
import { MIGRATIONS_FACT } from '../migrations'
import { MOVED_FROM, MOVED_TO } from '../moved'
import * as postgres from '../postgres/schema'
import * as sqlite from '../sqlite/schema'

export interface Column {
  name: string
  /** In PostgreSQL's words, which say more. */
  type: 'text' | 'integer' | 'bigint' | 'boolean' | 'bytea' | 'uuid'
}

export interface Table {
  name: string
  columns: readonly Column[]
  /** A condition: not every row belongs to what is moved. */
  only?: string
}

/** In an order in which no row refers to one that is not there yet. */
const ORDER: readonly PgTable[] = [
  ...[postgres.organizations, postgres.apps, postgres.challenges, postgres.apiKeys, postgres.templates],
  ...[postgres.carriers, postgres.carrierHealth, postgres.routes],
  ...[postgres.wallets, postgres.ledgerEntries, postgres.erasures],
  ...[
    postgres.issues,
    postgres.erasedIssues,
    postgres.failures,
    postgres.claims,
    postgres.outbox,
    postgres.attempts,
    postgres.awaitedReports,
    postgres.jobs,
  ],
  ...[postgres.webhookEndpoints, postgres.webhookEvents, postgres.webhookDeliveries, postgres.webhookAttempts],
  ...[postgres.operators, postgres.operatorAddresses, postgres.operatorSessions, postgres.invitations],
  ...[postgres.trafficHours, postgres.trafficSnapshots, postgres.decisions, postgres.incidents],
  ...[postgres.auditEntries, postgres.usageHours, postgres.clockSteps, postgres.keyRing, postgres.facts],
]

/** Some are PostgreSQL's only. */
const COLUMNS_OF_BOTH: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.values(sqlite).map((table) => [
    getTableName(table),
    new Set(Object.values(getTableColumns(table)).map(({ name }) => name)),
  ]),
)

/** Each database has these for itself; `room` is what the check of the disk writes. */
const OWN_FACTS = [MIGRATIONS_FACT, MOVED_TO, MOVED_FROM, 'room']

export const TABLES: readonly Table[] = ORDER.map((table) => {
  const name = getTableName(table)
  return {
    name,
    columns: getTableConfig(table)
      .columns.filter((column) => COLUMNS_OF_BOTH.get(name)?.has(column.name))
      .map((column) => ({ name: column.name, type: column.getSQLType() as Column['type'] })),
    ...(table === postgres.facts && { only: `name NOT IN (${OWN_FACTS.map((fact) => `'${fact}'`).join(', ')})` }),
  }
})

/** Numbers that are given once only, by the column that has them. */
export const COUNTED = { jobs: 'job_id', claims: 'claim_id', webhook_deliveries: 'seq' } as const
