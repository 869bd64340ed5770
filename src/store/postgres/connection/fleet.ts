/** The servers that share the database, and the rate limits that they count together. */

import { sql } from 'drizzle-orm'
import {
  countedOnce,
  countedOnceLess,
  type LimitRule,
  limited,
  type SharedCount,
} from '../../../domain/access/rate-limits'
import type { NodeState } from '../../../domain/operations/node'
import { VERSION } from '../../../domain/operations/version'
import { DAY_MS } from '../../../domain/shared/value'
import type { Fleet } from '../../../ports/node'
import { POSTGRES } from '../../dialect'
import type { Querying, Session } from '../../session'

const COLUMNS = 'node_id, name, version, started_at, seen_at, leaving, lag_ms, followed, changes'

function nodeOf(row: readonly unknown[]): NodeState {
  const [nodeId, name, version, startedAt, seenAt, isLeaving, lagMs, isFollowed, changes] = row
  return {
    ...{ nodeId: String(nodeId), name: String(name), version: String(version), isLeaving: Boolean(isLeaving) },
    ...{ startedAt: Number(startedAt), seenAt: Number(seenAt), lagMs: Number(lagMs) },
    ...{ isFollowed: Boolean(isFollowed), changes: JSON.parse(String(changes)) },
  }
}

/** When the oldest job of all is due: the first of each queue, however many jobs each holds. */
const OLDEST = `(WITH RECURSIVE head AS (
     (SELECT kind, queue, run_at FROM jobs ORDER BY kind, queue, run_at LIMIT 1)
     UNION ALL
     SELECT next.* FROM head, LATERAL (SELECT kind, queue, run_at FROM jobs WHERE (kind, queue) > (head.kind, head.queue)
       ORDER BY kind, queue, run_at LIMIT 1) AS next
   ) SELECT min(run_at) FROM head)`

/**
 * Heartbeat by the database's clock. If that is set back, the later time stays until stored times are adjusted. Servers
 * not seen for a day and expired counts are deleted.
 */
const { number, word, plain } = POSTGRES
const flag = (name: string) => sql`${sql.placeholder(name)}::boolean`
const columns = sql.raw(COLUMNS)

const STATEMENTS = {
  beat: plain(
    () => sql`WITH here AS (
       INSERT INTO nodes (node_id, name, version, started_at, seen_at, leaving, lag_ms, followed, changes)
       SELECT ${word('nodeId')}, ${word('name')}, ${word('version')}, clock_ms(), clock_ms(), ${flag('isLeaving')},
         greatest(0, clock_ms() - ${sql.raw(OLDEST)}), ${flag('isFollowed')}, ${word('changes')}
       ON CONFLICT (node_id) DO UPDATE SET seen_at = greatest(nodes.seen_at, excluded.seen_at), leaving = excluded.leaving,
         lag_ms = excluded.lag_ms, followed = excluded.followed, changes = excluded.changes
       RETURNING ${columns}
     ), gone AS (DELETE FROM nodes WHERE seen_at < clock_ms() - ${sql.raw(String(DAY_MS))} AND node_id <> ${word('nodeId')}
     ), over AS (DELETE FROM counted WHERE subject IN
       (SELECT subject FROM counted WHERE ends_at <= clock_ms() LIMIT 1000 FOR UPDATE SKIP LOCKED))
     SELECT ${columns} FROM here UNION ALL SELECT ${columns} FROM nodes WHERE node_id <> ${word('nodeId')} ORDER BY node_id`,
    nodeOf,
  ),
  forget: plain(() => sql`DELETE FROM nodes WHERE node_id = ${word('nodeId')}`),
  nodes: plain(() => sql`SELECT ${columns} FROM nodes ORDER BY node_id`, nodeOf),
  makeCount: plain(
    () => sql`INSERT INTO counted (subject, times, ends_at) VALUES (${word('subject')}, '{}', ${number('endsAt')})
      ON CONFLICT DO NOTHING`,
  ),
  lockCount: plain(
    () => sql`SELECT array_to_json(times), ends_at FROM counted WHERE subject = ${word('subject')} FOR UPDATE`,
    ([times, endsAt]): SharedCount => ({
      times: (typeof times === 'string' ? JSON.parse(times) : times) as number[],
      endsAt: Number(endsAt),
    }),
  ),
  saveCount: plain(
    () => sql`UPDATE counted SET times = ${word('times')}::bigint[], ends_at = ${number('endsAt')}
      WHERE subject = ${word('subject')}`,
  ),
}

export const nodesOf = async (pool: Querying): Promise<NodeState[]> => pool.all(STATEMENTS.nodes)

/** Runs statements in a transaction of their own. */
export type InTransaction = <T>(work: (tx: Session) => Promise<T>) => Promise<T>

async function lockCount(tx: Session, { subject, endsAt }: { subject: string; endsAt: number }): Promise<SharedCount> {
  tx.run(STATEMENTS.makeCount, { subject, endsAt })
  return (await tx.get(STATEMENTS.lockCount, { subject })) ?? { times: [], endsAt }
}

const saveCount = (tx: Session, subject: string, { times, endsAt }: SharedCount): void =>
  tx.run(STATEMENTS.saveCount, { subject, times: `{${times.join()}}`, endsAt })

/** Counts one under each rule, or under none: then answers the refusal. */
async function countAll(tx: Session, rules: readonly LimitRule[]) {
  await tx.opened()
  const found: Array<{ rule: LimitRule; waitMs: number; next: SharedCount }> = []
  for (const rule of rules) {
    const stored = await lockCount(tx, { subject: subjectOf(rule), endsAt: tx.now })
    found.push({ rule, ...countedOnce(rule, stored, tx.now) })
  }
  const worst = found.toSorted((one, other) => other.waitMs - one.waitMs)[0]
  if (worst && worst.waitMs > 0) return limited(worst.rule, worst.waitMs)
  for (const { rule, next } of found) saveCount(tx, subjectOf(rule), next)
  return undefined
}

export function createFleet(pool: Querying, inTransaction: InTransaction, nodeId: string): Fleet {
  return {
    nodeId,
    async heartbeat({ name, isLeaving, isFollowed = false, changes = {} }) {
      const said = { nodeId, name, isLeaving, isFollowed, changes: JSON.stringify(changes), version: VERSION }
      return pool.all(STATEMENTS.beat, said)
    },
    async forget(nodeId) {
      await pool.all(STATEMENTS.forget, { nodeId })
    },
    async acquire(rules) {
      if (rules.length === 0) return { release() {} }
      // In one order: two that count the same wait for each other in one direction.
      const ordered = rules.toSorted((a, b) => (subjectOf(a) < subjectOf(b) ? -1 : 1))
      const refused = await inTransaction((tx) => countAll(tx, ordered))
      if (refused) throw refused
      let isCounted = true
      return {
        async release() {
          if (!isCounted) return
          isCounted = false
          const takeBack = async (tx: Session) => {
            await tx.opened()
            for (const rule of ordered) {
              const stored = await lockCount(tx, { subject: subjectOf(rule), endsAt: tx.now })
              if (stored.endsAt > tx.now) saveCount(tx, subjectOf(rule), countedOnceLess(stored, rule.windowMs))
            }
          }
          // On failure the count stays until its window ends.
          await inTransaction(takeBack).catch(() => {})
        },
      }
    },
  }
}

const subjectOf = ({ limit, windowMs, subject }: LimitRule) => `${limit}/${windowMs}/${subject}`
