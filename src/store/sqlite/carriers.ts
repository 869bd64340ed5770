/** Carriers and routes; and how carriers are. */
import type { Database } from 'bun:sqlite'
import { and, eq, sql } from 'drizzle-orm'
import type { CarrierConfig, Health } from '../../domain/carrier'
import type { Reader, Tx } from '../../ports/store'
import type { Vault } from '../../ports/vault'
import type { Current } from './current'
import { drizzle } from './drizzle'
import { providerHealth, providers, routes } from './schema'
import { bind, onFirstUse, parameters } from './statement'

const carrierOf = (vault: Vault, row: typeof providers.$inferSelect): CarrierConfig => ({
  ...row,
  config: JSON.parse(vault.open(`provider:${row.name}`, row.config)),
  concurrency: row.concurrency ?? undefined,
  timeoutMs: row.timeoutMs ?? undefined,
})

const thisCarrier = eq(providers.name, bind(providers.name, 'name'))

export function createCarrierTx(connection: Database, vault: Vault, current: Current): Pick<Tx, 'carriers' | 'routes'> {
  const db = drizzle(connection)
  const run = {
    findCarrier: onFirstUse(() => db.select().from(providers).where(thisCarrier).prepare()),
    upsertProvider: onFirstUse(() =>
      db
        .insert(providers)
        .values(parameters(providers))
        .onConflictDoUpdate({
          target: providers.name,
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
    deleteProvider: onFirstUse(() =>
      db.delete(providers).where(thisCarrier).returning({ name: providers.name }).prepare(),
    ),
    upsertHealth: onFirstUse(() =>
      db
        .insert(providerHealth)
        .values(parameters(providerHealth))
        .onConflictDoUpdate({
          target: providerHealth.provider,
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
        .delete(providerHealth)
        .where(eq(providerHealth.provider, bind(providerHealth.provider, 'provider')))
        .prepare(),
    ),
    deleteAllHealth: onFirstUse(() => db.delete(providerHealth).prepare()),

    upsertRoute: onFirstUse(() =>
      db
        .insert(routes)
        .values(parameters(routes))
        .onConflictDoUpdate({
          target: [routes.channel, routes.country, routes.appId],
          set: { providers: sql`excluded.providers` },
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
      async save(provider) {
        const config = vault.seal(`provider:${provider.name}`, JSON.stringify(provider.config))
        const { concurrency = null, timeoutMs = null } = provider
        run.upsertProvider.run({ ...provider, config, concurrency, timeoutMs, changedAt: current.now })
        run.deleteHealth.run({ provider: provider.name })
        current.settingsChanged()
      },
      async remove(name) {
        run.deleteHealth.run({ provider: name })
        current.settingsChanged()
        return run.deleteProvider.all({ name }).length > 0
      },
      async saveHealth(provider, { isHealthy, since, code = null, retryAt = null }) {
        run.upsertHealth.run({ provider, isHealthy, since, code, retryAt })
      },
      async forgetHealth() {
        run.deleteAllHealth.run()
      },
    },
    routes: {
      async save({ channel, country = '', appId = '', providers }) {
        run.upsertRoute.run({ channel, country, appId, providers })
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
  const allProviders = onFirstUse(() =>
    db.select().from(providers).orderBy(providers.createdAt, providers.name).prepare(),
  )
  const allRoutes = onFirstUse(() =>
    db.select().from(routes).orderBy(routes.channel, routes.appId, routes.country).prepare(),
  )
  const allHealth = onFirstUse(() => db.select().from(providerHealth).prepare())

  return {
    carriers: {
      async all() {
        return allProviders.all().map((row) => carrierOf(vault, row))
      },
      async health() {
        return new Map(
          allHealth
            .all()
            .map(({ provider, isHealthy, since, code, retryAt }): [string, Health] => [
              provider,
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
