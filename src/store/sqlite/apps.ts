/** Apps with their keys, templates and challenges. */
import type { Database } from 'bun:sqlite'
import { and, desc, eq, isNull, lte, type SQL, sql } from 'drizzle-orm'
import { VERSIONS_KEPT } from '../../domain/message/template'
import type { Reader, Tx } from '../../ports/store'
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
import { bind, changes, db, on, parameters, statement } from './connection/statement'
import type { TransactionState } from './connection/transaction-state'
import { apiKeys, apps, challenges, organizations, relays, templates } from './schema'

const appsWhere = (condition?: SQL) =>
  statement(() => db.select().from(apps).where(condition).orderBy(apps.createdAt).prepare())
export const isThere = isNull(apps.removedAt)
const appThere = and(eq(apps.appId, bind(apps.appId, 'appId')), isThere)
const thisTemplate = and(
  eq(templates.appId, bind(templates.appId, 'appId')),
  eq(templates.templateId, bind(templates.templateId, 'templateId')),
)

const APP_TX = {
  findApp: appsWhere(appThere),
  findOrganization: statement(() =>
    db.select().from(organizations).orderBy(organizations.createdAt).limit(1).prepare(),
  ),
  insertOrganization: statement(() => db.insert(organizations).values(parameters(organizations)).prepare()),
  insertApp: statement(() => db.insert(apps).values(parameters(apps)).prepare()),
  updateApp: statement(() =>
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
      .where(eq(apps.appId, bind(apps.appId, 'appId')))
      .prepare(),
  ),
  removeApp: statement(() =>
    db
      .update(apps)
      .set(changes(apps, ['removedAt']))
      .where(eq(apps.appId, bind(apps.appId, 'appId')))
      .prepare(),
  ),

  newestTemplate: statement(() =>
    db.select().from(templates).where(thisTemplate).orderBy(desc(templates.version)).limit(1).prepare(),
  ),
  insertTemplate: statement(() => db.insert(templates).values(parameters(templates)).prepare()),
  deleteOldVersions: statement(() =>
    db
      .delete(templates)
      .where(and(thisTemplate, lte(templates.version, bind(templates.version, 'version'))))
      .prepare(),
  ),
  deleteTemplate: statement(() =>
    db.delete(templates).where(thisTemplate).returning({ version: templates.version }).prepare(),
  ),
}

export function createAppTx(connection: Database, current: TransactionState): Pick<Tx, 'apps' | 'templates'> {
  const run = on(connection, APP_TX)

  return {
    apps: {
      async organizationId(first) {
        const known = run.findOrganization.get()
        if (known) return known.organizationId
        run.insertOrganization.run({ ...first, createdAt: current.now })
        return first.organizationId
      },
      async lock(appId) {
        const row = run.findApp.get({ appId })
        return row && appOf(row)
      },
      async add(app) {
        run.insertApp.run(appRow(app))
        current.settingsChanged()
      },
      async save(app) {
        run.updateApp.run(appRow(app))
        current.settingsChanged()
      },
      async remove(appId) {
        run.removeApp.run({ appId, removedAt: current.now })
        current.settingsChanged()
      },
    },
    templates: {
      async find(appId, templateId) {
        const row = run.newestTemplate.get({ appId, templateId })
        return row && templateOf(row)
      },
      async save(appId, template, savedBy) {
        const newest = run.newestTemplate.get({ appId, templateId: template.templateId })?.version ?? 0
        const version = newest + 1
        run.insertTemplate.run(templateRow(template, { appId, version, savedBy, createdAt: current.now }))
        run.deleteOldVersions.run({ appId, templateId: template.templateId, version: version - VERSIONS_KEPT })
        current.settingsChanged()
      },
      async remove(appId, templateId) {
        current.settingsChanged()
        return run.deleteTemplate.all({ appId, templateId }).length > 0
      },
    },
  }
}

