/** What apps ask for where they would refuse. */
import type { Database } from 'bun:sqlite'
import { eq, sql } from 'drizzle-orm'
import type { Reader, Tx } from '../../ports/store'
import type { Vault } from '../../ports/vault'
import { challengeOf, challengeRow } from '../rows/challenge'
import { type Drizzle, drizzle } from './connection/drizzle'
import { bind, onFirstUse, parameters } from './connection/statement'
import type { Current } from './connection/transaction-state'
import { challenges } from './schema'

const ofApp = eq(challenges.appId, bind(challenges.appId, 'appId'))
const challengeOfApp = (db: Drizzle) => onFirstUse(() => db.select().from(challenges).where(ofApp).prepare())

export function createChallengeTx(connection: Database, vault: Vault, current: Current): Pick<Tx, 'challenges'> {
  const db = drizzle(connection)
  const run = {
    find: challengeOfApp(db),
    upsert: onFirstUse(() =>
      db
        .insert(challenges)
        .values(parameters(challenges))
        .onConflictDoUpdate({ target: challenges.appId, set: { settings: sql`excluded.settings` } })
        .prepare(),
    ),
    remove: onFirstUse(() => db.delete(challenges).where(ofApp).returning({ appId: challenges.appId }).prepare()),
  }
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
  const find = challengeOfApp(drizzle(connection))
  return {
    challenges: {
      async find(appId) {
        const row = find.get({ appId })
        return row && challengeOf(vault, row)
      },
    },
  }
}
