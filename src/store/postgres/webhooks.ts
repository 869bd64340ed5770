/** Webhook endpoints, events, and deliveries with their attempts. */
import { and, asc, desc, eq, getTableColumns, gte, type SQL, sql } from 'drizzle-orm'
import type { Owner } from '../../domain/shared/value'
import type { HookDelivery } from '../../domain/webhooks/webhook'
import type { Tx } from '../../ports/store'
import type { EndpointReader, HookReader } from '../../ports/store/webhooks'
import type { Vault } from '../../ports/vault'
import {
  byAge,
  deliveryOf,
  deliveryRow,
  ENDPOINT_CHANGING,
  ENDPOINT_STATE,
  endpointOf,
  endpointRow,
  eventOf,
  eventRow,
  hookAttemptOf,
  hookAttemptRow,
  reportOf,
  TROUBLED,
  troubledOf,
} from '../rows/webhook'
import { columnsIn } from '../tables'
import { addition, bind, changes, db, ofOwner, parameters, plain, statement } from './connection/statement'
import type { Querying, Transaction } from './connection/transaction'
import { jobs, webhookAttempts, webhookDeliveries, webhookEndpoints, webhookEvents } from './schema'

const { seq: _, ...DELIVERY } = getTableColumns(webhookDeliveries)
/** A delivery with its owner. */
const OWNED = { delivery: DELIVERY, appId: webhookEndpoints.appId, mode: webhookEndpoints.mode }
const ownedDelivery = ({ delivery, ...owner }: Owner & { delivery: Parameters<typeof deliveryOf>[0] }) =>
  deliveryOf(delivery, owner)

const thisEndpoint = eq(webhookEndpoints.endpointId, bind(webhookEndpoints.endpointId, 'endpointId'))
const endpointsOfApp = () =>
  db
    .select()
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.appId, bind(webhookEndpoints.appId, 'appId')))
    .orderBy(asc(webhookEndpoints.createdAt), asc(webhookEndpoints.endpointId))

const thisDelivery = eq(webhookDeliveries.deliveryId, bind(webhookDeliveries.deliveryId, 'deliveryId'))
const ofEndpoint = eq(webhookDeliveries.endpointId, bind(webhookDeliveries.endpointId, 'endpointId'))
/** Deliveries after the given one, in the order of events. */
const behind = sql`${webhookDeliveries.seq} > coalesce((SELECT seq FROM webhook_deliveries WHERE delivery_id = ${bind(webhookDeliveries.deliveryId, 'after')}), 0)`
const deliveries = (...conditions: Array<SQL | undefined>) =>
  db
    .select(OWNED)
    .from(webhookDeliveries)
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.endpointId, webhookDeliveries.endpointId))
    .where(and(...conditions))
    .orderBy(asc(webhookDeliveries.seq))

/**
 * Deletes what `old` selects (`delivery_id, event_id`), with attempts, jobs, and events that have no other delivery. Written so that
 * each row is found by its key: joined instead, the planner reads whole tables, because it does not know how few rows are old.
 */
export const deliveryDeletion = (old: string) =>
  `WITH old AS MATERIALIZED (${old}),
   gone_attempts AS (DELETE FROM webhook_attempts WHERE delivery_id = ANY (ARRAY(SELECT delivery_id FROM old))),
   gone_jobs AS (DELETE FROM jobs WHERE subject_id = ANY (ARRAY(SELECT delivery_id FROM old)) AND kind = 'webhook'),
   gone_events AS (
     DELETE FROM webhook_events WHERE event_id = ANY (ARRAY(SELECT event_id FROM old)) AND (
       SELECT 1 FROM webhook_deliveries AS other WHERE other.event_id = webhook_events.event_id
         AND other.delivery_id <> ALL (ARRAY(SELECT delivery_id FROM old)) LIMIT 1) IS NULL),
   gone AS (DELETE FROM webhook_deliveries WHERE delivery_id = ANY (ARRAY(SELECT delivery_id FROM old)) RETURNING 1)
   SELECT count(*) FROM gone`

