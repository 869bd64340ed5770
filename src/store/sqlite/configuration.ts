/** Apps, keys, templates, providers and routes: what rarely changes. And how providers are. */
import type { Database } from 'bun:sqlite'
import { and, eq, isNull, max, type SQL, sql } from 'drizzle-orm'
import type { Health } from '../../domain/breaker'
import type { Template } from '../../domain/template'
import type { App, ProviderConfig, Reader, StoredKey, Vault } from '../../ports'
import { drizzle } from './drizzle'
import type { TxPart } from './opened'
import { apiKeys, apps, organizations, providerHealth, providers, routes, templates } from './schema'
import { bind, changes, onFirstUse, parameters } from './statement'

const appOf = ({ removedAt, region, ...app }: typeof apps.$inferSelect): App => ({
  ...app,
  region: region ?? undefined,
  ...(removedAt !== null && { removedAt }),
})

/** What a key has of its app. */
interface OfItsApp {
  organizationId: string
  region: string | null
}

const keyOf = (row: typeof apiKeys.$inferSelect & OfItsApp): StoredKey => ({
  ...row,
  region: row.region ?? undefined,
  expiresAt: row.expiresAt ?? undefined,
  revokedAt: row.revokedAt ?? undefined,
  lastUsedAt: row.lastUsedAt ?? undefined,
})

type ConfigurationTx = TxPart<
  | 'organizationId'
  | 'addApp'
  | 'saveApp'
  | 'removeApp'
  | 'addKey'
  | 'revokeKey'
  | 'expireKey'
  | 'allowKey'
  | 'saveTemplate'
  | 'removeTemplate'
  | 'saveProvider'
  | 'removeProvider'
  | 'saveHealth'
  | 'forgetHealth'
  | 'saveRoute'
  | 'removeRoute'
>

