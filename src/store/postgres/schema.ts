/** The tables of PostgreSQL, as Drizzle schema. */
import type { NotNull } from 'drizzle-orm'
import { bigint, boolean, customType, integer, type PgCustomColumnBuilder, pgTable, text } from 'drizzle-orm/pg-core'
import { isUuid } from '../../domain/shared/value'
import * as tables from '../tables'

/** A text that is not a UUID matches no row, where PostgreSQL would raise an error. */
const uuid = customType<{ data: string; driverData: string | null }>({
  dataType: () => 'uuid',
  toDriver: (value: string | null) => (value !== null && isUuid(value) ? value : null),
})

const json = customType<{ data: unknown; driverData: string | null }>(tables.JSON_CODEC)

/** Copied, because the driver's value is a view into a larger buffer. */
const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({
  dataType: () => 'bytea',
  fromDriver: (value) => new Uint8Array(value),
})

const BUILDERS = {
  ...{ text, integer, boolean, uuid, bytes, json },
  /** The driver answers it as text. */
  bigint: (name: string) => bigint(name, { mode: 'number' }),
}

interface PgColumnConfig<Data> {
  name: string
  dataType: 'custom'
  columnType: 'PgCustomColumn'
  data: Data
  driverParam: unknown
  enumValues: undefined
}

/** Types every column as a custom one: Drizzle's types need only its data and whether it may be NULL. */
type PgBuilder<F> =
  F extends tables.ColumnField<infer Data, infer IsNull>
    ? IsNull extends true
      ? PgCustomColumnBuilder<PgColumnConfig<Data>>
      : NotNull<PgCustomColumnBuilder<PgColumnConfig<Data>>>
    : never

const tableOf = <Name extends string, F extends tables.TableFields>(table: tables.Table<Name, F>) => {
  const columns = tables.columnsOf(table, (name, { kind, isNull }) =>
    isNull ? BUILDERS[kind](name) : BUILDERS[kind](name).notNull(),
  )
  return pgTable(table.name, columns as { [Property in keyof F]: PgBuilder<F[Property]> })
}

export const organizations = tableOf(tables.organizations)
export const apps = tableOf(tables.apps)
export const challenges = tableOf(tables.challenges)
export const relays = tableOf(tables.relays)
export const apiKeys = tableOf(tables.apiKeys)
export const templates = tableOf(tables.templates)
export const carriers = tableOf(tables.carriers)
export const carrierHealth = tableOf(tables.carrierHealth)
export const routes = tableOf(tables.routes)
export const wallets = tableOf(tables.wallets)
export const ledgerEntries = tableOf(tables.ledgerEntries)
export const issues = tableOf(tables.issues)
export const erasedIssues = tableOf(tables.erasedIssues)
export const erasures = tableOf(tables.erasures)
export const absentPhones = tableOf(tables.absentPhones)
export const trafficHours = tableOf(tables.trafficHours)
export const trafficSnapshots = tableOf(tables.trafficSnapshots)
export const decisions = tableOf(tables.decisions)
export const incidents = tableOf(tables.incidents)
export const notices = tableOf(tables.notices)
export const noticeWays = tableOf(tables.noticeWays)
export const noticeMessages = tableOf(tables.noticeMessages)
export const clockSteps = tableOf(tables.clockSteps)
export const failures = tableOf(tables.failures)
const leasedBy = tables.optional(tables.text)
export const jobs = tableOf({ ...tables.jobs, fields: { ...tables.jobs.fields, leasedBy } })
export const idempotencyRecords = tableOf(tables.idempotencyRecords)
export const outbox = tableOf(tables.outbox)
export const attempts = tableOf(tables.attempts)
export const awaitedReports = tableOf(tables.awaitedReports)
export const webhookEndpoints = tableOf(tables.webhookEndpoints)
export const webhookEvents = tableOf(tables.webhookEvents)
export const webhookDeliveries = tableOf(tables.webhookDeliveries)
export const webhookAttempts = tableOf(tables.webhookAttempts)
export const operators = tableOf(tables.operators)
export const operatorAddresses = tableOf(tables.operatorAddresses)
export const operatorSessions = tableOf(tables.operatorSessions)
export const invitations = tableOf(tables.invitations)
export const auditEntries = tableOf(tables.auditEntries)
export const usageIntervals = tableOf(tables.usageIntervals)
export const prices = tableOf(tables.prices)
export const reportTokens = tableOf(tables.reportTokens)
export const facts = tableOf(tables.facts)
export const keyRing = tableOf(tables.keyRing)

/** State that the servers of one database share while they run. */
export const settingsVersion = tableOf(tables.settingsVersion)
export const nodes = tableOf(tables.nodes)
