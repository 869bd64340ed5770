/** The servers that share the database, and the rate limits that they count together. */

import { type LimitRule, limited } from '../../../domain/access/rate-limits'
import type { NodeState } from '../../../domain/operations/node'
import { VERSION } from '../../../domain/operations/version'
import { DAY_MS } from '../../../domain/shared/value'
import type { Fleet } from '../../../ports/node'
import { listOf, plain } from './statement'
import type { Querying } from './transaction'

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
const BEAT = plain(
  `WITH here AS (
     INSERT INTO nodes (node_id, name, version, started_at, seen_at, leaving, lag_ms, followed, changes)
     SELECT $1, $2, $3, clock_ms(), clock_ms(), $4, greatest(0, clock_ms() - ${OLDEST}), $5, $6
     ON CONFLICT (node_id) DO UPDATE SET seen_at = greatest(nodes.seen_at, excluded.seen_at), leaving = excluded.leaving,
       lag_ms = excluded.lag_ms, followed = excluded.followed, changes = excluded.changes
     RETURNING ${COLUMNS}
   ), gone AS (DELETE FROM nodes WHERE seen_at < clock_ms() - ${DAY_MS} AND node_id <> $1
   ), over AS (DELETE FROM counted WHERE subject IN
     (SELECT subject FROM counted WHERE ends_at <= clock_ms() LIMIT 1000 FOR UPDATE SKIP LOCKED))
   SELECT ${COLUMNS} FROM here UNION ALL SELECT ${COLUMNS} FROM nodes WHERE node_id <> $1 ORDER BY node_id`,
  ({ nodeId, name, version, isLeaving, isFollowed = false, changes = {} }) => [
    ...[nodeId, name, version, isLeaving],
    ...[isFollowed, JSON.stringify(changes)],
  ],
  nodeOf,
)
const FORGET = plain('DELETE FROM nodes WHERE node_id = $1', ({ nodeId }) => [nodeId])
const NODES = plain(`SELECT ${COLUMNS} FROM nodes ORDER BY node_id`, () => [], nodeOf)

const COUNT = plain(
  'SELECT rule, wait FROM count_one($1::text[], $2::bigint[], $3::bigint[])',
  ({ subjects, most, windows }) => [subjects, most, windows],
  ([rule, wait]) => (rule === null ? undefined : { index: Number(rule) - 1, waitMs: Number(wait) }),
)
const TAKE_BACK = plain('SELECT take_back_one($1::text[], $2::bigint[])', ({ subjects, windows }) => [
  subjects,
  windows,
])

export const nodesOf = (pool: Querying): Promise<NodeState[]> => pool.all(NODES)

export function createFleet(pool: Querying, nodeId: string): Fleet {
  return {
    nodeId,
    heartbeat: (how) => pool.all(BEAT, { nodeId, ...how, version: VERSION }),
    async forget(nodeId) {
      await pool.all(FORGET, { nodeId })
    },
    async acquire(rules) {
      if (rules.length === 0) return { release() {} }
      const ordered = rules.toSorted((a, b) => (subjectOf(a) < subjectOf(b) ? -1 : 1))
      const subjects = listOf(ordered.map(subjectOf))
      const windows = listOf(ordered.map(({ windowMs }) => (windowMs === 'utc-day' ? 0 : windowMs)))
      const refused = await pool.get(COUNT, { subjects, windows, most: listOf(ordered.map(({ max }) => max)) })
      if (refused) throw limited(ordered[refused.index] as LimitRule, refused.waitMs)
      let isCounted = true
      return {
        async release() {
          if (!isCounted) return
          isCounted = false
          // On failure the count stays until its window ends.
          await pool.all(TAKE_BACK, { subjects, windows }).catch(() => {})
        },
      }
    },
  }
}

const subjectOf = ({ limit, windowMs, subject }: LimitRule) => `${limit}/${windowMs}/${subject}`