export function createConfigurationTx(connection: Database, vault: Vault): ConfigurationTx {
  const db = drizzle(connection)
  const run = {
    findOrganization: onFirstUse(() =>
      db.select().from(organizations).orderBy(organizations.createdAt).limit(1).prepare(),
    ),
    insertOrganization: onFirstUse(() => db.insert(organizations).values(parameters(organizations)).prepare()),
    insertApp: onFirstUse(() => db.insert(apps).values(parameters(apps)).prepare()),
    updateApp: onFirstUse(() =>
      db
        .update(apps)
        .set(changes(apps, ['name', 'region']))
        .where(eq(apps.appId, bind(apps.appId, 'appId')))
        .prepare(),
    ),
    removeApp: onFirstUse(() =>
      db
        .update(apps)
        .set(changes(apps, ['removedAt']))
        .where(eq(apps.appId, bind(apps.appId, 'appId')))
        .prepare(),
    ),

    insertKey: onFirstUse(() => db.insert(apiKeys).values(parameters(apiKeys)).prepare()),
    revokeKey: onFirstUse(() =>
      db
        .update(apiKeys)
        .set(changes(apiKeys, ['revokedAt']))
        .where(and(eq(apiKeys.keyId, bind(apiKeys.keyId, 'keyId')), sql`${apiKeys.revokedAt} IS NULL`))
        .prepare(),
    ),
    expireKey: onFirstUse(() =>
      db
        .update(apiKeys)
        .set(changes(apiKeys, ['expiresAt']))
        .where(eq(apiKeys.keyId, bind(apiKeys.keyId, 'keyId')))
        .prepare(),
    ),
    allowKey: onFirstUse(() =>
      db
        .update(apiKeys)
        .set(changes(apiKeys, ['allows']))
        .where(eq(apiKeys.keyId, bind(apiKeys.keyId, 'keyId')))
        .prepare(),
    ),

    newestTemplateVersion: onFirstUse(() =>
      db
        .select({ version: max(templates.version) })
        .from(templates)
        .where(
          and(
            eq(templates.appId, bind(templates.appId, 'appId')),
            eq(templates.templateId, bind(templates.templateId, 'templateId')),
          ),
        )
        .prepare(),
    ),
    insertTemplate: onFirstUse(() => db.insert(templates).values(parameters(templates)).prepare()),
    deleteTemplate: onFirstUse(() =>
      db
        .delete(templates)
        .where(
          and(
            eq(templates.appId, bind(templates.appId, 'appId')),
            eq(templates.templateId, bind(templates.templateId, 'templateId')),
          ),
        )
        .returning({ version: templates.version })
        .prepare(),
    ),

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
      db
        .delete(providers)
        .where(eq(providers.name, bind(providers.name, 'name')))
        .returning({ name: providers.name })
        .prepare(),
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
    async organizationId(first) {
      const known = run.findOrganization.get()
      if (known) return known.organizationId
      run.insertOrganization.run({ ...first, createdAt: this.now })
      return first.organizationId
    },
    async addApp(app) {
      run.insertApp.run({ removedAt: null, ...app, region: app.region ?? null })
      this.opened.effects.changedConfiguration = true
    },
    async saveApp({ appId, name, region = null }) {
      run.updateApp.run({ appId, name, region })
      this.opened.effects.changedConfiguration = true
    },
    async removeApp(appId) {
      run.removeApp.run({ appId, removedAt: this.now })
      this.opened.effects.changedConfiguration = true
    },
    async addKey(key) {
      run.insertKey.run({
        ...key,
        expiresAt: key.expiresAt ?? null,
        revokedAt: key.revokedAt ?? null,
        lastUsedAt: null,
      })
      this.opened.effects.changedConfiguration = true
    },
    async revokeKey(keyId, at) {
      run.revokeKey.run({ keyId, revokedAt: at })
      this.opened.effects.changedConfiguration = true
    },
    async expireKey(keyId, expiresAt) {
      run.expireKey.run({ keyId, expiresAt })
      this.opened.effects.changedConfiguration = true
    },
    async allowKey(keyId, allows) {
      run.allowKey.run({ keyId, allows })
      this.opened.effects.changedConfiguration = true
    },
    async saveTemplate(appId, template) {
      const newest = run.newestTemplateVersion.get({ appId, templateId: template.templateId })?.version ?? 0
      run.insertTemplate.run({ ...template, appId, version: newest + 1, createdAt: this.now })
      this.opened.effects.changedConfiguration = true
    },
    async removeTemplate(appId, templateId) {
      this.opened.effects.changedConfiguration = true
      return run.deleteTemplate.all({ appId, templateId }).length > 0
    },
    async saveProvider(provider) {
      const config = vault.seal(`provider:${provider.name}`, JSON.stringify(provider.config))
      const { concurrency = null, timeoutMs = null } = provider
      run.upsertProvider.run({ ...provider, config, concurrency, timeoutMs, changedAt: this.now })
      run.deleteHealth.run({ provider: provider.name })
      this.opened.effects.changedConfiguration = true
    },
    async removeProvider(name) {
      run.deleteHealth.run({ provider: name })
      this.opened.effects.changedConfiguration = true
      return run.deleteProvider.all({ name }).length > 0
    },
    async saveHealth(provider, { isHealthy, since, code = null, retryAt = null }) {
      run.upsertHealth.run({ provider, isHealthy, since, code, retryAt })
    },
    async forgetHealth() {
      run.deleteAllHealth.run()
    },
    async saveRoute({ channel, country = '', appId = '', providers }) {
      run.upsertRoute.run({ channel, country, appId, providers })
      this.opened.effects.changedConfiguration = true
    },
    async removeRoute({ channel, country = '', appId = '' }) {
      this.opened.effects.changedConfiguration = true
      return run.deleteRoute.all({ channel, country, appId }).length > 0
    },
  }
}

type ConfigurationReader = Pick<
  Reader,
  | 'apps'
  | 'allApps'
  | 'app'
  | 'keyByHash'
  | 'key'
  | 'keys'
  | 'publicOrigins'
  | 'templates'
  | 'providers'
  | 'providerHealth'
  | 'routes'
>

