/** Webhook endpoints, events, and deliveries with their attempts. */
import type { Database } from 'bun:sqlite'
import { and, asc, desc, eq, getTableColumns, gte, lt, sql } from 'drizzle-orm'
import type { Owner } from '../../domain/shared/value'
import type { Endpoint, HookDelivery } from '../../domain/webhooks/webhook'
import type { Reader, Tx } from '../../ports/store'
import type { Vault } from '../../ports/vault'
import { idFloor } from '../ids'
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
import { bind, changes, db, ofOwner, on, parameters, statement } from './connection/statement'
import { jobs, webhookAttempts, webhookDeliveries, webhookEndpoints, webhookEvents } from './schema'

const { seq: _, ...DELIVERY } = getTableColumns(webhookDeliveries)
/** A delivery with its owner. */
const OWNED = { delivery: DELIVERY, appId: webhookEndpoints.appId, mode: webhookEndpoints.mode }
const ownedDelivery = ({ delivery, ...owner }: Owner & { delivery: Parameters<typeof deliveryOf>[0] }) =>
  deliveryOf(delivery, owner)

const thisEndpoint = eq(webhookEndpoints.endpointId, bind(webhookEndpoints.endpointId, 'endpointId'))
const endpointById = statement(() => db.select().from(webhookEndpoints).where(thisEndpoint).prepare())

const endpointsOfApp = statement(() =>
  db
    .select()
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.appId, bind(webhookEndpoints.appId, 'appId')))
    .orderBy(asc(webhookEndpoints.createdAt), asc(webhookEndpoints.endpointId))
    .prepare(),
)

const thisDelivery = eq(webhookDeliveries.deliveryId, bind(webhookDeliveries.deliveryId, 'deliveryId'))
const ofEndpoint = eq(webhookDeliveries.endpointId, bind(webhookDeliveries.endpointId, 'endpointId'))
/** Deliveries after the given one, in the order of events. */
const behind = sql`${webhookDeliveries.seq} > coalesce((SELECT seq FROM webhook_deliveries WHERE delivery_id = ${bind(webhookDeliveries.deliveryId, 'after')}), 0)`
const deliveries = (...conditions: Parameters<typeof and>) =>
  db
    .select(OWNED)
    .from(webhookDeliveries)
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.endpointId, webhookDeliveries.endpointId))
    .where(and(...conditions))
    .orderBy(asc(webhookDeliveries.seq))

