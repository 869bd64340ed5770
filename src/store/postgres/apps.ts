/** Apps with their keys, templates and challenges. */
import { and, desc, eq, isNull, lte, type SQL, sql } from 'drizzle-orm'
import { VERSIONS_KEPT } from '../../domain/message/template'
import type { Tx } from '../../ports/store'
import type { AppReader, ChallengeReader, KeyReader, RelayReader, TemplateReader } from '../../ports/store/apps'
import type { Vault } from '../../ports/vault'
import {
  appOf,
  appRow,
  challengeOf,
  challengeRow,
  keyOf,
  newestOf,
  newKeyRow,
  originsOf,
  relayOf,
  relayRow,
  templateOf,
  templateRow,
  versionOf,
} from '../rows/app'
import { addition, bind, changes, db, listOf, parameters, plain, statement } from './connection/statement'
import { lock, type Querying, type Transaction } from './connection/transaction'
import { apiKeys, apps, challenges, organizations, relays, templates } from './schema'
import { settingsChanged } from './settings'

export const isThere = isNull(apps.removedAt)
const thisApp = eq(apps.appId, bind(apps.appId, 'appId'))
const appsWhere = (condition?: SQL) => db.select().from(apps).where(condition).orderBy(apps.createdAt, apps.appId)
const thisTemplate = and(
  eq(templates.appId, bind(templates.appId, 'appId')),
  eq(templates.templateId, bind(templates.templateId, 'templateId')),
)

const STATEMENTS = {
  lock: statement(() => appsWhere(and(thisApp, isThere)).for('no key update').prepare('')),
  organization: statement(() => db.select().from(organizations).orderBy(organizations.createdAt).limit(1).prepare('')),
  insertOrganization: addition(organizations),
  insert: addition(apps),
  update: statement(() =>
    db
      .update(apps)
      .set(
        changes(apps, [
          'name',
          'region',
          'protection',
          'texts',
          'provesMetadata',
          'retentionDays',
          'plans',
          'reviewNumbers',
          'twilioPurposes',
        ]),
      )
      .where(thisApp)
      .prepare(''),
  ),
  remove: statement(() =>
    db
      .update(apps)
      .set(changes(apps, ['removedAt']))
      .where(thisApp)
      .prepare(''),
  ),
  newestTemplate: statement(() =>
    db.select().from(templates).where(thisTemplate).orderBy(desc(templates.version)).limit(1).prepare(''),
  ),
  insertTemplate: addition(templates),
  deleteOldVersions: statement(() =>
    db
      .delete(templates)
      .where(and(thisTemplate, lte(templates.version, bind(templates.version, 'version'))))
      .prepare(''),
  ),
  deleteTemplate: statement(() =>
    db.delete(templates).where(thisTemplate).returning({ version: templates.version }).prepare(''),
  ),
}

export function appTx(transaction: Transaction): Tx['apps'] {
  return {
    async organizationId(first) {
      lock(transaction, 'organization')
      const known = await transaction.get(STATEMENTS.organization)
      if (known) return known.organizationId
      transaction.run(STATEMENTS.insertOrganization, { ...first, createdAt: transaction.now })
      return first.organizationId
    },
    async lock(appId) {
      const row = await transaction.get(STATEMENTS.lock, { appId })
      return row && appOf(row)
    },
    async add(app) {
      transaction.run(STATEMENTS.insert, appRow(app))
      settingsChanged(transaction)
    },
    async save(app) {
      transaction.run(STATEMENTS.update, appRow(app))
      settingsChanged(transaction)
    },
    async remove(appId) {
      await transaction.opened()
      transaction.run(STATEMENTS.remove, { appId, removedAt: transaction.now })
      settingsChanged(transaction)
    },
  }
}

