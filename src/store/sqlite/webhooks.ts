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
import { bind, changes, type Drizzle, drizzle, ofOwner, onFirstUse, parameters } from './connection/statement'
import { jobs, webhookAttempts, webhookDeliveries, webhookEndpoints, webhookEvents } from './schema'

const { seq: _, ...DELIVERY } = getTableColumns(webhookDeliveries)
/** A delivery with its owner. */
const OWNED = { delivery: DELIVERY, appId: webhookEndpoints.appId, mode: webhookEndpoints.mode }
const ownedDelivery = ({ delivery, ...owner }: Owner & { delivery: Parameters<typeof deliveryOf>[0] }) =>
  deliveryOf(delivery, owner)

const thisEndpoint = eq(webhookEndpoints.endpointId, bind(webhookEndpoints.endpointId, 'endpointId'))
const endpointById = (db: Drizzle) => onFirstUse(() => db.select().from(webhookEndpoints).where(thisEndpoint).prepare())

const endpointsOfApp = (db: Drizzle) =>
  onFirstUse(() =>
    db
      .select()
      .from(webhookEndpoints)
      .where(eq(webhookEndpoints.appId, bind(webhookEndpoints.appId, 'appId')))
      .orderBy(asc(webhookEndpoints.createdAt), asc(webhookEndpoints.endpointId))
      .prepare(),
  )

export function createWebhookTx(
  connection: Database,
  vault: Vault,
): Pick<Tx, 'endpoints' | 'hooks'> & { retention: Pick<Tx['retention'], 'hooks'> } {
  const db = drizzle(connection)
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
  const run = {
    endpoints: onFirstUse(() => db.select().from(webhookEndpoints).where(ofOwner(webhookEndpoints)).prepare()),
    endpoint: endpointById(db),
    endpointsOfApp: endpointsOfApp(db),
    insertEndpoint: onFirstUse(() => db.insert(webhookEndpoints).values(parameters(webhookEndpoints)).prepare()),
    updateEndpoint: onFirstUse(() =>
      db.update(webhookEndpoints).set(changes(webhookEndpoints, ENDPOINT_CHANGING)).where(thisEndpoint).prepare(),
    ),
    updateState: onFirstUse(() =>
      db.update(webhookEndpoints).set(changes(webhookEndpoints, ENDPOINT_STATE)).where(thisEndpoint).prepare(),
    ),
    deleteEndpoint: onFirstUse(() => db.delete(webhookEndpoints).where(thisEndpoint).prepare()),
    deliveriesOfEndpoint: onFirstUse(() =>
      db
        .select({ deliveryId: webhookDeliveries.deliveryId, eventId: webhookDeliveries.eventId })
        .from(webhookDeliveries)
        .where(ofEndpoint)
        .limit(sql.placeholder('limit'))
        .prepare(),
    ),

    insertEvent: onFirstUse(() => db.insert(webhookEvents).values(parameters(webhookEvents)).prepare()),
    event: onFirstUse(() =>
      db
        .select()
        .from(webhookEvents)
        .where(eq(webhookEvents.eventId, bind(webhookEvents.eventId, 'eventId')))
        .prepare(),
    ),
    insertDelivery: onFirstUse(() =>
      db
        .insert(webhookDeliveries)
        .values(parameters(webhookDeliveries, Object.keys(DELIVERY)))
        .prepare(),
    ),
    hook: onFirstUse(() =>
      db
        .select({ delivery: DELIVERY, endpoint: webhookEndpoints })
        .from(webhookDeliveries)
        .innerJoin(webhookEndpoints, eq(webhookEndpoints.endpointId, webhookDeliveries.endpointId))
        .where(thisDelivery)
        .prepare(),
    ),
    firstUntried: onFirstUse(() =>
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
    failed: onFirstUse(() =>
      deliveries(
        ofEndpoint,
        sql`${webhookDeliveries.status} = 'failed'`,
        gte(webhookDeliveries.createdAt, bind(webhookDeliveries.createdAt, 'since')),
        behind,
      )
        .limit(sql.placeholder('limit'))
        .prepare(),
    ),
    ofEvent: onFirstUse(() =>
      deliveries(eq(webhookDeliveries.eventId, bind(webhookDeliveries.eventId, 'eventId'))).prepare(),
    ),
    updateDelivery: onFirstUse(() =>
      db
        .update(webhookDeliveries)
        .set(changes(webhookDeliveries, ['status', 'attempts', 'tries']))
        .where(thisDelivery)
        .prepare(),
    ),
    deleteDelivery: onFirstUse(() => db.delete(webhookDeliveries).where(thisDelivery).prepare()),
    insertAttempt: onFirstUse(() => db.insert(webhookAttempts).values(parameters(webhookAttempts)).prepare()),
    deleteAttempts: onFirstUse(() =>
      db
        .delete(webhookAttempts)
        .where(eq(webhookAttempts.deliveryId, bind(webhookAttempts.deliveryId, 'deliveryId')))
        .prepare(),
    ),
    deleteJobs: onFirstUse(() =>
      db
        .delete(jobs)
        .where(and(eq(jobs.subjectId, bind(jobs.subjectId, 'deliveryId')), sql`${jobs.kind} = 'webhook'`))
        .prepare(),
    ),
    /** Selected by id, which carries the time, so that younger rows are not scanned. */
    oldDeliveries: onFirstUse(() =>
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
    deleteEvent: onFirstUse(() =>
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

export function createWebhookReader(connection: Database, vault: Vault): Pick<Reader, 'endpoints' | 'hooks'> {
  const db = drizzle(connection)
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
  const ofEndpoint = [
    eq(webhookDeliveries.endpointId, bind(webhookDeliveries.endpointId, 'endpointId')),
    sql`(${sql.placeholder('before')} IS NULL OR ${webhookDeliveries.seq} < (SELECT seq FROM webhook_deliveries WHERE delivery_id = ${bind(webhookDeliveries.deliveryId, 'before')}))`,
  ]
  const page = (...conditions: Parameters<typeof and>) =>
    onFirstUse(() =>
      reports(...ofEndpoint, ...conditions)
        .orderBy(desc(webhookDeliveries.seq))
        .limit(sql.placeholder('limit'))
        .prepare(),
    )
  const run = {
    endpointsOfApp: endpointsOfApp(db),
    endpoint: endpointById(db),
    troubled: onFirstUse(() =>
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
    ofIssue: onFirstUse(() =>
      reports(eq(webhookEvents.issueId, bind(webhookEvents.issueId, 'issueId')), ofOwner(webhookEvents))
        .orderBy(asc(webhookDeliveries.seq))
        .prepare(),
    ),
    attempts: onFirstUse(() =>
      db
        .select()
        .from(webhookAttempts)
        .where(eq(webhookAttempts.deliveryId, bind(webhookAttempts.deliveryId, 'deliveryId')))
        .orderBy(asc(webhookAttempts.number))
        .prepare(),
    ),
  }
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