const WEBHOOK_TX = {
  endpoints: statement(() => db.select().from(webhookEndpoints).where(ofOwner(webhookEndpoints)).prepare()),
  endpoint: endpointById,
  endpointsOfApp: endpointsOfApp,
  insertEndpoint: statement(() => db.insert(webhookEndpoints).values(parameters(webhookEndpoints)).prepare()),
  updateEndpoint: statement(() =>
    db.update(webhookEndpoints).set(changes(webhookEndpoints, ENDPOINT_CHANGING)).where(thisEndpoint).prepare(),
  ),
  updateState: statement(() =>
    db.update(webhookEndpoints).set(changes(webhookEndpoints, ENDPOINT_STATE)).where(thisEndpoint).prepare(),
  ),
  deleteEndpoint: statement(() => db.delete(webhookEndpoints).where(thisEndpoint).prepare()),
  deliveriesOfEndpoint: statement(() =>
    db
      .select({ deliveryId: webhookDeliveries.deliveryId, eventId: webhookDeliveries.eventId })
      .from(webhookDeliveries)
      .where(ofEndpoint)
      .limit(sql.placeholder('limit'))
      .prepare(),
  ),

  insertEvent: statement(() => db.insert(webhookEvents).values(parameters(webhookEvents)).prepare()),
  event: statement(() =>
    db
      .select()
      .from(webhookEvents)
      .where(eq(webhookEvents.eventId, bind(webhookEvents.eventId, 'eventId')))
      .prepare(),
  ),
  insertDelivery: statement(() =>
    db
      .insert(webhookDeliveries)
      .values(parameters(webhookDeliveries, Object.keys(DELIVERY)))
      .prepare(),
  ),
  hook: statement(() =>
    db
      .select({ delivery: DELIVERY, endpoint: webhookEndpoints })
      .from(webhookDeliveries)
      .innerJoin(webhookEndpoints, eq(webhookEndpoints.endpointId, webhookDeliveries.endpointId))
      .where(thisDelivery)
      .prepare(),
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
      .prepare(),
  ),
  failed: statement(() =>
    deliveries(
      ofEndpoint,
      sql`${webhookDeliveries.status} = 'failed'`,
      gte(webhookDeliveries.createdAt, bind(webhookDeliveries.createdAt, 'since')),
      behind,
    )
      .limit(sql.placeholder('limit'))
      .prepare(),
  ),
  ofEvent: statement(() =>
    deliveries(eq(webhookDeliveries.eventId, bind(webhookDeliveries.eventId, 'eventId'))).prepare(),
  ),
  updateDelivery: statement(() =>
    db
      .update(webhookDeliveries)
      .set(changes(webhookDeliveries, ['status', 'attempts', 'tries']))
      .where(thisDelivery)
      .prepare(),
  ),
  deleteDelivery: statement(() => db.delete(webhookDeliveries).where(thisDelivery).prepare()),
  insertAttempt: statement(() => db.insert(webhookAttempts).values(parameters(webhookAttempts)).prepare()),
  deleteAttempts: statement(() =>
    db
      .delete(webhookAttempts)
      .where(eq(webhookAttempts.deliveryId, bind(webhookAttempts.deliveryId, 'deliveryId')))
      .prepare(),
  ),
  deleteJobs: statement(() =>
    db
      .delete(jobs)
      .where(and(eq(jobs.subjectId, bind(jobs.subjectId, 'deliveryId')), sql`${jobs.kind} = 'webhook'`))
      .prepare(),
  ),
  /** Selected by id, which carries the time, so that younger rows are not scanned. */
  oldDeliveries: statement(() =>
    db
      .select({ deliveryId: webhookDeliveries.deliveryId, eventId: webhookDeliveries.eventId })
      .from(webhookDeliveries)
      .where(
        and(
          lt(webhookDeliveries.deliveryId, bind(webhookDeliveries.deliveryId, 'below')),
          sql`${webhookDeliveries.status} <> 'pending'`,
        ),
      )
      .orderBy(asc(webhookDeliveries.deliveryId))
      .limit(sql.placeholder('limit'))
      .prepare(),
  ),
  /** Deletes an event that has no delivery left. */
  deleteEvent: statement(() =>
    db
      .delete(webhookEvents)
      .where(
        and(
          eq(webhookEvents.eventId, bind(webhookEvents.eventId, 'eventId')),
          sql`NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE event_id = ${bind(webhookEvents.eventId, 'eventId')})`,
        ),
      )
      .prepare(),
  ),
}

export function createWebhookTx(
  connection: Database,
  vault: Vault,
): Pick<Tx, 'endpoints' | 'hooks'> & { retention: Pick<Tx['retention'], 'hooks'> } {
  const run = on(connection, WEBHOOK_TX)

  function deleteDelivery({ deliveryId, eventId }: Pick<HookDelivery, 'deliveryId' | 'eventId'>): void {
    run.deleteAttempts.run({ deliveryId })
    run.deleteJobs.run({ deliveryId })
    run.deleteDelivery.run({ deliveryId })
    run.deleteEvent.run({ eventId })
  }

  function findHook(deliveryId: string): { delivery: HookDelivery; endpoint: Endpoint } | undefined {
    const row = run.hook.get({ deliveryId })
    if (!row) return undefined
    const endpoint = endpointOf(vault, row.endpoint)
    return { delivery: deliveryOf(row.delivery, { appId: endpoint.appId, mode: endpoint.mode }), endpoint }
  }

  return {
    endpoints: {
      ofOwner: async ({ appId, mode }) =>
        run.endpoints
          .all({ appId, mode })
          .sort(byAge)
          .map((row) => endpointOf(vault, row)),
      async lock(endpointId) {
        const row = run.endpoint.get({ endpointId })
        return row && endpointOf(vault, row)
      },
      async lockOfApp(appId) {
        return run.endpointsOfApp.all({ appId }).map((row) => endpointOf(vault, row))
      },
      async add(endpoint) {
        run.insertEndpoint.run({ ...endpointRow(vault, endpoint) })
      },
      async save(endpoint) {
        run.updateEndpoint.run({ ...endpointRow(vault, endpoint) })
      },
      async saveState(endpoint) {
        const { endpointId, disabledAt = null, disabledReason = null, failingSince = null } = endpoint
        const { certificateUntil = null } = endpoint
        run.updateState.run({ endpointId, disabledAt, disabledReason, failingSince, certificateUntil })
      },
      async remove(endpointId, limit = ALL) {
        const deliveries = run.deliveriesOfEndpoint.all({ endpointId, limit })
        for (const delivery of deliveries) deleteDelivery(delivery)
        if (deliveries.length === limit) return false
        run.deleteEndpoint.run({ endpointId })
        return true
      },
    },
    hooks: {
      async addEvent(event) {
        run.insertEvent.run({ ...eventRow(vault, event) })
      },
      async event(eventId) {
        const row = run.event.get({ eventId })
        return row && eventOf(vault, row)
      },
      async add(delivery) {
        run.insertDelivery.run(deliveryRow(delivery))
      },
      async find(deliveryId) {
        return findHook(deliveryId)?.delivery
      },
      async lock(deliveryId) {
        return findHook(deliveryId)
      },
      async firstUntried({ endpointId, issueId }, after) {
        if (issueId === undefined) return undefined
        return run.firstUntried.get({ endpointId, issueId, after: after?.deliveryId ?? NIL })?.deliveryId
      },
      async failed(endpointId, since, { after = NIL, limit = ALL } = {}) {
        return run.failed.all({ endpointId, since, after, limit }).map(ownedDelivery)
      },
      async ofEvent(eventId) {
        return run.ofEvent.all({ eventId }).map(ownedDelivery)
      },
      async save({ deliveryId, status, attempts, tries }) {
        run.updateDelivery.run({ deliveryId, status, attempts, tries })
      },
      async addAttempt(attempt) {
        run.insertAttempt.run({ ...hookAttemptRow(vault, attempt) })
      },
    },
    retention: {
      async hooks(before, limit) {
        const old = run.oldDeliveries.all({ below: idFloor(before), limit })
        for (const delivery of old) deleteDelivery(delivery)
        return old.length
      },
    },
  }
}

