/** Apps with their keys, templates and challenges. */
import { and, desc, eq, isNull, lte, type SQL, sql } from 'drizzle-orm'
import { VERSIONS_KEPT } from '../domain/message/template'
import type {
  AppReader,
  AppTx,
  ChallengeReader,
  ChallengeTx,
  KeyReader,
  KeyTx,
  TemplateReader,
  TemplateTx,
} from '../ports/store/apps'
import type { Vault } from '../ports/vault'
import { inDialect } from './dialect'
import { appOf, appRow, challengeOf, challengeRow, keyOf, newestOf, originsOf, templateOf, versionOf } from './rows/app'
import { found, type Querying, type Session } from './session'
import { statement } from './statement'

const CHANGING = [
  ...(['name', 'region', 'protection', 'texts', 'provesMetadata', 'retentionDays', 'plans'] as const),
  ...(['reviewNumbers', 'twilioPurposes'] as const),
]

const APPS = inDialect(({ db, tables: { apps, organizations, templates }, ...its }) => {
  const { match, changes, locked, insert, bind } = its
  const thisApp = match(apps, 'appId')
  const isThere = isNull(apps.removedAt)
  const appsWhere = (condition?: SQL) => db.select().from(apps).where(condition).orderBy(apps.createdAt, apps.appId)
  const thisTemplate = match(templates, 'appId', 'templateId')
  const versions = () => db.select().from(templates).where(thisTemplate).orderBy(desc(templates.version))
  return {
    all: statement(() => appsWhere(isThere)),
    page: statement(() => {
      const after = bind(apps.appId, 'after')
      const last = sql`SELECT last.created_at, last.app_id FROM apps last WHERE last.app_id = ${after}`
      const isLater = sql`(${after} = '' OR (${apps.createdAt}, ${apps.appId}) > (${last}))`
      return appsWhere(and(isThere, isLater)).limit(sql.placeholder('limit'))
    }),
    withRemoved: statement(() => appsWhere()),
    find: statement(() => appsWhere(and(thisApp, isThere))),
    lock: statement(() => locked(appsWhere(and(thisApp, isThere)))),
    insert: insert(apps),
    update: statement(() => db.update(apps).set(changes(apps, CHANGING)).where(thisApp)),
    remove: statement(() =>
      db
        .update(apps)
        .set(changes(apps, ['removedAt']))
        .where(thisApp),
    ),
    organization: statement(() => db.select().from(organizations).orderBy(organizations.createdAt).limit(1)),
    insertOrganization: insert(organizations),
    versions: statement(versions),
    newestVersion: statement(() => versions().limit(1)),
    templates: statement(() =>
      db.select().from(templates).where(match(templates, 'appId')).orderBy(templates.templateId, templates.version),
    ),
    insertTemplate: insert(templates),
    deleteOldVersions: statement(() =>
      db.delete(templates).where(and(thisTemplate, lte(templates.version, bind(templates.version, 'version')))),
    ),
    deleteTemplate: statement(() => db.delete(templates).where(thisTemplate)),
  }
})

export function appTx(tx: Session): AppTx {
  const its = APPS(tx)
  return {
    async organizationId(first) {
      tx.lock('organization')
      const known = await tx.get(its.organization)
      if (known) return known.organizationId
      tx.run(its.insertOrganization, { ...first, createdAt: tx.now })
      return first.organizationId
    },
    lock: async (appId) => found(await tx.get(its.lock, { appId }), appOf),
    async add(app) {
      tx.run(its.insert, appRow(app))
      tx.settingsChanged()
    },
    async save(app) {
      tx.run(its.update, appRow(app))
      tx.settingsChanged()
    },
    async remove(appId) {
      await tx.opened()
      tx.run(its.remove, { appId, removedAt: tx.now })
      tx.settingsChanged()
    },
  }
}

export function appReader(reads: Querying): AppReader {
  const its = APPS(reads)
  return {
    all: async () => (await reads.all(its.all)).map(appOf),
    page: async (after = '', limit) => (await reads.all(its.page, { after, limit })).map(appOf),
    withRemoved: async () => (await reads.all(its.withRemoved)).map(appOf),
    find: async (appId) => found(await reads.get(its.find, { appId }), appOf),
  }
}

export function templateTx(tx: Session): TemplateTx {
  const its = APPS(tx)
  return {
    find: async (appId, templateId) => found(await tx.get(its.newestVersion, { appId, templateId }), templateOf),
    async save(appId, template, savedBy) {
      const { templateId } = template
      const version = ((await tx.get(its.newestVersion, { appId, templateId }))?.version ?? 0) + 1
      tx.run(its.insertTemplate, { ...template, appId, version, savedBy, createdAt: tx.now })
      tx.run(its.deleteOldVersions, { appId, templateId, version: version - VERSIONS_KEPT })
      tx.settingsChanged()
    },
    async remove(appId, templateId) {
      tx.settingsChanged()
      return (await tx.change(its.deleteTemplate, { appId, templateId })) > 0
    },
  }
}

