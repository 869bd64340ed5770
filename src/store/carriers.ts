/** Carriers, their health, and routes. */
import { like, sql } from 'drizzle-orm'
import type { CarrierReader, CarrierTx, RouteReader, RouteTx } from '../ports/store/apps'
import type { Vault } from '../ports/vault'
import { inDialect } from './dialect'
import { readFact, removeFact, saveFact } from './facts'
import { carrierOf, carrierRow, healthOf, REPORTS_OF, reportsFact, reportsIn, routeKey, routeOf } from './rows/carrier'
import type { Querying, Session } from './session'
import { statement } from './statement'

const STATEMENTS = inDialect(({ db, tables: { carrierHealth, carriers, facts, routes }, ...its }) => {
  const { match, changes, parameters, excluded } = its
  const thisCarrier = match(carriers, 'name')
  return {
    find: statement(() => db.select().from(carriers).where(thisCarrier)),
    all: statement(() => db.select().from(carriers).orderBy(carriers.createdAt, carriers.name)),
    upsert: statement(() =>
      db
        .insert(carriers)
        .values(parameters(carriers))
        .onConflictDoUpdate({
          target: carriers.name,
          set: excluded(carriers, ['type', 'channels', 'config', 'concurrency', 'timeoutMs', 'changedAt']),
        }),
    ),
    update: statement(() =>
      db
        .update(carriers)
        .set(changes(carriers, ['config', 'pausedAt']))
        .where(thisCarrier),
    ),
    remove: statement(() => db.delete(carriers).where(thisCarrier)),
    allReports: statement(() =>
      db
        .select()
        .from(facts)
        .where(like(facts.name, `${REPORTS_OF}%`)),
    ),
    health: statement(() => db.select().from(carrierHealth)),
    upsertHealth: statement(() =>
      db
        .insert(carrierHealth)
        .values(parameters(carrierHealth))
        .onConflictDoUpdate({
          target: carrierHealth.carrier,
          set: excluded(carrierHealth, ['isHealthy', 'since', 'code', 'retryAt']),
        }),
    ),
    deleteHealth: statement(() => db.delete(carrierHealth).where(match(carrierHealth, 'carrier'))),
    // Without a condition SQLite truncates even an empty table, so each start would wait for the disk.
    forgetHealth: statement(() => db.delete(carrierHealth).where(sql`true`)),
    routes: statement(() => db.select().from(routes).orderBy(routes.channel, routes.appId, routes.country)),
    upsertRoute: statement(() =>
      db
        .insert(routes)
        .values(parameters(routes))
        .onConflictDoUpdate({
          target: [routes.channel, routes.country, routes.appId],
          set: excluded(routes, ['carriers']),
        }),
    ),
    deleteRoute: statement(() => db.delete(routes).where(match(routes, 'channel', 'country', 'appId'))),
  }
})

export function carrierTx(tx: Session, vault: Vault): CarrierTx {
  const its = STATEMENTS(tx)
  const forget = (name: string) => {
    tx.run(its.deleteHealth, { carrier: name })
    removeFact(tx, reportsFact(name))
    tx.settingsChanged()
  }
  return {
    async lock(name) {
      tx.lock(`carrier ${name}`)
      const row = await tx.get(its.find, { name })
      return row && carrierOf(vault, row)
    },
    async save(carrier) {
      await tx.opened()
      tx.run(its.upsert, carrierRow(vault, carrier, tx.now))
      forget(carrier.name)
    },
    async update(carrier) {
      await tx.opened()
      tx.run(its.update, carrierRow(vault, carrier, tx.now))
      tx.settingsChanged()
    },
    async remove(name) {
      tx.lock(`carrier ${name}`)
      forget(name)
      return (await tx.change(its.remove, { name })) > 0
    },
    saveHealth: async (carrier, health) => tx.run(its.upsertHealth, { carrier, ...health }),
    forgetHealth: async () => tx.run(its.forgetHealth),
    async lockReports(carrier) {
      tx.lock(`reports ${carrier}`)
      const tally = await readFact(tx, reportsFact(carrier))
      return tally === undefined ? undefined : JSON.parse(tally)
    },
    async saveReports(carrier, tally) {
      saveFact(tx, reportsFact(carrier), JSON.stringify(tally))
    },
  }
}

export function carrierReader(reads: Querying, vault: Vault): CarrierReader {
  const its = STATEMENTS(reads)
  return {
    all: async () => (await reads.all(its.all)).map((row) => carrierOf(vault, row)),
    health: async () => new Map((await reads.all(its.health)).map((row) => [row.carrier, healthOf(row)])),
    reports: async () =>
      new Map((await reads.all(its.allReports)).map((row) => [row.name.slice(REPORTS_OF.length), reportsIn(row)])),
  }
}

export function routeTx(tx: Session): RouteTx {
  const its = STATEMENTS(tx)
  return {
    async save(route) {
      tx.run(its.upsertRoute, { ...routeKey(route), carriers: route.carriers })
      tx.settingsChanged()
    },
    async remove(route) {
      tx.settingsChanged()
      return (await tx.change(its.deleteRoute, routeKey(route))) > 0
    },
  }
}

export const routeReader = (reads: Querying): RouteReader => ({
  all: async () => (await reads.all(STATEMENTS(reads).routes)).map(routeOf),
})
