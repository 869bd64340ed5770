/** API keys. */
import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../../ports/store'
import type { KeyReader } from '../../ports/store/apps'
import { keyOf, newKeyRow, originsOf } from '../rows/key'
import { isThere } from './apps'
import { addition, bind, changes, db, listOf, plain, statement } from './connection/statement'
import type { Querying, Transaction } from './connection/transaction'
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
    ofApp: async (appId) => (await transaction.all(ofApp, { appId })).map(keyOf),
    async lock(keyId) {
      const row = await transaction.get(STATEMENTS.lock, { keyId })
      return row && keyOf(row)
    },
    async add(key) {
      transaction.run(STATEMENTS.insert, newKeyRow(key))
      settingsChanged(transaction)
    },
    async revoke(keyId, at) {
      transaction.run(STATEMENTS.revoke, { keyId, revokedAt: at })
      settingsChanged(transaction)
    },
    async expire(keyId, expiresAt) {
      transaction.run(STATEMENTS.expire, { keyId, expiresAt })
      settingsChanged(transaction)
    },
    async allow(keyId, allows) {
      transaction.run(STATEMENTS.allow, { keyId, allows })
      settingsChanged(transaction)
    },
    async touch(usedAt) {
      transaction.run(STATEMENTS.touch, { keyIds: listOf([...usedAt.keys()]), usedAt: listOf([...usedAt.values()]) })
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