export function templateTx(transaction: Transaction): Tx['templates'] {
  return {
    async find(appId, templateId) {
      const row = await transaction.get(STATEMENTS.newestTemplate, { appId, templateId })
      return row && templateOf(row)
    },
    async save(appId, template, savedBy) {
      const { templateId } = template
      const newest = (await transaction.get(STATEMENTS.newestTemplate, { appId, templateId }))?.version ?? 0
      const version = newest + 1
      const row = templateRow(template, { appId, version, savedBy, createdAt: transaction.now })
      transaction.run(STATEMENTS.insertTemplate, row)
      transaction.run(STATEMENTS.deleteOldVersions, { appId, templateId, version: version - VERSIONS_KEPT })
      settingsChanged(transaction)
    },
    async remove(appId, templateId) {
      settingsChanged(transaction)
      return (await transaction.change(STATEMENTS.deleteTemplate, { appId, templateId })).length > 0
    },
  }
}

const READS = {
  all: statement(() => appsWhere(isThere).prepare('')),
  withRemoved: statement(() => appsWhere().prepare('')),
  find: statement(() => appsWhere(and(thisApp, isThere)).prepare('')),
  versions: statement(() =>
    db.select().from(templates).where(thisTemplate).orderBy(desc(templates.version)).prepare(''),
  ),
  templates: statement(() =>
    db
      .select()
      .from(templates)
      .where(eq(templates.appId, bind(templates.appId, 'appId')))
      .orderBy(templates.templateId, templates.version)
      .prepare(''),
  ),
}

export const appReader = (pool: Querying): AppReader => ({
  all: async () => (await pool.all(READS.all)).map(appOf),
  withRemoved: async () => (await pool.all(READS.withRemoved)).map(appOf),
  async find(appId) {
    const row = await pool.get(READS.find, { appId })
    return row && appOf(row)
  },
})

export const templateReader = (pool: Querying): TemplateReader => ({
  ofApp: async (appId) => newestOf(await pool.all(READS.templates, { appId })),
  versions: async (appId, templateId) => (await pool.all(READS.versions, { appId, templateId })).map(versionOf),
})

const ofApp = eq(challenges.appId, bind(challenges.appId, 'appId'))

const CHALLENGES = {
  find: statement(() => db.select().from(challenges).where(ofApp).prepare('')),
  upsert: statement(() =>
    db
      .insert(challenges)
      .values(parameters(challenges))
      .onConflictDoUpdate({ target: challenges.appId, set: { settings: sql`excluded.settings` } })
      .prepare(''),
  ),
  remove: statement(() => db.delete(challenges).where(ofApp).returning({ appId: challenges.appId }).prepare('')),
}

export function challengeTx(transaction: Transaction, vault: Vault): Tx['challenges'] {
  return {
    async find(appId) {
      const row = await transaction.get(CHALLENGES.find, { appId })
      return row && challengeOf(vault, row)
    },
    async save(appId, settings) {
      transaction.run(CHALLENGES.upsert, { ...challengeRow(vault, appId, settings) })
      settingsChanged(transaction)
    },
    async remove(appId) {
      settingsChanged(transaction)
      return (await transaction.change(CHALLENGES.remove, { appId })).length > 0
    },
  }
}

export const challengeReader = (pool: Querying, vault: Vault): ChallengeReader => ({
  async find(appId) {
    const row = await pool.get(CHALLENGES.find, { appId })
    return row && challengeOf(vault, row)
  },
})

const thisRelay = eq(relays.relayId, bind(relays.relayId, 'relayId'))

const RELAYS = {
  find: statement(() => db.select().from(relays).where(thisRelay).prepare('')),
  ofApp: statement(() =>
    db
      .select()
      .from(relays)
      .where(eq(relays.appId, bind(relays.appId, 'appId')))
      .orderBy(relays.relayId)
      .prepare(''),
  ),
  upsert: statement(() =>
    db
      .insert(relays)
      .values(parameters(relays))
      .onConflictDoUpdate({ target: relays.relayId, set: { settings: sql`excluded.settings` } })
      .prepare(''),
  ),
  remove: statement(() => db.delete(relays).where(thisRelay).returning({ relayId: relays.relayId }).prepare('')),
}

export function relayTx(transaction: Transaction, vault: Vault): Tx['relays'] {
  return {
    async save(relay) {
      transaction.run(RELAYS.upsert, { ...relayRow(vault, relay) })
      settingsChanged(transaction)
    },
    async remove(relayId) {
      settingsChanged(transaction)
      return (await transaction.change(RELAYS.remove, { relayId })).length > 0
    },
  }
}

