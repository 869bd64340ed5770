/** Carriers, their health, and routes. */
import { and, eq, like, sql } from 'drizzle-orm'
import type { Tx } from '../../ports/store'
import type { CarrierReader, RouteReader } from '../../ports/store/apps'
import type { Vault } from '../../ports/vault'
import {
  carrierOf,
  carrierRow,
  healthOf,
  healthRow,
  REPORTS_OF,
  reportsFact,
  reportsIn,
  reportsRow,
  routeKey,
  routeOf,
} from '../rows/carrier'
import { bind, changes, db, parameters, statement } from './connection/statement'
import { lock, type Querying, type Transaction } from './connection/transaction'
import { carrierHealth, carriers, facts, routes } from './schema'
import { settingsChanged } from './settings'

const thisFact = eq(facts.name, bind(facts.name, 'name'))
const thisCarrier = eq(carriers.name, bind(carriers.name, 'name'))

const STATEMENTS = {
  find: statement(() => db.select().from(carriers).where(thisCarrier).prepare('')),
  upsert: statement(() =>
    db
      .insert(carriers)
      .values(parameters(carriers))
      .onConflictDoUpdate({
        target: carriers.name,
        set: {
          ...{ type: sql`excluded.type`, channels: sql`excluded.channels`, config: sql`excluded.config` },
          ...{ concurrency: sql`excluded.concurrency`, timeoutMs: sql`excluded.timeout_ms` },
          changedAt: sql`excluded.changed_at`,
        },
      })
      .prepare(''),
  ),
  update: statement(() =>
    db
      .update(carriers)
      .set(changes(carriers, ['config', 'pausedAt']))
      .where(thisCarrier)
      .prepare(''),
  ),
  remove: statement(() => db.delete(carriers).where(thisCarrier).returning({ name: carriers.name }).prepare('')),
  findReports: statement(() => db.select().from(facts).where(thisFact).prepare('')),
  saveReports: statement(() =>
    db
      .insert(facts)
      .values(parameters(facts))
      .onConflictDoUpdate({ target: facts.name, set: { value: sql`excluded.value` } })
      .prepare(''),
  ),
  deleteReports: statement(() => db.delete(facts).where(thisFact).prepare('')),
  upsertHealth: statement(() =>
    db
      .insert(carrierHealth)
      .values(parameters(carrierHealth))
      .onConflictDoUpdate({
        target: carrierHealth.carrier,
        set: {
          ...{ isHealthy: sql`excluded.is_healthy`, since: sql`excluded.since` },
          ...{ code: sql`excluded.code`, retryAt: sql`excluded.retry_at` },
        },
      })
      .prepare(''),
  ),
  deleteHealth: statement(() =>
    db
      .delete(carrierHealth)
      .where(eq(carrierHealth.carrier, bind(carrierHealth.carrier, 'carrier')))
      .prepare(''),
  ),
  forgetHealth: statement(() => db.delete(carrierHealth).prepare('')),
  upsertRoute: statement(() =>
    db
      .insert(routes)
      .values(parameters(routes))
      .onConflictDoUpdate({
        target: [routes.channel, routes.country, routes.appId],
        set: { carriers: sql`excluded.providers` },
      })
      .prepare(''),
  ),
  deleteRoute: statement(() =>
    db
      .delete(routes)
      .where(
        and(
          eq(routes.channel, bind(routes.channel, 'channel')),
          eq(routes.country, bind(routes.country, 'country')),
          eq(routes.appId, bind(routes.appId, 'appId')),
        ),
      )
      .returning({ channel: routes.channel })
      .prepare(''),
  ),
}

export function carrierTx(transaction: Transaction, vault: Vault): Tx['carriers'] {
  return {
    async lock(name) {
      lock(transaction, `carrier ${name}`)
      const row = await transaction.get(STATEMENTS.find, { name })
      return row && carrierOf(vault, row)
    },
    async save(carrier) {
      await transaction.opened()
      transaction.run(STATEMENTS.upsert, { ...carrierRow(vault, carrier, transaction.now) })
      transaction.run(STATEMENTS.deleteHealth, { carrier: carrier.name })
      transaction.run(STATEMENTS.deleteReports, { name: reportsFact(carrier.name) })
      settingsChanged(transaction)
    },
    async update(carrier) {
      await transaction.opened()
      transaction.run(STATEMENTS.update, { ...carrierRow(vault, carrier, transaction.now) })
      settingsChanged(transaction)
    },
    async remove(name) {
      lock(transaction, `carrier ${name}`)
      transaction.run(STATEMENTS.deleteHealth, { carrier: name })
      transaction.run(STATEMENTS.deleteReports, { name: reportsFact(name) })
      settingsChanged(transaction)
      return (await transaction.change(STATEMENTS.remove, { name })).length > 0
    },
    async saveHealth(carrier, health) {
      transaction.run(STATEMENTS.upsertHealth, { ...healthRow(carrier, health) })
    },
    async forgetHealth() {
      transaction.run(STATEMENTS.forgetHealth)
    },
    async lockReports(carrier) {
      lock(transaction, `reports ${carrier}`)
      const row = await transaction.get(STATEMENTS.findReports, { name: reportsFact(carrier) })
      return row && reportsIn(row)
    },
    async saveReports(carrier, tally) {
      transaction.run(STATEMENTS.saveReports, reportsRow(carrier, tally))
    },
  }
}

export function routeTx(transaction: Transaction): Tx['routes'] {
  return {
    async save(route) {
      transaction.run(STATEMENTS.upsertRoute, { ...routeKey(route), carriers: route.carriers })
      settingsChanged(transaction)
    },
    async remove(route) {
      settingsChanged(transaction)
      return (await transaction.change(STATEMENTS.deleteRoute, routeKey(route))).length > 0
    },
  }
}

const READS = {
  all: statement(() => db.select().from(carriers).orderBy(carriers.createdAt, carriers.name).prepare('')),
  health: statement(() => db.select().from(carrierHealth).prepare('')),
  reports: statement(() =>
    db
      .select()
      .from(facts)
      .where(like(facts.name, `${REPORTS_OF}%`))
      .prepare(''),
  ),
  routes: statement(() => db.select().from(routes).orderBy(routes.channel, routes.appId, routes.country).prepare('')),
}

export const carrierReader = (pool: Querying, vault: Vault): CarrierReader => ({
  all: async () => (await pool.all(READS.all)).map((row) => carrierOf(vault, row)),
  health: async () => new Map((await pool.all(READS.health)).map((row) => [row.carrier, healthOf(row)])),
  reports: async () =>
    new Map((await pool.all(READS.reports)).map((row) => [row.name.slice(REPORTS_OF.length), reportsIn(row)])),
})

export const routeReader = (pool: Querying): RouteReader => ({
  all: async () => (await pool.all(READS.routes)).map(routeOf),
})