const STATEMENTS = {
  ofOwner: statement((on) => on.select().from(webhookEndpoints).where(ofOwner(webhookEndpoints)).prepare(''), {
    sharedBy: 'anybody',
  }),
  lock: statement(() => db.select().from(webhookEndpoints).where(thisEndpoint).for('no key update').prepare('')),
  lockOfApp: statement(() => endpointsOfApp().for('no key update').prepare('')),
  insertEndpoint: addition(webhookEndpoints),
  updateEndpoint: statement(() =>
    db.update(webhookEndpoints).set(changes(webhookEndpoints, ENDPOINT_CHANGING)).where(thisEndpoint).prepare(''),
  ),
  updateState: statement(() =>
    db.update(webhookEndpoints).set(changes(webhookEndpoints, ENDPOINT_STATE)).where(thisEndpoint).prepare(''),
  ),
  deleteEndpoint: statement(() => db.delete(webhookEndpoints).where(thisEndpoint).prepare('')),
  /** Deletes up to `limit` deliveries of an endpoint. */
  deleteDeliveries: plain(
    deliveryDeletion('SELECT delivery_id, event_id FROM webhook_deliveries WHERE endpoint_id = $1 LIMIT $2'),
    ({ endpointId, limit }) => [endpointId, limit],
    ([deleted]) => Number(deleted),
  ),

  insertEvent: addition(webhookEvents),
  event: statement(() =>
    db
      .select()
      .from(webhookEvents)
      .where(eq(webhookEvents.eventId, bind(webhookEvents.eventId, 'eventId')))
      .prepare(''),
  ),
  /** Not an addition: deliveries are inserted one by one, because their sequence numbers are the order of events. */
  insertDelivery: statement(() =>
    db
      .insert(webhookDeliveries)
      .values(parameters(webhookDeliveries, Object.keys(DELIVERY)))
      .prepare(''),
  ),
  find: statement(() => deliveries(thisDelivery).prepare('')),
  endpointOf: statement(() =>
    db
      .select()
      .from(webhookEndpoints)
      .where(
        sql`${webhookEndpoints.endpointId} = (SELECT endpoint_id FROM webhook_deliveries WHERE delivery_id = ${bind(webhookDeliveries.deliveryId, 'deliveryId')})`,
      )
      .for('no key update')
      .prepare(''),
  ),
  lockDelivery: statement(() =>
    db.select(DELIVERY).from(webhookDeliveries).where(thisDelivery).for('no key update').prepare(''),
  ),
  firstUntried: statement(() =>
    db
      .select({ deliveryId: webhookDeliveries.deliveryId })
      .from(webhookDeliveries)
      .where(
        and(
          ofEndpoint,
          eq(webhookDeliveries.issueId, bind(webhookDeliveries.issueId, 'issueId')),
          sql`${webhookDeliveries.attempts} = 0 AND ${webhookDeliveries.status} = 'pending'`,
          behind,
        ),
      )
      .orderBy(asc(webhookDeliveries.seq))
      .limit(1)
      .prepare(''),
  ),
  failed: statement(() =>
    deliveries(
      ofEndpoint,
      sql`${webhookDeliveries.status} = 'failed'`,
      gte(webhookDeliveries.createdAt, bind(webhookDeliveries.createdAt, 'since')),
      behind,
    )
      .limit(sql.placeholder('limit'))
      .prepare(''),
  ),
  ofEvent: statement(() =>
    deliveries(eq(webhookDeliveries.eventId, bind(webhookDeliveries.eventId, 'eventId'))).prepare(''),
  ),
  updateDelivery: statement(() =>
    db
      .update(webhookDeliveries)
      .set(changes(webhookDeliveries, ['status', 'attempts', 'tries']))
      .where(thisDelivery)
      .prepare(''),
  ),
  insertAttempt: addition(webhookAttempts),
}

/** LIMIT NULL is no limit in PostgreSQL. */
const ALL = null
const NIL = '00000000-0000-0000-0000-000000000000'