/** LIMIT -1 is no limit in SQLite. */
const ALL = -1
const NIL = '00000000-0000-0000-0000-000000000000'

const reports = (...conditions: Parameters<typeof and>) =>
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
const IN_PAGE = [
  ofEndpoint,
  sql`(${sql.placeholder('before')} IS NULL OR ${webhookDeliveries.seq} < (SELECT seq FROM webhook_deliveries WHERE delivery_id = ${bind(webhookDeliveries.deliveryId, 'before')}))`,
]
const page = (...conditions: Parameters<typeof and>) =>
  statement(() =>
    reports(...IN_PAGE, ...conditions)
      .orderBy(desc(webhookDeliveries.seq))
      .limit(sql.placeholder('limit'))
      .prepare(),
  )

const WEBHOOK_READER = {
  endpointsOfApp: endpointsOfApp,
  endpoint: endpointById,
  troubled: statement(() =>
    db
      .select(columnsIn(getTableColumns(webhookEndpoints), TROUBLED))
      .from(webhookEndpoints)
      .where(
        sql`${webhookEndpoints.disabledAt} IS NOT NULL OR ${webhookEndpoints.certificateUntil} < ${bind(webhookEndpoints.certificateUntil, 'before')}`,
      )
      .prepare(),
  ),
  everyHook: page(),
  hooksInState: page(eq(webhookDeliveries.status, bind(webhookDeliveries.status, 'status'))),
  ofIssue: statement(() =>
    reports(eq(webhookEvents.issueId, bind(webhookEvents.issueId, 'issueId')), ofOwner(webhookEvents))
      .orderBy(asc(webhookDeliveries.seq))
      .prepare(),
  ),
  attempts: statement(() =>
    db
      .select()
      .from(webhookAttempts)
      .where(eq(webhookAttempts.deliveryId, bind(webhookAttempts.deliveryId, 'deliveryId')))
      .orderBy(asc(webhookAttempts.number))
      .prepare(),
  ),
}

export function createWebhookReader(connection: Database, vault: Vault): Pick<Reader, 'endpoints' | 'hooks'> {
  const run = on(connection, WEBHOOK_READER)
  return {
    endpoints: {
      async ofApp(appId) {
        return run.endpointsOfApp.all({ appId }).map((row) => endpointOf(vault, row))
      },
      async find(endpointId) {
        const row = run.endpoint.get({ endpointId })
        return row && endpointOf(vault, row)
      },
      async troubled(before) {
        return run.troubled.all({ before }).map(troubledOf)
      },
    },
    hooks: {
      async page({ endpointId, status, before = null, limit }) {
        const rows =
          status === undefined
            ? run.everyHook.all({ endpointId, before, limit })
            : run.hooksInState.all({ endpointId, before, limit, status })
        return rows.map(reportOf)
      },
      async ofIssue({ appId, mode }, issueId) {
        return run.ofIssue.all({ appId, mode, issueId }).map(reportOf)
      },
      async attempts(deliveryId) {
        return run.attempts.all({ deliveryId }).map((row) => hookAttemptOf(vault, row))
      },
    },
  }
}
