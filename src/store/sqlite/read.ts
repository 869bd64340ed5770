/** Reads of committed data, on a connection of their own, so that they never wait for a writer. */
import type { Database } from 'bun:sqlite'
import { and, desc, eq, gt, gte, isNull, lt, lte, or, sql } from 'drizzle-orm'
import type { Health } from '../../domain/breaker'
import type { SendOutcome } from '../../domain/delivery'
import type { VerificationStatus } from '../../domain/issue'
import type { Template } from '../../domain/template'
import type { ProviderConfig, QueueState, Reader, Vault } from '../../ports'
import { createConsoleReader } from './console'
import { drizzle } from './drizzle'
import { idFloor, uuidBytes } from './ids'
import { attemptOf, entryOf, issueOf, keyOf, walletOf } from './rows'
import {
  apiKeys,
  apps,
  attempts,
  issues,
  ledgerEntries,
  providerHealth,
  providers,
  routes,
  templates,
  wallets,
} from './schema'
import { bind, onFirstUse } from './statement'
import { nextTurn } from './turn'
import { createUsageReader } from './usage'
import { createWebhookReader } from './webhooks'

const BEYOND_ALL_IDS = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const BEYOND_ALL_TIMES = Number.MAX_SAFE_INTEGER

/** What takes some 10 ms. */
const RECENT_AT_ONCE = 5_000

const smaller = (a: string, b: string) => (a < b ? a : b)

