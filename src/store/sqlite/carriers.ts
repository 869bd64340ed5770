/** Carriers and routes; and how carriers are. */
import type { Database } from 'bun:sqlite'
import { and, eq, sql } from 'drizzle-orm'
import type { CarrierConfig, Health } from '../../domain/carrier'
import type { Reader, Tx } from '../../ports/store'
import type { Vault } from '../../ports/vault'
import type { Current } from './current'
import { drizzle } from './drizzle'
import { carrierHealth, carriers, routes } from './schema'
import { bind, onFirstUse, parameters } from './statement'

const carrierOf = (vault: Vault, row: typeof carriers.$inferSelect): CarrierConfig => ({
  ...row,
  config: JSON.parse(vault.open(`provider:${row.name}`, row.config)),
  concurrency: row.concurrency ?? undefined,
  timeoutMs: row.timeoutMs ?? undefined,
})

const thisCarrier = eq(carriers.name, bind(carriers.name, 'name'))

export function createCarrierTx(connection: Database, vault: Vault, current: Current): Pick<Tx, 'carriers' | 'routes'> {
  const db = drizzle(connection)
  const run = {
    findCarrier: onFirstUse(() => db.select().from(carriers).where(thisCarrier).prepare()),
    upsertCarrier: onFirstUse(() =>
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
    deleteCarrier: onFirstUse(() =>
      db.delete(carriers).where(thisCarrier).returning({ name: carriers.name }).prepare(),
    ),
    upsertHealth: onFirstUse(() =>
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
    deleteHealth: onFirstUse(() =>
      db
        .delete(carrierHealth)
        .where(eq(carrierHealth.carrier, bind(carrierHealth.carrier, 'carrier')))
        .prepare(),
    ),
    deleteAllHealth: onFirstUse(() => db.delete(carrierHealth).prepare()),

    upsertRoute: onFirstUse(() =>
      db
        .insert(routes)
        .values(parameters(routes))
        .onConflictDoUpdate({
          target: [routes.channel, routes.country, routes.appId],
          set: { carriers: sql`excluded.providers` },
        })
        .prepare(),
    ),
    deleteRoute: onFirstUse(() =>
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

  return {
    carriers: {
      async lock(name) {
        const row = run.findCarrier.get({ name })
        return row && carrierOf(vault, row)
      },
      async save(carrier) {
        const config = vault.seal(`provider:${carrier.name}`, JSON.stringify(carrier.config))
        const { concurrency = null, timeoutMs = null } = carrier
        run.upsertCarrier.run({ ...carrier, config, concurrency, timeoutMs, changedAt: current.now })
        run.deleteHealth.run({ carrier: carrier.name })
        current.settingsChanged()
      },
      async remove(name) {
        run.deleteHealth.run({ carrier: name })
        current.settingsChanged()
        return run.deleteCarrier.all({ name }).length > 0
      },
      async saveHealth(carrier, { isHealthy, since, code = null, retryAt = null }) {
        run.upsertHealth.run({ carrier, isHealthy, since, code, retryAt })
      },
      async forgetHealth() {
        run.deleteAllHealth.run()
      },
    },
    routes: {
      async save({ channel, country = '', appId = '', carriers }) {
        run.upsertRoute.run({ channel, country, appId, carriers })
        current.settingsChanged()
      },
      async remove({ channel, country = '', appId = '' }) {
        current.settingsChanged()
        return run.deleteRoute.all({ channel, country, appId }).length > 0
      },
    },
  }
}

export function createCarrierReader(connection: Database, vault: Vault): Pick<Reader, 'carriers' | 'routes'> {
  const db = drizzle(connection)
  const allCarriers = onFirstUse(() => db.select().from(carriers).orderBy(carriers.createdAt, carriers.name).prepare())
  const allRoutes = onFirstUse(() =>
    db.select().from(routes).orderBy(routes.channel, routes.appId, routes.country).prepare(),
  )
  const allHealth = onFirstUse(() => db.select().from(carrierHealth).prepare())

  return {
    carriers: {
      async all() {
        return allCarriers.all().map((row) => carrierOf(vault, row))
      },
      async health() {
        return new Map(
          allHealth
            .all()
            .map(({ carrier, isHealthy, since, code, retryAt }): [string, Health] => [
              carrier,
              { isHealthy, since, code: code ?? undefined, retryAt: retryAt ?? undefined },
            ]),
        )
      },
    },
    routes: {
      async all() {
        return allRoutes.all().map(({ country, appId, ...route }) => ({
          ...route,
          country: country || undefined,
          appId: appId || undefined,
        }))
      },
    },
  }
}