export const relayReader = (pool: Querying, vault: Vault): RelayReader => ({
  async find(relayId) {
    const row = await pool.get(RELAYS.find, { relayId })
    return row && relayOf(vault, row)
  },
  ofApp: async (appId) => (await pool.all(RELAYS.ofApp, { appId })).map((row) => relayOf(vault, row)),
})

const thisKey = eq(apiKeys.keyId, bind(apiKeys.keyId, 'keyId'))
const keysWhere = (...conditions: Array<SQL | undefined>) =>
  db
    .select({ key: apiKeys, organizationId: apps.organizationId, region: apps.region })
    .from(apiKeys)
    .innerJoin(apps, eq(apps.appId, apiKeys.appId))
    .where(and(...conditions))
    .orderBy(apiKeys.createdAt, apiKeys.keyId)

const keyChange = (...names: Array<'expiresAt' | 'allows'>) =>
  statement(() => db.update(apiKeys).set(changes(apiKeys, names)).where(thisKey).prepare(''))

const keysOfApp = statement(() => keysWhere(eq(apiKeys.appId, bind(apiKeys.appId, 'appId'))).prepare(''))

const KEYS = {
  lock: statement(() => keysWhere(thisKey).for('no key update', { of: apiKeys }).prepare('')),
  insert: addition(apiKeys),
  revoke: statement(() =>
    db
      .update(apiKeys)
      .set(changes(apiKeys, ['revokedAt']))
      .where(and(thisKey, isNull(apiKeys.revokedAt)))
      .prepare(''),
  ),
  expire: keyChange('expiresAt'),
  allow: keyChange('allows'),
  /**
   * Keeps the later time, because another server may have stored one. Rows are locked in order, so that two servers
   * with the same keys cannot deadlock.
   */
  touch: plain(
    `WITH used AS (
       SELECT key_id AS used_key, used_at FROM api_keys, unnest($1::text[], $2::bigint[]) AS one (used_key, used_at)
       WHERE key_id = one.used_key ORDER BY key_id FOR NO KEY UPDATE OF api_keys)
     UPDATE api_keys SET last_used_at = greatest(last_used_at, used_at) FROM used WHERE key_id = used_key`,
    ({ keyIds, usedAt }) => [keyIds, usedAt],
  ),
}

export function keyTx(transaction: Transaction): Tx['keys'] {
  return {
    ofApp: async (appId) => (await transaction.all(keysOfApp, { appId })).map(keyOf),
    async lock(keyId) {
      const row = await transaction.get(KEYS.lock, { keyId })
      return row && keyOf(row)
    },
    async add(key) {
      transaction.run(KEYS.insert, newKeyRow(key))
      settingsChanged(transaction)
    },
    async revoke(keyId, at) {
      transaction.run(KEYS.revoke, { keyId, revokedAt: at })
      settingsChanged(transaction)
    },
    async expire(keyId, expiresAt) {
      transaction.run(KEYS.expire, { keyId, expiresAt })
      settingsChanged(transaction)
    },
    async allow(keyId, allows) {
      transaction.run(KEYS.allow, { keyId, allows })
      settingsChanged(transaction)
    },
    async touch(usedAt) {
      transaction.run(KEYS.touch, { keyIds: listOf([...usedAt.keys()]), usedAt: listOf([...usedAt.values()]) })
    },
  }
}

const KEY_READS = {
  byHash: statement(() => keysWhere(eq(apiKeys.hash, bind(apiKeys.hash, 'hash')), isThere).prepare('')),
  find: statement(() => keysWhere(thisKey).prepare('')),
  publicKeys: statement(() => keysWhere(eq(apiKeys.kind, sql`'pk'`), isNull(apiKeys.revokedAt)).prepare('')),
}

export const keyReader = (pool: Querying): KeyReader => ({
  async findByHash(hash) {
    const row = await pool.get(KEY_READS.byHash, { hash })
    return row && keyOf(row)
  },
  async find(keyId) {
    const row = await pool.get(KEY_READS.find, { keyId })
    return row && keyOf(row)
  },
  ofApp: async (appId) => (await pool.all(keysOfApp, { appId })).map(keyOf),
  publicOrigins: async () => originsOf(await pool.all(KEY_READS.publicKeys)),
})
