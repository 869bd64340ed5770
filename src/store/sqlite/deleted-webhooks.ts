/** Deletes the events of an issue with their deliveries, attempts and jobs. */
import type { Database } from 'bun:sqlite'
import { eq, sql } from 'drizzle-orm'
import { bind, db, on, statement } from './connection/statement'
import { jobs, webhookAttempts, webhookDeliveries, webhookEvents } from './schema'

const ofIssue = eq(webhookEvents.issueId, bind(webhookEvents.issueId, 'issueId'))
const ofEvent = eq(webhookDeliveries.eventId, bind(webhookDeliveries.eventId, 'eventId'))
const ofDeliveries = sql`(SELECT delivery_id FROM ${webhookDeliveries} WHERE ${ofEvent})`
const DELETIONS = {
  events: statement(() =>
    db.delete(webhookEvents).where(ofIssue).returning({ eventId: webhookEvents.eventId }).prepare(),
  ),
  attempts: statement(() =>
    db.delete(webhookAttempts).where(sql`${webhookAttempts.deliveryId} IN ${ofDeliveries}`).prepare(),
  ),
  jobs: statement(() =>
    db.delete(jobs).where(sql`${jobs.subjectId} IN ${ofDeliveries} AND ${jobs.kind} = 'webhook'`).prepare(),
  ),
  deliveries: statement(() => db.delete(webhookDeliveries).where(ofEvent).prepare()),
}

/** The function answers how many events it has deleted. */
export function eventDeletion(connection: Database): (issueId: string) => number {
  const run = on(connection, DELETIONS)
  return (issueId) => {
    const events = run.events.all({ issueId })
    for (const { eventId } of events) {
      run.attempts.run({ eventId })
      run.jobs.run({ eventId })
      run.deliveries.run({ eventId })
    }
    return events.length
  }
}
