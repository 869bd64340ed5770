/** API keys. */
import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../../ports/store'
import type { KeyReader } from '../../ports/store/apps'
import { keyOf, newKeyRow, originsOf } from '../rows/key'
import { isThere } from './apps'
import { addition, bind, changes, db, listOf, plain, statement } from './connection/statement'
import type { Querying, Unit } from './connection/unit'
import { apiKeys, apps } from './schema'
import { settingsChanged } from './settings'

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

const ofApp = statement(() => keysWhere(eq(apiKeys.appId, bind(apiKeys.appId, 'appId'))).prepare(''))

const STATEMENTS = {
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
  /** Another server may know of a later use. In one order: two of them tell of the same keys. */
  touch: plain(
    `WITH used AS (
       SELECT key_id AS used_key, used_at FROM api_keys, unnest($1::text[], $2::bigint[]) AS one (used_key, used_at)
       WHERE key_id = one.used_key ORDER BY key_id FOR NO KEY UPDATE OF api_keys)
     UPDATE api_keys SET last_used_at = greatest(last_used_at, used_at) FROM used WHERE key_id = used_key`,
    ({ keyIds, usedAt }) => [keyIds, usedAt],
  ),
}

export function keyTx(unit: Unit): Tx['keys'] {
  return {
    ofApp: async (appId) => (await unit.all(ofApp, { appId })).map(keyOf),
    async lock(keyId) {
      const row = await unit.get(STATEMENTS.lock, { keyId })
      return row && keyOf(row)
    },
    async add(key) {
      unit.run(STATEMENTS.insert, newKeyRow(key))
      settingsChanged(unit)
    },
    async revoke(keyId, at) {
      unit.run(STATEMENTS.revoke, { keyId, revokedAt: at })
      settingsChanged(unit)
    },
    async expire(keyId, expiresAt) {
      unit.run(STATEMENTS.expire, { keyId, expiresAt })
      settingsChanged(unit)
    },
    async allow(keyId, allows) {
      unit.run(STATEMENTS.allow, { keyId, allows })
      settingsChanged(unit)
    },
    async touch(usedAt) {
      unit.run(STATEMENTS.touch, { keyIds: listOf([...usedAt.keys()]), usedAt: listOf([...usedAt.values()]) })
    },
  }
}

const READS = {
  byHash: statement(() => keysWhere(eq(apiKeys.hash, bind(apiKeys.hash, 'hash')), isThere).prepare('')),
  find: statement(() => keysWhere(thisKey).prepare('')),
  publicKeys: statement(() => keysWhere(eq(apiKeys.kind, sql`'pk'`), isNull(apiKeys.revokedAt)).prepare('')),
}

export const keyReader = (pool: Querying): KeyReader => ({
  async findByHash(hash) {
    const row = await pool.get(READS.byHash, { hash })
    return row && keyOf(row)
  },
  async find(keyId) {
    const row = await pool.get(READS.find, { keyId })
    return row && keyOf(row)
  },
  ofApp: async (appId) => (await pool.all(ofApp, { appId })).map(keyOf),
  publicOrigins: async () => originsOf(await pool.all(READS.publicKeys)),
})
