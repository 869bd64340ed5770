/** Deletes expired data. Each method deletes at most `limit` rows and answers how many. */
import type { Owner } from '../../domain/shared/value'

/** What issues lose before they are deleted. */
export type Forgotten = 'networks' | 'keys'

export interface RetentionTx {
  /** Issues created before a time, with all rows that belong to them. Erased ones are deleted once no limit counts them. */
  issues(owner: Owner, before: number, limit: number): Promise<number>
  /** Failure counts of phones whose last wrong code was before a time. */
  failures(before: number, limit: number): Promise<number>
  /** Awaited reports whose deadline has long passed. */
  reports(before: number, limit: number): Promise<number>
  /** Finished webhook deliveries with their attempts, and events without other deliveries. */
  hooks(before: number, limit: number): Promise<number>
  /** Decisions of rules from before a time. */
  decisions(before: number, limit: number): Promise<number>
  /** Hourly traffic of an app by country from before a time. */
  trafficHours(appId: string, before: number, limit: number): Promise<number>
  /** Incidents that ended before a time. */
  incidents(before: number, limit: number): Promise<number>
  /** Notices that ended before a time, with their messages. */
  notices(before: number, limit: number): Promise<number>
  /** Traffic snapshots that are too old to start from. */
  trafficSnapshots(before: number, limit: number): Promise<number>
  /** Removes the network hashes of issues, or their idempotency keys, from a time on and before another. */
  forget(what: Forgotten, owner: Owner, range: { from: number; before: number }, limit: number): Promise<number>
  /** What is older was removed; undefined before the first run. */
  forgottenUntil(what: Forgotten): Promise<number | undefined>
  noteForgotten(what: Forgotten, until: number): Promise<void>
  /** Absent phones whose time is over. */
  absences(before: number, limit: number): Promise<number>
  /** Numbers and texts of expired codes. They are normally erased when the issue changes; this catches the rest. */
  outbox(limit: number): Promise<number>
}