export function templateReader(reads: Querying): TemplateReader {
  const its = APPS(reads)
  return {
    ofApp: async (appId) => newestOf(await reads.all(its.templates, { appId })),
    versions: async (appId, templateId) => (await reads.all(its.versions, { appId, templateId })).map(versionOf),
  }
}

const SEALED = inDialect(({ db, tables: { challenges }, match, parameters, excluded }) => ({
  challenge: statement(() => db.select().from(challenges).where(match(challenges, 'appId'))),
  saveChallenge: statement(() =>
    db
      .insert(challenges)
      .values(parameters(challenges))
      .onConflictDoUpdate({ target: challenges.appId, set: excluded(challenges, ['settings']) }),
  ),
  removeChallenge: statement(() => db.delete(challenges).where(match(challenges, 'appId'))),
}))

export function challengeReader(asked: Querying, vault: Vault): ChallengeReader {
  const its = SEALED(asked)
  return {
    find: async (appId) => found(await asked.get(its.challenge, { appId }), (row) => challengeOf(vault, row)),
  }
}

export function challengeTx(tx: Session, vault: Vault): ChallengeTx {
  const its = SEALED(tx)
  return {
    ...challengeReader(tx, vault),
    async save(appId, settings) {
      tx.run(its.saveChallenge, challengeRow(vault, appId, settings))
      tx.settingsChanged()
    },
    async remove(appId) {
      tx.settingsChanged()
      return (await tx.change(its.removeChallenge, { appId })) > 0
    },
  }
}

const KEYS = inDialect(({ db, tables: { apiKeys, apps }, ...its }) => {
  const { match, changes, locked, insert, bind, either } = its
  const thisKey = match(apiKeys, 'keyId')
  const keysWhere = (...conditions: Array<SQL | undefined>) =>
    db
      .select({ key: apiKeys, organizationId: apps.organizationId, region: apps.region })
      .from(apiKeys)
      .innerJoin(apps, eq(apps.appId, apiKeys.appId))
      .where(and(...conditions))
      .orderBy(apiKeys.createdAt, apiKeys.keyId)
  const change = (...names: Array<'expiresAt' | 'allows'>) =>
    statement(() => db.update(apiKeys).set(changes(apiKeys, names)).where(thisKey))
  const usedAt = bind(apiKeys.lastUsedAt, 'usedAt')
  return {
    find: statement(() => keysWhere(thisKey)),
    lock: statement(() => locked(keysWhere(thisKey), { of: apiKeys })),
    byHash: statement(() => keysWhere(match(apiKeys, 'hash'), isNull(apps.removedAt))),
    ofApp: statement(() => keysWhere(match(apiKeys, 'appId'))),
    publicKeys: statement(() => keysWhere(sql`${apiKeys.kind} = 'pk'`, isNull(apiKeys.revokedAt))),
    insert: insert(apiKeys),
    revoke: statement(() =>
      db
        .update(apiKeys)
        .set(changes(apiKeys, ['revokedAt']))
        .where(and(thisKey, isNull(apiKeys.revokedAt))),
    ),
    expire: change('expiresAt'),
    allow: change('allows'),
    /** Keeps the later time, because another server may have stored one. */
    touch: statement(() =>
      db
        .update(apiKeys)
        .set({
          lastUsedAt: either({
            sqlite: sql`max(coalesce(${apiKeys.lastUsedAt}, 0), ${usedAt})`,
            postgres: sql`greatest(${apiKeys.lastUsedAt}, ${usedAt})`,
          }),
        })
        .where(thisKey),
    ),
  }
})

export function keyTx(tx: Session): KeyTx {
  const its = KEYS(tx)
  return {
    ofApp: async (appId) => (await tx.all(its.ofApp, { appId })).map(keyOf),
    lock: async (keyId) => found(await tx.get(its.lock, { keyId }), keyOf),
    async add(key) {
      tx.run(its.insert, { ...key, lastUsedAt: undefined })
      tx.settingsChanged()
    },
    async revoke(keyId, revokedAt) {
      tx.run(its.revoke, { keyId, revokedAt })
      tx.settingsChanged()
    },
    async expire(keyId, expiresAt) {
      tx.run(its.expire, { keyId, expiresAt })
      tx.settingsChanged()
    },
    async allow(keyId, allows) {
      tx.run(its.allow, { keyId, allows })
      tx.settingsChanged()
    },
    async touch(times) {
      // In one order, so that two servers that have seen the same keys cannot deadlock.
      for (const [keyId, usedAt] of [...times].sort()) tx.run(its.touch, { keyId, usedAt })
    },
  }
}

export function keyReader(reads: Querying): KeyReader {
  const its = KEYS(reads)
  return {
    findByHash: async (hash) => found(await reads.get(its.byHash, { hash }), keyOf),
    find: async (keyId) => found(await reads.get(its.find, { keyId }), keyOf),
    ofApp: async (appId) => (await reads.all(its.ofApp, { appId })).map(keyOf),
    publicOrigins: async () => originsOf(await reads.all(its.publicKeys)),
  }
}