const ofOwnerName = ({ appId, mode }: Owner) => `endpoints ${appId}/${mode}`

export function endpointTx(transaction: Transaction, vault: Vault): Tx['endpoints'] {
  return {
    ofOwner: (owner) => endpointsOfOwner(transaction, vault, owner),
    async lock(endpointId) {
      const row = await transaction.get(STATEMENTS.lock, { endpointId })
      return row && endpointOf(vault, row)
    },
    lockOfApp: async (appId) =>
      (await transaction.all(STATEMENTS.lockOfApp, { appId })).map((row) => endpointOf(vault, row)),
    async add(endpoint) {
      transaction.run(STATEMENTS.insertEndpoint, { ...endpointRow(vault, endpoint) })
      transaction.forget(ofOwnerName(endpoint))
    },
    async save(endpoint) {
      transaction.run(STATEMENTS.updateEndpoint, { ...endpointRow(vault, endpoint) })
      transaction.forget(ofOwnerName(endpoint))
    },
    async saveState(endpoint) {
      const { endpointId, disabledAt = null, disabledReason = null, failingSince = null } = endpoint
      const { certificateUntil = null } = endpoint
      transaction.run(STATEMENTS.updateState, {
        ...{ endpointId, disabledAt, disabledReason, failingSince, certificateUntil },
      })
      transaction.forget(ofOwnerName(endpoint))
    },
    async remove(endpointId, limit) {
      const [deleted = 0] = await transaction.change(STATEMENTS.deleteDeliveries, { endpointId, limit: limit ?? ALL })
      if (deleted === limit) return false
      transaction.run(STATEMENTS.deleteEndpoint, { endpointId })
      return true
    },
  }
}

/** Asked once in a transaction, and often prefetched. */
export const endpointsOfOwner = (transaction: Transaction, vault: Vault, { appId, mode }: Owner) =>
  transaction.once(ofOwnerName({ appId, mode }), async () =>
    (await transaction.all(STATEMENTS.ofOwner, { appId, mode })).sort(byAge).map((row) => endpointOf(vault, row)),
  )

export function hookTx(transaction: Transaction, vault: Vault): Tx['hooks'] {
  return {
    async addEvent(event) {
      transaction.run(STATEMENTS.insertEvent, { ...eventRow(vault, event) })
    },
    async event(eventId) {
      const row = await transaction.get(STATEMENTS.event, { eventId })
      return row && eventOf(vault, row)
    },
    async add(delivery) {
      transaction.run(STATEMENTS.insertDelivery, deliveryRow(delivery))
    },
    async find(deliveryId) {
      const row = await transaction.get(STATEMENTS.find, { deliveryId })
      return row && ownedDelivery(row)
    },
    async lock(deliveryId) {
      const [endpointRow, deliveryRow] = await Promise.all([
        transaction.get(STATEMENTS.endpointOf, { deliveryId }),
        transaction.get(STATEMENTS.lockDelivery, { deliveryId }),
      ])
      if (!endpointRow || !deliveryRow) return undefined
      const endpoint = endpointOf(vault, endpointRow)
      return { endpoint, delivery: deliveryOf(deliveryRow, endpoint) }
    },
    async firstUntried({ endpointId, issueId }: HookDelivery, after) {
      if (issueId === undefined) return undefined
      const values = { endpointId, issueId, after: after?.deliveryId ?? NIL }
      return (await transaction.get(STATEMENTS.firstUntried, values))?.deliveryId
    },
    failed: async (endpointId, since, { after = NIL, limit } = {}) =>
      (await transaction.all(STATEMENTS.failed, { endpointId, since, after, limit: limit ?? ALL })).map(ownedDelivery),
    ofEvent: async (eventId) => (await transaction.all(STATEMENTS.ofEvent, { eventId })).map(ownedDelivery),
    async save({ deliveryId, status, attempts, tries }) {
      transaction.run(STATEMENTS.updateDelivery, { deliveryId, status, attempts, tries })
    },
    async addAttempt(attempt) {
      transaction.run(STATEMENTS.insertAttempt, { ...hookAttemptRow(vault, attempt) })
    },
  }
}

