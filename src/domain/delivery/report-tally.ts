/** The results of a carrier's delivery reports lately: an integrator whose reports do not get in must find out why. */
import { DAY_MS, MINUTE_MS } from '../shared/value'

/** `unmatched`: no message awaits it, such as a second one about the same message. `undecided`: its state means nothing yet. */
export const REPORT_OUTCOMES = ['recorded', 'undecided', 'unmatched', 'unauthorized', 'unreadable'] as const
export type ReportOutcome = (typeof REPORT_OUTCOMES)[number]
export type UnheardReport = Exclude<ReportOutcome, 'recorded' | 'undecided'>

export interface ReportTally {
  /** When a report was recorded last, Unix milliseconds. */
  readonly recordedAt: number | undefined
  /** Messages that the carrier has accepted since then, and the moment of the first of them. */
  readonly accepted: number
  readonly acceptedSince: number | undefined
  /** Reports that changed nothing, by reason; a count begins anew after a day without one. */
  readonly refused: Readonly<Partial<Record<UnheardReport, UnheardReports>>>
}

export interface UnheardReports {
  times: number
  since: number
  lastAt: number
}

export const NO_REPORTS: ReportTally = { recordedAt: undefined, accepted: 0, acceptedSince: undefined, refused: {} }

/** The tally of one report, or of one accepted message. */
export function tallyOf(news: Exclude<ReportOutcome, 'undecided'> | 'accepted', at: number): ReportTally {
  if (news === 'recorded') return { ...NO_REPORTS, recordedAt: at }
  if (news === 'accepted') return { ...NO_REPORTS, accepted: 1, acceptedSince: at }
  return { ...NO_REPORTS, refused: { [news]: { times: 1, since: at, lastAt: at } } }
}

/** The counts before and after, added up. A recorded report shows that they get in, so the count of messages begins anew. */
export function addTallies(before: ReportTally, after: ReportTally): ReportTally {
  const refused = { ...before.refused }
  for (const [reason, { times, since, lastAt }] of Object.entries(after.refused) as Array<
    [UnheardReport, UnheardReports]
  >) {
    const known = refused[reason]
    const goesOn = known !== undefined && since - known.lastAt < DAY_MS
    refused[reason] = goesOn ? { times: known.times + times, since: known.since, lastAt } : { times, since, lastAt }
  }
  const { recordedAt, accepted, acceptedSince } = after
  if (recordedAt !== undefined) return { recordedAt, accepted, acceptedSince, refused }
  return {
    recordedAt: before.recordedAt,
    accepted: before.accepted + accepted,
    acceptedSince: before.acceptedSince ?? acceptedSince,
    refused,
  }
}

/** The reports that were refused within the last day, the most frequent reason first. */
export const refusedLately = (
  { refused }: ReportTally,
  now: number,
): Array<UnheardReports & { reason: UnheardReport }> =>
  (Object.entries(refused) as Array<[UnheardReport, UnheardReports]>)
    .filter(([, { lastAt }]) => now - lastAt < DAY_MS)
    .map(([reason, one]) => ({ reason, ...one }))
    .sort((one, other) => other.times - one.times)

/** Some of so many messages are delivered, and reported, within so long. */
const SILENT_FROM = 200
const SILENT_AFTER_MS = 15 * MINUTE_MS

/** Whether a carrier that reports deliveries has reported none of many messages. */
export const isSilent = ({ accepted, acceptedSince = 0 }: ReportTally, now: number): boolean =>
  accepted >= SILENT_FROM && now - acceptedSince >= SILENT_AFTER_MS

/** Why a report changed nothing, in words for whoever sets up the carrier. */
export const WHY_REFUSED: Readonly<Record<UnheardReport, string>> = {
  unmatched: 'no message awaits them',
  unauthorized: 'wrong secret, signature or address',
  unreadable: 'they cannot be read',
}
