/** Carriers, their health, and routes. */
import type { Database } from 'bun:sqlite'
import { and, eq, like, sql } from 'drizzle-orm'
import type { Reader, Tx } from '../../ports/store'
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
import { bind, changes, db, on, parameters, statement } from './connection/statement'
import type { TransactionState } from './connection/transaction-state'
import { carrierHealth, carriers, facts, routes } from './schema'

const thisFact = eq(facts.name, bind(facts.name, 'name'))
const thisCarrier = eq(carriers.name, bind(carriers.name, 'name'))

const CARRIER_TX = {
  findCarrier: statement(() => db.select().from(carriers).where(thisCarrier).prepare()),
  upsertCarrier: statement(() =>
    db
      .insert(carriers)
      .values(parameters(carriers))
      .onConflictDoUpdate({
        target: carriers.name,
        set: {
          type: sql`excluded.type`,
          channels: sql`excluded.channels`,
          config: sql`excluded.config`,
          concurrency: sql`excluded.concurrency`,
          timeoutMs: sql`excluded.timeout_ms`,
          changedAt: sql`excluded.changed_at`,
        },
      })
      .prepare(),
  ),
  updateCarrier: statement(() =>
    db
      .update(carriers)
      .set(changes(carriers, ['config', 'pausedAt']))
      .where(thisCarrier)
      .prepare(),
  ),
  deleteCarrier: statement(() => db.delete(carriers).where(thisCarrier).returning({ name: carriers.name }).prepare()),
  findReports: statement(() => db.select().from(facts).where(thisFact).prepare()),
  saveReports: statement(() =>
    db
      .insert(facts)
      .values(parameters(facts))
      .onConflictDoUpdate({ target: facts.name, set: { value: sql`excluded.value` } })
      .prepare(),
  ),
  deleteReports: statement(() => db.delete(facts).where(thisFact).prepare()),
  upsertHealth: statement(() =>
    db
      .insert(carrierHealth)
      .values(parameters(carrierHealth))
      .onConflictDoUpdate({
        target: carrierHealth.carrier,
        set: {
          isHealthy: sql`excluded.is_healthy`,
          since: sql`excluded.since`,
          code: sql`excluded.code`,
          retryAt: sql`excluded.retry_at`,
        },
      })
      .prepare(),
  ),
  deleteHealth: statement(() =>
    db
      .delete(carrierHealth)
      .where(eq(carrierHealth.carrier, bind(carrierHealth.carrier, 'carrier')))
      .prepare(),
  ),
  // Without a condition SQLite truncates even an empty table, so each start would wait for the disk.
  deleteAllHealth: statement(() => db.delete(carrierHealth).where(sql`true`).prepare()),

  upsertRoute: statement(() =>
    db
      .insert(routes)
      .values(parameters(routes))
      .onConflictDoUpdate({
        target: [routes.channel, routes.country, routes.appId],
        set: { carriers: sql`excluded.providers` },
      })
      .prepare(),
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
      .prepare(),
  ),
}

export function createCarrierTx(
  connection: Database,
  vault: Vault,
  current: TransactionState,
): Pick<Tx, 'carriers' | 'routes'> {
  const run = on(connection, CARRIER_TX)

  return {
    carriers: {
      async lock(name) {
        const row = run.findCarrier.get({ name })
        return row && carrierOf(vault, row)
      },
      async save(carrier) {
        run.upsertCarrier.run({ ...carrierRow(vault, carrier, current.now) })
        run.deleteHealth.run({ carrier: carrier.name })
        run.deleteReports.run({ name: reportsFact(carrier.name) })
        current.settingsChanged()
      },
      async update(carrier) {
        run.updateCarrier.run({ ...carrierRow(vault, carrier, current.now) })
        current.settingsChanged()
      },
      async remove(name) {
        run.deleteHealth.run({ carrier: name })
        run.deleteReports.run({ name: reportsFact(name) })
        current.settingsChanged()
        return run.deleteCarrier.all({ name }).length > 0
      },
      async saveHealth(carrier, health) {
        run.upsertHealth.run({ ...healthRow(carrier, health) })
      },
      async forgetHealth() {
        run.deleteAllHealth.run()
      },
      async lockReports(carrier) {
        const row = run.findReports.get({ name: reportsFact(carrier) })
        return row && reportsIn(row)
      },
      async saveReports(carrier, tally) {
        run.saveReports.run(reportsRow(carrier, tally))
      },
    },
    routes: {
      async save(route) {
        run.upsertRoute.run({ ...routeKey(route), carriers: route.carriers })
        current.settingsChanged()
      },
      async remove(route) {
        current.settingsChanged()
        return run.deleteRoute.all(routeKey(route)).length > 0
      },
    },
  }
}

const CARRIER_READER = {
  allCarriers: statement(() => db.select().from(carriers).orderBy(carriers.createdAt, carriers.name).prepare()),
  allRoutes: statement(() => db.select().from(routes).orderBy(routes.channel, routes.appId, routes.country).prepare()),
  allHealth: statement(() => db.select().from(carrierHealth).prepare()),
  allReports: statement(() =>
    db
      .select()
      .from(facts)
      .where(like(facts.name, `${REPORTS_OF}%`))
      .prepare(),
  ),
}

export function createCarrierReader(connection: Database, vault: Vault): Pick<Reader, 'carriers' | 'routes'> {
  const { allCarriers, allRoutes, allHealth, allReports } = on(connection, CARRIER_READER)

  return {
    carriers: {
      async all() {
        return allCarriers.all().map((row) => carrierOf(vault, row))
      },
      async health() {
        return new Map(allHealth.all().map((row) => [row.carrier, healthOf(row)]))
      },
      async reports() {
        return new Map(allReports.all().map((row) => [row.name.slice(REPORTS_OF.length), reportsIn(row)]))
      },
    },
    routes: {
      async all() {
        return allRoutes.all().map(routeOf)
      },
    },
  }
}