const reports = (...conditions: Array<SQL | undefined>) =>
  db
    .select({
      ...OWNED,
      type: webhookEvents.type,
      lastStatus: webhookAttempts.status,
      lastError: webhookAttempts.error,
      lastAttemptAt: webhookAttempts.calledAt,
      nextAttemptAt: jobs.runAt,
    })
    .from(webhookDeliveries)
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.endpointId, webhookDeliveries.endpointId))
    .innerJoin(webhookEvents, eq(webhookEvents.eventId, webhookDeliveries.eventId))
    .leftJoin(
      webhookAttempts,
      and(
        eq(webhookAttempts.deliveryId, webhookDeliveries.deliveryId),
        eq(webhookAttempts.number, webhookDeliveries.attempts),
      ),
    )
    .leftJoin(jobs, and(eq(jobs.subjectId, webhookDeliveries.deliveryId), sql`${jobs.kind} = 'webhook'`))
    .where(and(...conditions))

const page = (...conditions: Array<SQL | undefined>) =>
  statement(() =>
    reports(
      ofEndpoint,
      sql`(${sql.placeholder('before')}::uuid IS NULL OR ${webhookDeliveries.seq} < (SELECT seq FROM webhook_deliveries WHERE delivery_id = ${sql.placeholder('before')}::uuid))`,
      ...conditions,
    )
      .orderBy(desc(webhookDeliveries.seq))
      .limit(sql.placeholder('limit'))
      .prepare(''),
  )

const READS = {
  endpointsOfApp: statement(() => endpointsOfApp().prepare('')),
  endpoint: statement(() => db.select().from(webhookEndpoints).where(thisEndpoint).prepare('')),
  troubled: statement(() =>
    db
      .select(columnsIn(getTableColumns(webhookEndpoints), TROUBLED))
      .from(webhookEndpoints)
      .where(
        sql`${webhookEndpoints.disabledAt} IS NOT NULL OR ${webhookEndpoints.certificateUntil} < ${bind(webhookEndpoints.certificateUntil, 'before')}`,
      )
      .prepare(''),
  ),
  everyHook: page(),
  hooksInState: page(eq(webhookDeliveries.status, bind(webhookDeliveries.status, 'status'))),
  ofIssue: statement(() =>
    reports(eq(webhookEvents.issueId, bind(webhookEvents.issueId, 'issueId')), ofOwner(webhookEvents))
      .orderBy(asc(webhookDeliveries.seq))
      .prepare(''),
  ),
  attempts: statement(() =>
    db
      .select()
      .from(webhookAttempts)
      .where(eq(webhookAttempts.deliveryId, bind(webhookAttempts.deliveryId, 'deliveryId')))
      .orderBy(asc(webhookAttempts.number))
      .prepare(''),
  ),
}

export const endpointReader = (pool: Querying, vault: Vault): EndpointReader => ({
  ofApp: async (appId) => (await pool.all(READS.endpointsOfApp, { appId })).map((row) => endpointOf(vault, row)),
  async find(endpointId) {
    const row = await pool.get(READS.endpoint, { endpointId })
    return row && endpointOf(vault, row)
  },
  troubled: async (before) => (await pool.all(READS.troubled, { before })).map(troubledOf),
})

export const hookReader = (pool: Querying, vault: Vault): HookReader => ({
  async page({ endpointId, status, before = null, limit }) {
    const values = { endpointId, before, limit, status }
    const rows = await pool.all(status === undefined ? READS.everyHook : READS.hooksInState, values)
    return rows.map(reportOf)
  },
  ofIssue: async ({ appId, mode }, issueId) => (await pool.all(READS.ofIssue, { appId, mode, issueId })).map(reportOf),
  attempts: async (deliveryId) =>
    (await pool.all(READS.attempts, { deliveryId })).map((row) => hookAttemptOf(vault, row)),
})
