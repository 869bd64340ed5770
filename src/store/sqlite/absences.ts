/** Phones that a channel does not reach. */
import type { Database } from 'bun:sqlite'
import { eq, sql } from 'drizzle-orm'
import type { Tx } from '../../ports/store'
import { bind, drizzle, onFirstUse, parameters } from './connection/statement'
import { absentPhones } from './schema'

export function createAbsenceTx(connection: Database): Pick<Tx, 'absences'> {
  const db = drizzle(connection)
  const run = {
    note: onFirstUse(() =>
      db
        .insert(absentPhones)
        .values(parameters(absentPhones))
        .onConflictDoUpdate({
          target: [absentPhones.phoneHash, absentPhones.channel],
          set: { until: sql`excluded.until` },
        })
        .prepare(),
    ),
    forget: onFirstUse(() =>
      db
        .delete(absentPhones)
        .where(eq(absentPhones.phoneHash, bind(absentPhones.phoneHash, 'phoneHash')))
        .prepare(),
    ),
  }
  return {
    absences: {
      async note(channel, phoneHash, until) {
        run.note.run({ channel, phoneHash, until })
      },
      async forget(phoneHash) {
        run.forget.run({ phoneHash })
      },
    },
  }
}
