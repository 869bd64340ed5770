/** Failures of phones: wrong codes, and channels that do not reach them. */
import type { Database } from 'bun:sqlite'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { PhoneOfApp } from '../../domain/access/rate-limits'
import type { Tx } from '../../ports/store'
import { bind, db, on, parameters, statement } from './connection/statement'
import { absentPhones, failures, type issues } from './schema'

/** Failures at the phone that the parameters name. */
export const theseFailures = and(
  eq(failures.appId, bind(failures.appId, 'appId')),
  eq(failures.keyKind, bind(failures.keyKind, 'kind')),
  eq(failures.phoneHash, bind(failures.phoneHash, 'phoneHash')),
)

/** Failures at the phone of an issue. */
export const failuresOf = ({ appId, keyKind, phoneHash }: typeof issues): SQL =>
  sql`(SELECT 1 FROM ${failures} WHERE ${failures.appId} = ${appId} AND ${failures.keyKind} = ${keyKind}
    AND ${failures.phoneHash} = ${phoneHash})`

const FAILURE_TX = {
  find: statement(() => db.select({ state: failures.state }).from(failures).where(theseFailures).prepare()),
  save: statement(() =>
    db
      .insert(failures)
      .values(parameters(failures))
      .onConflictDoUpdate({
        target: [failures.appId, failures.keyKind, failures.phoneHash],
        set: { state: sql`excluded.state`, lastAt: sql`excluded.last_at` },
      })
      .prepare(),
  ),
}

export function createFailureTx(connection: Database): Pick<Tx, 'failures'> {
  const run = on(connection, FAILURE_TX)
  const named = ({ appId, kind, phoneHash }: PhoneOfApp) => ({ appId, kind, phoneHash })
  return {
    failures: {
      async lock(phone) {
        return run.find.get(named(phone))?.state ?? undefined
      },
      async save({ appId, kind: keyKind, phoneHash }, state) {
        run.save.run({ appId, keyKind, phoneHash, state, lastAt: state.lastAt })
      },
    },
  }
}

const ABSENCE_TX = {
  note: statement(() =>
    db
      .insert(absentPhones)
      .values(parameters(absentPhones))
      .onConflictDoUpdate({
        target: [absentPhones.phoneHash, absentPhones.channel],
        set: { until: sql`excluded.until` },
      })
      .prepare(),
  ),
  forget: statement(() =>
    db
      .delete(absentPhones)
      .where(eq(absentPhones.phoneHash, bind(absentPhones.phoneHash, 'phoneHash')))
      .prepare(),
  ),
}

export function createAbsenceTx(connection: Database): Pick<Tx, 'absences'> {
  const run = on(connection, ABSENCE_TX)
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