export function createReader(connection: Database, vault: Vault, configurationVersion: () => string): Reader {
  const db = drizzle(connection)

  const issueById = onFirstUse(() =>
    db
      .select()
      .from(issues)
      .where(
        and(
          eq(issues.appId, bind(issues.appId, 'appId')),
          eq(issues.mode, bind(issues.mode, 'mode')),
          eq(issues.issueId, bind(issues.issueId, 'issueId')),
        ),
      )
      .prepare(),
  )

  const page = (...conditions: Parameters<typeof and>) =>
    onFirstUse(() =>
      db
        .select()
        .from(issues)
        .where(
          and(
            eq(issues.appId, bind(issues.appId, 'appId')),
            eq(issues.mode, bind(issues.mode, 'mode')),
            gte(issues.issueId, bind(issues.issueId, 'from')),
            lt(issues.issueId, bind(issues.issueId, 'below')),
            ...conditions,
          ),
        )
        .orderBy(desc(issues.issueId))
        .limit(sql.placeholder('limit'))
        .prepare(),
    )
  const stored = (status: VerificationStatus) => eq(issues.verificationStatus, sql.raw(`'${status}'`))
  const unexpired = gt(issues.expiresAt, bind(issues.expiresAt, 'now'))
  const pastExpiry = lte(issues.expiresAt, bind(issues.expiresAt, 'now'))
  const pages = {
    any: page(),
    issued: page(stored('issued'), unexpired),
    expired: page(or(stored('expired'), and(stored('issued'), pastExpiry))),
    verified: page(stored('verified')),
    max_attempts: page(stored('max_attempts')),
    replaced: page(stored('replaced')),
  }

  const walletById = onFirstUse(() =>
    db
      .select()
      .from(wallets)
      .where(eq(wallets.appId, bind(wallets.appId, 'appId')))
      .prepare(),
  )

  const ledgerPage = (...conditions: Parameters<typeof and>) =>
    onFirstUse(() =>
      db
        .select()
        .from(ledgerEntries)
        .where(
          and(
            eq(ledgerEntries.appId, bind(ledgerEntries.appId, 'appId')),
            sql`(${ledgerEntries.createdAt}, ${ledgerEntries.seq}) < (${sql.placeholder('beforeAt')}, ${sql.placeholder('beforeSeq')})`,
            gte(ledgerEntries.createdAt, bind(ledgerEntries.createdAt, 'from')),
            ...conditions,
          ),
        )
        .orderBy(desc(ledgerEntries.createdAt), desc(ledgerEntries.seq))
        .limit(sql.placeholder('limit'))
        .prepare(),
    )
  const ledgerAll = ledgerPage()
  const ledgerOfType = ledgerPage(eq(ledgerEntries.entryType, bind(ledgerEntries.entryType, 'entryType')))

  const entriesOfIssue = onFirstUse(() =>
    db
      .select()
      .from(ledgerEntries)
      .where(
        and(
          // The primary key would lead to all entries of the app: `+` keeps the planner from it.
          sql`+${ledgerEntries.appId} = ${bind(ledgerEntries.appId, 'appId')}`,
          eq(ledgerEntries.issueId, bind(ledgerEntries.issueId, 'issueId')),
        ),
      )
      .orderBy(ledgerEntries.createdAt, ledgerEntries.seq)
      .prepare(),
  )
  const attemptsOfIssue = onFirstUse(() =>
    db
      .select()
      .from(attempts)
      .where(
        and(
          eq(attempts.appId, bind(attempts.appId, 'appId')),
          eq(attempts.mode, bind(attempts.mode, 'mode')),
          eq(attempts.issueId, bind(attempts.issueId, 'issueId')),
        ),
      )
      .orderBy(attempts.number)
      .prepare(),
  )
  const queueByKind = connection.query<QueueState, { now: number }>(
    `SELECT kind, count(*) AS waiting, count(*) FILTER (WHERE run_at <= $now) AS due,
       max(0, $now - min(run_at)) AS oldestDueMs FROM jobs GROUP BY kind ORDER BY kind`,
  )
  const outcomes = connection.query<
    { provider: string; outcome: SendOutcome['kind']; calls: number },
    { appId: string; from: Uint8Array }
  >(
    `SELECT provider, outcome, count(*) AS calls FROM attempts
     WHERE app_id = $appId AND mode = 'live' AND issue_id >= $from AND outcome IS NOT NULL GROUP BY provider, outcome`,
  )
  const queueByCarrier = connection.query<QueueState & { carrier: string }, { now: number }>(
    `SELECT queue AS carrier, kind, count(*) AS waiting, count(*) FILTER (WHERE run_at <= $now) AS due,
       max(0, $now - min(run_at)) AS oldestDueMs FROM jobs WHERE kind = 'deliver' AND queue <> '' GROUP BY queue ORDER BY queue`,
  )
  const allHealth = onFirstUse(() => db.select().from(providerHealth).prepare())

  const keys = (...conditions: Parameters<typeof and>) =>
    onFirstUse(() =>
      db
        .select({ key: apiKeys, organizationId: apps.organizationId })
        .from(apiKeys)
        .innerJoin(apps, eq(apps.appId, apiKeys.appId))
        .where(and(...conditions))
        .orderBy(apiKeys.createdAt)
        .prepare(),
    )
  const keyByHash = keys(eq(apiKeys.hash, bind(apiKeys.hash, 'hash')))
  const keyById = keys(eq(apiKeys.keyId, bind(apiKeys.keyId, 'keyId')))
  const keysOfApp = keys(eq(apiKeys.appId, bind(apiKeys.appId, 'appId')))
  const publicKeys = keys(eq(apiKeys.kind, sql`'pk'`), isNull(apiKeys.revokedAt))
  const storedKey = (row: { key: typeof apiKeys.$inferSelect; organizationId: string } | undefined) =>
    row && keyOf({ ...row.key, organizationId: row.organizationId })

  const allApps = onFirstUse(() => db.select().from(apps).orderBy(apps.createdAt).prepare())
  const appById = onFirstUse(() =>
    db
      .select()
      .from(apps)
      .where(eq(apps.appId, bind(apps.appId, 'appId')))
      .prepare(),
  )
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
  const recent = onFirstUse(() =>
    db
      .select({ issueId: issues.issueId, phoneHash: issues.phoneHash, createdAt: issues.createdAt })
      .from(issues)
      .where(
        and(
          eq(issues.appId, bind(issues.appId, 'appId')),
          eq(issues.mode, bind(issues.mode, 'mode')),
          gt(issues.issueId, bind(issues.issueId, 'after')),
        ),
      )
      .orderBy(issues.issueId)
      .limit(RECENT_AT_ONCE)
      .prepare(),
  )

  return {
    ...createWebhookReader(connection, vault),
    ...createConsoleReader(connection, vault),
    ...createUsageReader(connection),
    configurationVersion,

    async issue({ appId, mode }, issueId) {
      const row = issueById.get({ appId, mode, issueId })
      return row && issueOf(row)
    },

    async issues({ appId, mode }, { before, status, createdFrom, createdTo, limit }, now) {
      const below = smaller(before ?? BEYOND_ALL_IDS, createdTo === undefined ? BEYOND_ALL_IDS : idFloor(createdTo))
      return pages[status ?? 'any']
        .all({ appId, mode, from: idFloor(createdFrom ?? 0), below, limit, now })
        .map(issueOf)
    },

    async wallet(appId) {
      const row = walletById.get({ appId })
      return row && walletOf(row)
    },

    async ledger(appId, { before, entryType, createdFrom, createdTo, limit }) {
      const to = createdTo ?? BEYOND_ALL_TIMES
      // One bound, where the search starts: what is beyond it is not even looked at.
      const start = before && before.createdAt < to ? before : { createdAt: to, seq: 0 }
      const bounds = { appId, beforeAt: start.createdAt, beforeSeq: start.seq, from: createdFrom ?? 0, limit }
      return (entryType ? ledgerOfType.all({ ...bounds, entryType }) : ledgerAll.all(bounds)).map(entryOf)
    },

    async ledgerOfIssue(appId, issueId) {
      return entriesOfIssue.all({ appId, issueId }).map(entryOf)
    },
    async attempts({ appId, mode }, issueId) {
      return attemptsOfIssue.all({ appId, mode, issueId }).map(attemptOf)
    },
    async queue(now) {
      return queueByKind.all({ now })
    },
    async outcomesSince(since) {
      const found = new Map<string, Record<SendOutcome['kind'], number>>()
      for (const { appId } of allApps.all()) {
        for (const { provider, outcome, calls } of outcomes.all({ appId, from: uuidBytes(idFloor(since)) })) {
          const known = found.get(provider) ?? { accepted: 0, refused: 0, ambiguous: 0 }
          known[outcome] += calls
          found.set(provider, known)
        }
      }
      return found
    },
    async carrierQueues(now) {
      return queueByCarrier.all({ now })
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
    async keyByHash(hash) {
      return storedKey(keyByHash.get({ hash }))
    },
    async key(keyId) {
      return storedKey(keyById.get({ keyId }))
    },
    async keys(appId) {
      return keysOfApp.all({ appId }).flatMap((row) => storedKey(row) ?? [])
    },
    async publicOrigins(now) {
      const active = publicKeys.all().filter(({ key }) => key.expiresAt === null || now < key.expiresAt)
      return [...new Set(active.flatMap(({ key }) => key.allowedOrigins))]
    },

    async apps() {
      return allApps.all()
    },
    async app(appId) {
      return appById.get({ appId })
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
    async routes() {
      return allRoutes
        .all()
        .map(({ country, appId, ...route }) => ({ ...route, country: country || undefined, appId: appId || undefined }))
    },
    async *issuesSince({ appId, mode }, since) {
      let after: string | undefined = idFloor(since)
      while (after !== undefined) {
        const page = recent.all({ appId, mode, after })
        yield page
        after = page[RECENT_AT_ONCE - 1]?.issueId
        if (after !== undefined) await nextTurn()
      }
    },
  }
}
