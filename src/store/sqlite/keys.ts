/** API keys. */
import type { Database } from 'bun:sqlite'
import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Reader, Tx } from '../../ports/store'
import { keyOf, newKeyRow, originsOf } from '../rows/key'
import { isThere } from './apps'
import { bind, changes, type Drizzle, drizzle, onFirstUse, parameters } from './connection/statement'
import type { TransactionState } from './connection/transaction-state'
import { apiKeys, apps } from './schema'

const keysWhere = (db: Drizzle, ...conditions: Parameters<typeof and>) =>
  onFirstUse(() =>
    db
      .select({ key: apiKeys, organizationId: apps.organizationId, region: apps.region })
      .from(apiKeys)
      .innerJoin(apps, eq(apps.appId, apiKeys.appId))
      .where(and(...conditions))
      .orderBy(apiKeys.createdAt)
      .prepare(),
  )
const thisKey = eq(apiKeys.keyId, bind(apiKeys.keyId, 'keyId'))
const keysOfApp = (db: Drizzle) => keysWhere(db, eq(apiKeys.appId, bind(apiKeys.appId, 'appId')))

export function createKeyTx(connection: Database, current: TransactionState): Pick<Tx, 'keys'> {
  const db = drizzle(connection)
  const run = {
    ofApp: keysOfApp(db),
    findKey: keysWhere(db, thisKey),
    insertKey: onFirstUse(() => db.insert(apiKeys).values(parameters(apiKeys)).prepare()),
    revokeKey: onFirstUse(() =>
      db
        .update(apiKeys)
        .set(changes(apiKeys, ['revokedAt']))
        .where(and(thisKey, sql`${apiKeys.revokedAt} IS NULL`))
        .prepare(),
    ),
    expireKey: onFirstUse(() =>
      db
        .update(apiKeys)
        .set(changes(apiKeys, ['expiresAt']))
        .where(thisKey)
        .prepare(),
    ),
    allowKey: onFirstUse(() =>
      db
        .update(apiKeys)
        .set(changes(apiKeys, ['allows']))
        .where(thisKey)
        .prepare(),
    ),
    touchKey: onFirstUse(() =>
      db
        .update(apiKeys)
        .set(changes(apiKeys, ['lastUsedAt']))
        .where(thisKey)
        .prepare(),
    ),
  }

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

export function createKeyReader(connection: Database): Pick<Reader, 'keys'> {
  const db = drizzle(connection)
  const keyByHash = keysWhere(db, eq(apiKeys.hash, bind(apiKeys.hash, 'hash')), isThere)
  const keyById = keysWhere(db, thisKey)
  const ofApp = keysOfApp(db)
  const publicKeys = keysWhere(db, eq(apiKeys.kind, sql`'pk'`), isNull(apiKeys.revokedAt))

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
