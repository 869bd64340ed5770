/** What has outlived its retention: each deletes at most `limit` of it, and answers how many. */
import type { Mode } from '../../domain/shared/value'

/** Whose: of one app, or of all but some. */
export type RetentionScope = { mode: Mode } & ({ only: string } | { but: readonly string[] })

export interface RetentionTx {
  /** Issues created before, with all that belongs to them; what was told of live ones, too. Erased ones go when nothing counts them. */
  issues(whose: RetentionScope, before: number, limit: number): Promise<number>
  idempotencyRecords(before: number, limit: number): Promise<number>
  /** Wrong codes at phones whose last one was before. */
  failures(before: number, limit: number): Promise<number>
  /** What is no longer awaited because the report deadline has long passed. */
  reports(before: number, limit: number): Promise<number>
  /** Webhooks that are done, with their attempts and with events nobody else is told of. */
  hooks(before: number, limit: number): Promise<number>
  /** What rules were against in minutes before. */
  decisions(before: number, limit: number): Promise<number>
  /** What was sent in hours before, by country. */
  trafficHours(before: number, limit: number): Promise<number>
  /** Incidents that ended before. */
  incidents(before: number, limit: number): Promise<number>
  /** Snapshots of traffic that nobody starts from any more. */
  trafficSnapshots(before: number, limit: number): Promise<number>
  /** Forgets from which networks live codes were asked that were issued before. */
  networks(before: number, limit: number): Promise<number>
  /** Numbers and texts whose code has expired; a net below the rule that erases them with the issue's change. */
  outbox(limit: number): Promise<number>
}