export function createConfigurationReader(connection: Database, vault: Vault): ConfigurationReader {
  const db = drizzle(connection)
  const appsWhere = (condition?: SQL) =>
    onFirstUse(() => db.select().from(apps).where(condition).orderBy(apps.createdAt).prepare())
  const isThere = isNull(apps.removedAt)
  const allApps = appsWhere()
  const appsThere = appsWhere(isThere)
  const appById = appsWhere(and(eq(apps.appId, bind(apps.appId, 'appId')), isThere))
  const keys = (...conditions: Parameters<typeof and>) =>
    onFirstUse(() =>
      db
        .select({ key: apiKeys, organizationId: apps.organizationId, region: apps.region })
        .from(apiKeys)
        .innerJoin(apps, eq(apps.appId, apiKeys.appId))
        .where(and(...conditions))
        .orderBy(apiKeys.createdAt)
        .prepare(),
    )
  const keyByHash = keys(eq(apiKeys.hash, bind(apiKeys.hash, 'hash')), isThere)
  const keyById = keys(eq(apiKeys.keyId, bind(apiKeys.keyId, 'keyId')))
  const keysOfApp = keys(eq(apiKeys.appId, bind(apiKeys.appId, 'appId')))
  const publicKeys = keys(eq(apiKeys.kind, sql`'pk'`), isNull(apiKeys.revokedAt))
  const storedKey = (row: ({ key: typeof apiKeys.$inferSelect } & OfItsApp) | undefined) =>
    row && keyOf({ ...row.key, organizationId: row.organizationId, region: row.region })
  const templatesOfApp = onFirstUse(() =>
    db
      .select()
      .from(templates)
      .where(eq(templates.appId, bind(templates.appId, 'appId')))
      .orderBy(templates.templateId, templates.version)
      .prepare(),
  )
  const allProviders = onFirstUse(() =>
    db.select().from(providers).orderBy(providers.createdAt, providers.name).prepare(),
  )
  const allRoutes = onFirstUse(() =>
    db.select().from(routes).orderBy(routes.channel, routes.appId, routes.country).prepare(),
  )
  const allHealth = onFirstUse(() => db.select().from(providerHealth).prepare())

  return {
    async apps() {
      return appsThere.all().map(appOf)
    },
    async allApps() {
      return allApps.all().map(appOf)
    },
    async app(appId) {
      const row = appById.get({ appId })
      return row && appOf(row)
    },
    async keyByHash(hash) {
      return storedKey(keyByHash.get({ hash }))
    },
    async key(keyId) {
      return storedKey(keyById.get({ keyId }))
    },
    async keys(appId) {
      return keysOfApp.all({ appId }).flatMap((row) => storedKey(row) ?? [])
    },
    async publicOrigins() {
      const ends = new Map<string, number>()
      for (const { key } of publicKeys.all()) {
        const end = key.expiresAt ?? Number.POSITIVE_INFINITY
        for (const origin of key.allowedOrigins) ends.set(origin, Math.max(end, ends.get(origin) ?? 0))
      }
      return ends
    },
    async templates(appId) {
      const newest = new Map<string, Template>()
      for (const { version: _, createdAt: __, appId: ___, ...template } of templatesOfApp.all({ appId })) {
        newest.set(template.templateId, template)
      }
      return [...newest.values()]
    },
    async providers() {
      return allProviders.all().map(
        (row): ProviderConfig => ({
          ...row,
          config: JSON.parse(vault.open(`provider:${row.name}`, row.config)),
          concurrency: row.concurrency ?? undefined,
          timeoutMs: row.timeoutMs ?? undefined,
        }),
      )
    },
    async providerHealth() {
      return new Map(
        allHealth
          .all()
          .map(({ provider, isHealthy, since, code, retryAt }): [string, Health] => [
            provider,
            { isHealthy, since, code: code ?? undefined, retryAt: retryAt ?? undefined },
          ]),
      )
    },
    async routes() {
      return allRoutes
        .all()
        .map(({ country, appId, ...route }) => ({ ...route, country: country || undefined, appId: appId || undefined }))
    },
  }
}
