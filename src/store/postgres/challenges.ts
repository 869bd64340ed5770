/** What apps ask for where they would refuse. */
import { eq, sql } from 'drizzle-orm'
import type { Tx } from '../../ports/store'
import type { ChallengeReader } from '../../ports/store/apps'
import type { Vault } from '../../ports/vault'
import { challengeOf, challengeRow } from '../rows/challenge'
import { bind, db, parameters, statement } from './connection/statement'
import type { Querying, Unit } from './connection/unit'
import { challenges } from './schema'
import { settingsChanged } from './settings'

const ofApp = eq(challenges.appId, bind(challenges.appId, 'appId'))

const STATEMENTS = {
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

export function challengeTx(unit: Unit, vault: Vault): Tx['challenges'] {
  return {
    async find(appId) {
      const row = await unit.get(STATEMENTS.find, { appId })
      return row && challengeOf(vault, row)
    },
    async save(appId, settings) {
      unit.run(STATEMENTS.upsert, { ...challengeRow(vault, appId, settings) })
      settingsChanged(unit)
    },
    async remove(appId) {
      settingsChanged(unit)
      return (await unit.change(STATEMENTS.remove, { appId })).length > 0
    },
  }
}

export const challengeReader = (pool: Querying, vault: Vault): ChallengeReader => ({
  async find(appId) {
    const row = await pool.get(STATEMENTS.find, { appId })
    return row && challengeOf(vault, row)
  },
})
