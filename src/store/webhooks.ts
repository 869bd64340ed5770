/** Webhook endpoints, events, and deliveries with their attempts. */
import { and, asc, desc, eq, getTableColumns, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { Owner } from '../domain/shared/value'
import type { Endpoint, HookDelivery } from '../domain/webhooks/webhook'
import type { EndpointReader, EndpointTx, HookReader, HookTx } from '../ports/store/webhooks'
import type { Vault } from '../ports/vault'
import { inDialect } from './dialect'
import { idFloor, NIL_ID } from './ids'
import {
  byAge,
  deliveryOf,
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
} from './rows/webhook'
import { found, type Querying, type Session } from './session'
import { statement } from './statement'
import { columnsIn } from './tables'

const ENDPOINTS = inDialect(({ db, tables: { webhookEndpoints }, match, ofOwner, changes, insert, locked, bind }) => {
  const thisEndpoint = match(webhookEndpoints, 'endpointId')
  const find = () => db.select().from(webhookEndpoints).where(thisEndpoint)
  const ofApp = () =>
    db
      .select()
      .from(webhookEndpoints)
      .where(match(webhookEndpoints, 'appId'))
      .orderBy(asc(webhookEndpoints.createdAt), asc(webhookEndpoints.endpointId))
  return {
    ofOwner: statement(() => db.select().from(webhookEndpoints).where(ofOwner(webhookEndpoints))),
    find: statement(find),
    lock: statement(() => locked(find())),
    ofApp: statement(ofApp),
    lockOfApp: statement(() => locked(ofApp())),
    insert: insert(webhookEndpoints),
    update: statement(() =>
      db.update(webhookEndpoints).set(changes(webhookEndpoints, ENDPOINT_CHANGING)).where(thisEndpoint),
    ),
    updateState: statement(() =>
      db.update(webhookEndpoints).set(changes(webhookEndpoints, ENDPOINT_STATE)).where(thisEndpoint),
    ),
    remove: statement(() => db.delete(webhookEndpoints).where(thisEndpoint)),
    troubled: statement(() =>
      db
        .select(columnsIn(getTableColumns(webhookEndpoints), TROUBLED))
        .from(webhookEndpoints)
        .where(
          sql`${webhookEndpoints.disabledAt} IS NOT NULL OR ${webhookEndpoints.certificateUntil} < ${bind(webhookEndpoints.certificateUntil, 'before')}`,
        ),
    ),
  }
})

const HOOKS = inDialect(({ db, tables, ...its }) => {
  const { jobs, webhookAttempts, webhookDeliveries, webhookEndpoints, webhookEvents } = tables
  const { match, ofOwner, changes, parameters, insert, locked, bind, either } = its
  const { seq, ...DELIVERY } = getTableColumns(webhookDeliveries)
  /** A delivery with its owner. */
  const OWNED = { delivery: DELIVERY, appId: webhookEndpoints.appId, mode: webhookEndpoints.mode }
  const thisDelivery = match(webhookDeliveries, 'deliveryId')
  const ofEndpoint = match(webhookDeliveries, 'endpointId')
  const seqOf = (id: string) =>
    sql`(SELECT seq FROM webhook_deliveries WHERE delivery_id = ${bind(webhookDeliveries.deliveryId, id)})`
  /** Deliveries after the given one, in the order of events. */
  const behind = sql`${seq} > coalesce(${seqOf('after')}, 0)`
  const isHook = sql`${jobs.kind} = 'webhook'`
  const deliveries = (...conditions: Array<SQL | undefined>) =>
    db
      .select(OWNED)
      .from(webhookDeliveries)
      .innerJoin(webhookEndpoints, eq(webhookEndpoints.endpointId, webhookDeliveries.endpointId))
      .where(and(...conditions))
      .orderBy(asc(seq))
  const ids = (...conditions: Array<SQL | undefined>) =>
    db
      .select({ deliveryId: webhookDeliveries.deliveryId, eventId: webhookDeliveries.eventId })
      .from(webhookDeliveries)
      .where(and(...conditions))
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
      .leftJoin(jobs, and(eq(jobs.subjectId, webhookDeliveries.deliveryId), isHook))
      .where(and(...conditions))
  const page = (...conditions: Array<SQL | undefined>) =>
    statement(() =>
      reports(ofEndpoint, ...conditions)
        .orderBy(desc(seq))
        .limit(sql.placeholder('limit')),
    )
  const isBefore = sql`${seq} < ${seqOf('before')}`
  const inState = match(webhookDeliveries, 'status')
  return {
    insertEvent: insert(webhookEvents),
    event: statement(() => db.select().from(webhookEvents).where(match(webhookEvents, 'eventId'))),
    eventsOfIssue: statement(() =>
      db.select().from(webhookEvents).where(match(webhookEvents, 'issueId')).orderBy(asc(webhookEvents.eventId)),
    ),
    insert: statement(() => db.insert(webhookDeliveries).values(parameters(webhookDeliveries, Object.keys(DELIVERY)))),
    find: statement(() => deliveries(thisDelivery)),
    lockEndpoint: statement(() =>
      locked(
        db
          .select()
          .from(webhookEndpoints)
          .where(
            sql`${webhookEndpoints.endpointId} = (SELECT endpoint_id FROM webhook_deliveries WHERE ${thisDelivery})`,
          ),
      ),
    ),
    lock: statement(() => locked(db.select(DELIVERY).from(webhookDeliveries).where(thisDelivery))),
    firstUntried: statement(() =>
      db
        .select({ deliveryId: webhookDeliveries.deliveryId })
        .from(webhookDeliveries)
        .where(
          and(
            match(webhookDeliveries, 'endpointId', 'issueId'),
            sql`${webhookDeliveries.attempts} = 0 AND ${webhookDeliveries.status} = 'pending'`,
            behind,
          ),
        )
        .orderBy(asc(seq))
        .limit(1),
    ),
    failed: statement(() =>
      deliveries(
        ofEndpoint,
        sql`${webhookDeliveries.status} = 'failed'`,
        gte(webhookDeliveries.createdAt, bind(webhookDeliveries.createdAt, 'since')),
        behind,
      ).limit(sql.placeholder('limit')),
    ),
    ofEvent: statement(() => deliveries(match(webhookDeliveries, 'eventId'))),
    update: statement(() =>
      db
        .update(webhookDeliveries)
        .set(changes(webhookDeliveries, ['status', 'attempts', 'tries']))
        .where(thisDelivery),
    ),
    insertAttempt: insert(webhookAttempts),

    idsOfEndpoint: statement(() => ids(ofEndpoint).limit(sql.placeholder('limit'))),
    idsOfEvent: statement(() => ids(match(webhookDeliveries, 'eventId'))),
    /** Selected by id, which carries the time, so that younger rows are not scanned. */
    oldIds: statement(() =>
      locked(
        ids(
          lt(webhookDeliveries.deliveryId, bind(webhookDeliveries.deliveryId, 'below')),
          sql`${webhookDeliveries.status} <> 'pending'`,
        )
          .orderBy(asc(webhookDeliveries.deliveryId))
          .limit(sql.placeholder('limit')),
        { skipLocked: true },
      ),
    ),
    delete: statement(() => db.delete(webhookDeliveries).where(thisDelivery)),
    deleteAttempts: statement(() => db.delete(webhookAttempts).where(match(webhookAttempts, 'deliveryId'))),
    deleteJob: statement(() =>
      db.delete(jobs).where(and(eq(jobs.subjectId, bind(jobs.subjectId, 'deliveryId')), isHook)),
    ),
    /** Deletes an event that has no delivery left. */
    deleteEvent: statement(() =>
      db
        .delete(webhookEvents)
        .where(
          and(
            match(webhookEvents, 'eventId'),
            sql`NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE ${match(webhookDeliveries, 'eventId')})`,
          ),
        ),
    ),

    page: page(),
    pageBefore: page(isBefore),
    inState: page(inState),
    inStateBefore: page(inState, isBefore),
    ofIssue: statement(() => reports(match(webhookEvents, 'issueId'), ofOwner(webhookEvents)).orderBy(asc(seq))),
    attempts: statement(() =>
      db
        .select()
        .from(webhookAttempts)
        .where(match(webhookAttempts, 'deliveryId'))
        .orderBy(asc(webhookAttempts.number)),
    ),
    noLimit: either({ sqlite: -1, postgres: null }),
  }
})

const ownedDelivery = ({ delivery, ...owner }: Owner & { delivery: Parameters<typeof deliveryOf>[0] }) =>
  deliveryOf(delivery, owner)

function deleteDelivery(tx: Session, { deliveryId, eventId }: Pick<HookDelivery, 'deliveryId' | 'eventId'>): void {
  const its = HOOKS(tx)
  tx.run(its.deleteAttempts, { deliveryId })
  tx.run(its.deleteJob, { deliveryId })
  tx.run(its.delete, { deliveryId })
  tx.run(its.deleteEvent, { eventId })
}

/** Deletes the events of an issue with their deliveries; answers how many events. */
export async function deleteEventsOf(tx: Session, issueId: string): Promise<number> {
  const its = HOOKS(tx)
  const events = await tx.all(its.eventsOfIssue, { issueId })
  for (const { eventId } of events) {
    for (const delivery of await tx.all(its.idsOfEvent, { eventId })) deleteDelivery(tx, delivery)
    tx.run(its.deleteEvent, { eventId })
  }
  return events.length
}

/** Deletes finished deliveries from before a time; answers how many. */
export async function deleteOldHooks(tx: Session, before: number, limit: number): Promise<number> {
  const old = await tx.all(HOOKS(tx).oldIds, { below: idFloor(before), limit })
  for (const delivery of old) deleteDelivery(tx, delivery)
  return old.length
}

export const eventsOfIssue = async (asked: Querying, vault: Vault, issueId: string) =>
  (await asked.all(HOOKS(asked).eventsOfIssue, { issueId })).map((row) => eventOf(vault, row))

export function endpointTx(tx: Session, vault: Vault): EndpointTx {
  const its = ENDPOINTS(tx)
  const { idsOfEndpoint, noLimit } = HOOKS(tx)
  return {
    ofOwner: async ({ appId, mode }) =>
      (await tx.all(its.ofOwner, { appId, mode })).sort(byAge).map((row) => endpointOf(vault, row)),
    lock: async (endpointId) => found(await tx.get(its.lock, { endpointId }), (row) => endpointOf(vault, row)),
    lockOfApp: async (appId) => (await tx.all(its.lockOfApp, { appId })).map((row) => endpointOf(vault, row)),
    add: async (endpoint) => tx.run(its.insert, endpointRow(vault, endpoint)),
    save: async (endpoint) => tx.run(its.update, endpointRow(vault, endpoint)),
    saveState: async (endpoint) => tx.run(its.updateState, endpoint),
    async remove(endpointId, limit) {
      const deliveries = await tx.all(idsOfEndpoint, { endpointId, limit: limit ?? noLimit })
      for (const delivery of deliveries) deleteDelivery(tx, delivery)
      if (deliveries.length === limit) return false
      tx.run(its.remove, { endpointId })
      return true
    },
  }
}

export function endpointReader(reads: Querying, vault: Vault): EndpointReader {
  const its = ENDPOINTS(reads)
  return {
    ofApp: async (appId) => (await reads.all(its.ofApp, { appId })).map((row) => endpointOf(vault, row)),
    find: async (endpointId) => found(await reads.get(its.find, { endpointId }), (row) => endpointOf(vault, row)),
    troubled: async (before) => reads.all(its.troubled, { before }),
  }
}

export function hookTx(tx: Session, vault: Vault): HookTx {
  const its = HOOKS(tx)
  return {
    addEvent: async (event) => tx.run(its.insertEvent, eventRow(vault, event)),
    event: async (eventId) => found(await tx.get(its.event, { eventId }), (row) => eventOf(vault, row)),
    add: async (delivery) => tx.run(its.insert, delivery),
    find: async (deliveryId) => found(await tx.get(its.find, { deliveryId }), ownedDelivery),
    async lock(deliveryId): Promise<{ delivery: HookDelivery; endpoint: Endpoint } | undefined> {
      const [endpointRow, row] = await Promise.all([
        tx.get(its.lockEndpoint, { deliveryId }),
        tx.get(its.lock, { deliveryId }),
      ])
      if (!endpointRow || !row) return undefined
      const endpoint = endpointOf(vault, endpointRow)
      return { endpoint, delivery: deliveryOf(row, { appId: endpoint.appId, mode: endpoint.mode }) }
    },
    async firstUntried({ endpointId, issueId }, after) {
      if (issueId === undefined) return undefined
      return (await tx.get(its.firstUntried, { endpointId, issueId, after: after?.deliveryId ?? NIL_ID }))?.deliveryId
    },
    failed: async (endpointId, since, { after = NIL_ID, limit } = {}) =>
      (await tx.all(its.failed, { endpointId, since, after, limit: limit ?? its.noLimit })).map(ownedDelivery),
    ofEvent: async (eventId) => (await tx.all(its.ofEvent, { eventId })).map(ownedDelivery),
    async save({ deliveryId, status, attempts, tries }) {
      tx.run(its.update, { deliveryId, status, attempts, tries })
    },
    addAttempt: async (attempt) => tx.run(its.insertAttempt, hookAttemptRow(vault, attempt)),
  }
}

export function hookReader(reads: Querying, vault: Vault): HookReader {
  const its = HOOKS(reads)
  return {
    async page({ endpointId, status, before, limit }) {
      const first = status === undefined ? its.page : its.inState
      const further = status === undefined ? its.pageBefore : its.inStateBefore
      const rows = await reads.all(before === undefined ? first : further, { endpointId, status, before, limit })
      return rows.map(reportOf)
    },
    ofIssue: async ({ appId, mode }, issueId) => (await reads.all(its.ofIssue, { appId, mode, issueId })).map(reportOf),
    attempts: async (deliveryId) =>
      (await reads.all(its.attempts, { deliveryId })).map((row) => hookAttemptOf(vault, row)),
  }
}
