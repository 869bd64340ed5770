/** Names of a PostgreSQL: read without a secret, and without making or migrating anything. */
import type { Clock } from '../../ports/clock'
import { type Name, type NamedKind, namesQuery } from '../names'
import { connect, end } from './connection/pool'

/** Who types does not wait longer. */
const WITHIN_MS = 1_000

/** Of one app, where it is given and they belong to one. None where nobody answers soon, or not of such tables. */
export async function readNames(
  { url, clock }: { url: string; clock: Pick<Clock, 'after'> },
  what: NamedKind,
  appId?: string,
): Promise<Name[]> {
  const { text, isOfApp } = namesQuery(what, '$1::text')
  const late = Promise.withResolvers<Name[]>()
  const cancel = clock.after(WITHIN_MS, () => late.resolve([]))
  const sql = connect({ url, size: 1 }, 'watchword complete')
  try {
    return await Promise.race([sql.unsafe(text, isOfApp ? [appId ?? null] : []), late.promise])
  } catch {
    return []
  } finally {
    cancel()
    end(sql)
  }
}