const APP_READER = {
  allApps: appsWhere(),
  appsThere: appsWhere(isThere),
  appById: appsWhere(appThere),
  versionsOfTemplate: statement(() =>
    db.select().from(templates).where(thisTemplate).orderBy(desc(templates.version)).prepare(),
  ),
  templatesOfApp: statement(() =>
    db
      .select()
      .from(templates)
      .where(eq(templates.appId, bind(templates.appId, 'appId')))
      .orderBy(templates.templateId, templates.version)
      .prepare(),
  ),
}

export function createAppReader(connection: Database): Pick<Reader, 'apps' | 'templates'> {
  const { allApps, appsThere, appById, versionsOfTemplate, templatesOfApp } = on(connection, APP_READER)

  return {
    apps: {
      async all() {
        return appsThere.all().map(appOf)
      },
      async withRemoved() {
        return allApps.all().map(appOf)
      },
      async find(appId) {
        const row = appById.get({ appId })
        return row && appOf(row)
      },
    },
    templates: {
      async ofApp(appId) {
        return newestOf(templatesOfApp.all({ appId }))
      },
      async versions(appId, templateId) {
        return versionsOfTemplate.all({ appId, templateId }).map(versionOf)
      },
    },
  }
}

const ofApp = eq(challenges.appId, bind(challenges.appId, 'appId'))
const challengeOfApp = statement(() => db.select().from(challenges).where(ofApp).prepare())

const CHALLENGE_TX = {
  find: challengeOfApp,
  upsert: statement(() =>
    db
      .insert(challenges)
      .values(parameters(challenges))
      .onConflictDoUpdate({ target: challenges.appId, set: { settings: sql`excluded.settings` } })
      .prepare(),
  ),
  remove: statement(() => db.delete(challenges).where(ofApp).returning({ appId: challenges.appId }).prepare()),
}

export function createChallengeTx(
  connection: Database,
  vault: Vault,
  current: TransactionState,
): Pick<Tx, 'challenges'> {
  const run = on(connection, CHALLENGE_TX)
  return {
    challenges: {
      async find(appId) {
        const row = run.find.get({ appId })
        return row && challengeOf(vault, row)
      },
      async save(appId, settings) {
        run.upsert.run({ ...challengeRow(vault, appId, settings) })
        current.settingsChanged()
      },
      async remove(appId) {
        current.settingsChanged()
        return run.remove.all({ appId }).length > 0
      },
    },
  }
}

export function createChallengeReader(connection: Database, vault: Vault): Pick<Reader, 'challenges'> {
  const find = challengeOfApp.on(connection)
  return {
    challenges: {
      async find(appId) {
        const row = find.get({ appId })
        return row && challengeOf(vault, row)
      },
    },
  }
}

const thisRelay = eq(relays.relayId, bind(relays.relayId, 'relayId'))

const RELAY_TX = {
  upsert: statement(() =>
    db
      .insert(relays)
      .values(parameters(relays))
      .onConflictDoUpdate({ target: relays.relayId, set: { settings: sql`excluded.settings` } })
      .prepare(),
  ),
  remove: statement(() => db.delete(relays).where(thisRelay).returning({ relayId: relays.relayId }).prepare()),
}

export function createRelayTx(connection: Database, vault: Vault, current: TransactionState): Pick<Tx, 'relays'> {
  const run = on(connection, RELAY_TX)
  return {
    relays: {
      async save(relay) {
        run.upsert.run({ ...relayRow(vault, relay) })
        current.settingsChanged()
      },
      async remove(relayId) {
        current.settingsChanged()
        return run.remove.all({ relayId }).length > 0
      },
    },
  }
}

const RELAY_READER = {
  find: statement(() => db.select().from(relays).where(thisRelay).prepare()),
  ofApp: statement(() =>
    db
      .select()
      .from(relays)
      .where(eq(relays.appId, bind(relays.appId, 'appId')))
      .orderBy(relays.relayId)
      .prepare(),
  ),
}

