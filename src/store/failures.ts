/** Failures of phones: wrong codes, and channels that do not reach them. */
import { sql } from 'drizzle-orm'
import type { PhoneOfApp } from '../domain/access/rate-limits'
import type { AbsenceTx, FailureTx } from '../ports/store/phones'
import { inDialect } from './dialect'
import type { Session } from './session'
import { statement } from './statement'

const STATEMENTS = inDialect(({ db, tables: { absentPhones, failures }, match, parameters, excluded, locked }) => {
  const key = [failures.appId, failures.keyKind, failures.phoneHash]
  return {
    /** A row to lock, so that two simultaneous wrong codes both count even if they are the first. */
    make: statement(() =>
      db
        .insert(failures)
        .values({ ...parameters(failures, ['appId', 'keyKind', 'phoneHash']), state: sql`'null'`, lastAt: 0 } as never)
        .onConflictDoNothing(),
    ),
    lock: statement(() =>
      locked(
        db
          .select({ state: failures.state })
          .from(failures)
          .where(match(failures, 'appId', 'keyKind', 'phoneHash')),
      ),
    ),
    save: statement(() =>
      db
        .insert(failures)
        .values(parameters(failures))
        .onConflictDoUpdate({ target: key, set: excluded(failures, ['state', 'lastAt']) }),
    ),
    noteAbsence: statement(() =>
      db
        .insert(absentPhones)
        .values(parameters(absentPhones))
        .onConflictDoUpdate({
          target: [absentPhones.phoneHash, absentPhones.channel],
          set: excluded(absentPhones, ['until']),
        }),
    ),
    forgetAbsences: statement(() => db.delete(absentPhones).where(match(absentPhones, 'phoneHash'))),
  }
})

export function failureTx(tx: Session): FailureTx {
  const its = STATEMENTS(tx)
  const named = ({ appId, kind: keyKind, phoneHash }: PhoneOfApp) => ({ appId, keyKind, phoneHash })
  return {
    async lock(phone) {
      if (tx.dialect.hasRowLocks) tx.run(its.make, named(phone))
      return (await tx.get(its.lock, named(phone)))?.state ?? undefined
    },
    save: async (phone, state) => tx.run(its.save, { ...named(phone), state, lastAt: state.lastAt }),
  }
}

export function absenceTx(tx: Session): AbsenceTx {
  const its = STATEMENTS(tx)
  return {
    note: async (channel, phoneHash, until) => tx.run(its.noteAbsence, { channel, phoneHash, until }),
    forget: async (phoneHash) => tx.run(its.forgetAbsences, { phoneHash }),
  }
}