export function createRelayReader(connection: Database, vault: Vault): Pick<Reader, 'relays'> {
  const { find, ofApp } = on(connection, RELAY_READER)
  return {
    relays: {
      async find(relayId) {
        const row = find.get({ relayId })
        return row && relayOf(vault, row)
      },
      async ofApp(appId) {
        return ofApp.all({ appId }).map((row) => relayOf(vault, row))
      },
    },
  }
}

const keysWhere = (...conditions: Parameters<typeof and>) =>
  statement(() =>
    db
      .select({ key: apiKeys, organizationId: apps.organizationId, region: apps.region })
      .from(apiKeys)
      .innerJoin(apps, eq(apps.appId, apiKeys.appId))
      .where(and(...conditions))
      .orderBy(apiKeys.createdAt)
      .prepare(),
  )
const thisKey = eq(apiKeys.keyId, bind(apiKeys.keyId, 'keyId'))
const keysOfApp = keysWhere(eq(apiKeys.appId, bind(apiKeys.appId, 'appId')))

const KEY_TX = {
  ofApp: keysOfApp,
  findKey: keysWhere(thisKey),
  insertKey: statement(() => db.insert(apiKeys).values(parameters(apiKeys)).prepare()),
  revokeKey: statement(() =>
    db
      .update(apiKeys)
      .set(changes(apiKeys, ['revokedAt']))
      .where(and(thisKey, sql`${apiKeys.revokedAt} IS NULL`))
      .prepare(),
  ),
  expireKey: statement(() =>
    db
      .update(apiKeys)
      .set(changes(apiKeys, ['expiresAt']))
      .where(thisKey)
      .prepare(),
  ),
  allowKey: statement(() =>
    db
      .update(apiKeys)
      .set(changes(apiKeys, ['allows']))
      .where(thisKey)
      .prepare(),
  ),
  touchKey: statement(() =>
    db
      .update(apiKeys)
      .set(changes(apiKeys, ['lastUsedAt']))
      .where(thisKey)
      .prepare(),
  ),
}

export function createKeyTx(connection: Database, current: TransactionState): Pick<Tx, 'keys'> {
  const run = on(connection, KEY_TX)

  return {
    keys: {
      async ofApp(appId) {
        return run.ofApp.all({ appId }).map(keyOf)
      },
      async lock(keyId) {
        const row = run.findKey.get({ keyId })
        return row && keyOf(row)
      },
      async add(key) {
        run.insertKey.run(newKeyRow(key))
        current.settingsChanged()
      },
      async revoke(keyId, at) {
        run.revokeKey.run({ keyId, revokedAt: at })
        current.settingsChanged()
      },
      async expire(keyId, expiresAt) {
        run.expireKey.run({ keyId, expiresAt })
        current.settingsChanged()
      },
      async allow(keyId, allows) {
        run.allowKey.run({ keyId, allows })
        current.settingsChanged()
      },
      async touch(usedAt) {
        for (const [keyId, lastUsedAt] of usedAt) run.touchKey.run({ keyId, lastUsedAt })
      },
    },
  }
}

const KEY_READER = {
  keyByHash: keysWhere(eq(apiKeys.hash, bind(apiKeys.hash, 'hash')), isThere),
  keyById: keysWhere(thisKey),
  ofApp: keysOfApp,
  publicKeys: keysWhere(eq(apiKeys.kind, sql`'pk'`), isNull(apiKeys.revokedAt)),
}

export function createKeyReader(connection: Database): Pick<Reader, 'keys'> {
  const { keyByHash, keyById, ofApp, publicKeys } = on(connection, KEY_READER)

  return {
    keys: {
      async findByHash(hash) {
        const row = keyByHash.get({ hash })
        return row && keyOf(row)
      },
      async find(keyId) {
        const row = keyById.get({ keyId })
        return row && keyOf(row)
      },
      async ofApp(appId) {
        return ofApp.all({ appId }).map(keyOf)
      },
      async publicOrigins() {
        return originsOf(publicKeys.all())
      },
    },
  }
}
