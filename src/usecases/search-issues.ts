/** Searches issues by id, by the beginning of a purpose, by what became of them, and by time. */
import type { DeliveryStatus } from '../domain/message/message'
import { dayAt, timeOfDay } from '../domain/shared/time-zone'
import { type Channel, DAY_MS, isUuid, type Leg, type Owner } from '../domain/shared/value'
import { overallStatus, shownMessage } from '../domain/verification/issue'
import { effectiveStatus, hasCode, type Stored } from '../domain/verification/verification'
import type { Clock } from '../ports/clock'
import type { Store } from '../ports/store'
import type { IssueFilter } from '../ports/store/issues'

export interface IssueSearch {
  after?: string | undefined
  limit: number
  isOldestFirst?: boolean | undefined
  /** An id, or the beginning of a purpose. */
  search?: string | undefined
  /** `alone`: messages without a code, which are found otherwise only by their id. */
  status?: IssueFilter['status']
  delivery?: DeliveryStatus | undefined
  channel?: Channel | undefined
  /** The current leg. */
  leg?: Leg | undefined
  country?: string | undefined
  /** A carrier that was called, by name. */
  carrier?: string | undefined
  outcomeCode?: string | undefined
  from?: number | undefined
  to?: number | undefined
  hourOfDay?: HourOfDay | undefined
}

export interface HourOfDay {
  /** 0–23. */
  hour: number
  timeZone: string
}

export interface FoundIssues {
  rows: Stored[]
  /** Where to go on; the page may be short of rows though there are more behind it. */
  next?: string
}

export async function searchIssues(
  { store, clock }: { store: Store; clock: Pick<Clock, 'now'> },
  owner: Owner,
  { search = '', from, to, hourOfDay, limit, after, ...filter }: IssueSearch,
): Promise<FoundIssues> {
  const wanted = search.trim()
  if (isUuid(wanted)) {
    const issue = await store.read.issues.stored(owner, wanted.toLowerCase())
    return { rows: issue ? [issue] : [] }
  }
  const asked = { ...filter, purpose: wanted, limit: limit + 1, createdFrom: from, createdTo: to }
  if (hourOfDay) return searchHours({ store, clock }, owner, { asked, hourOfDay, after })
  const { issues, next } = await store.lists.issues.search(owner, goingOn(asked, after), clock.now())
  if (issues.length <= limit) return { rows: issues, ...(next !== undefined && { next }) }
  return { rows: issues.slice(0, limit), next: cursorAfter(issues, asked) }
}

const goingOn = (asked: IssueFilter, cursor: string | undefined): IssueFilter => ({
  ...asked,
  ...(asked.isOldestFirst ? { from: cursor } : { before: cursor }),
})

/** One row more than wanted was read. The oldest first go on with it, the newest first before the row above it. */
const cursorAfter = (rows: readonly Stored[], { isOldestFirst }: IssueFilter): string =>
  rows.at(isOldestFirst ? -1 : -2)?.issueId ?? ''

/** Reads one hour of each day, so that the index finds it as fast as the rest. */
const HOURS_AT_MOST = 100

interface HourSearch {
  asked: IssueFilter
  hourOfDay: HourOfDay
  after: string | undefined
}

/** The cursor is when the hour begins that the search goes on with, and an id within it. */
async function searchHours(
  { store, clock }: { store: Store; clock: Pick<Clock, 'now'> },
  owner: Owner,
  { asked, hourOfDay, after = '' }: HourSearch,
): Promise<FoundIssues> {
  const now = clock.now()
  const { issues } = await store.lists.issues.search(owner, { isOldestFirst: true, limit: 1 }, now)
  const from = Math.max(asked.createdFrom ?? 0, issues[0]?.createdAt ?? Number.POSITIVE_INFINITY)
  const to = Math.min(asked.createdTo ?? Number.POSITIVE_INFINITY, now + DAY_MS)
  if (from >= to) return { rows: [] }
  const isOldestFirst = asked.isOldestFirst === true
  const [time = '', id] = after.split(' ')
  const goesOnAt = time === '' ? undefined : Number(time)
  const wasSeen = (at: number) => goesOnAt !== undefined && (isOldestFirst ? at < goesOnAt : at > goesOnAt)
  const found: Array<{ issue: Stored; hour: number }> = []
  let hours = 0
  for (const { createdFrom: hour, createdTo } of hoursWithin(hourOfDay, { from, to, isOldestFirst })) {
    if (wasSeen(hour)) continue
    if (hours++ === HOURS_AT_MOST) return { rows: found.map(({ issue }) => issue), next: String(hour) }
    const within = { ...asked, createdFrom: hour, createdTo, limit: asked.limit - found.length }
    const page = await store.lists.issues.search(owner, goingOn(within, hour === goesOnAt ? id : undefined), now)
    found.push(...page.issues.map((issue) => ({ issue, hour })))
    const rows = found.map(({ issue }) => issue)
    if (found.length === asked.limit) {
      const last = found.at(isOldestFirst ? -1 : -2)
      return { rows: rows.slice(0, -1), next: `${last?.hour} ${cursorAfter(rows, asked)}` }
    }
    if (page.next !== undefined) return { rows, next: `${hour} ${page.next}` }
  }
  return { rows: found.map(({ issue }) => issue) }
}

interface DaySpan {
  from: number
  to: number
  isOldestFirst: boolean
}

function* hoursWithin({ hour, timeZone }: HourOfDay, { from, to, isOldestFirst }: DaySpan) {
  const firstDay = dayAt(from, timeZone)
  const days = Math.ceil((to - from) / DAY_MS) + 1
  for (let n = 0; n < days; n++) {
    const day = isOldestFirst ? n : days - 1 - n
    const createdFrom = Math.max(from, timeOfDay(firstDay, timeZone, day, hour))
    const createdTo = Math.min(to, timeOfDay(firstDay, timeZone, day, hour + 1))
    if (createdFrom < createdTo) yield { createdFrom, createdTo }
  }
}

/** The row of an issue, or of a message alone, in a list. It has no number, no code and no text. */
export function rowOf(stored: Stored, now: number) {
  const shown = shownMessage(stored)
  return {
    issueId: shown.issueId,
    mode: shown.mode,
    purpose: shown.purpose,
    channel: shown.channel,
    leg: shown.leg,
    country: shown.country,
    overallStatus: overallStatus(shown, now),
    verificationStatus: hasCode(shown) ? effectiveStatus(shown, now) : undefined,
    deliveryStatus: shown.deliveryStatus,
    isAmbiguous: shown.providerOutcomeAmbiguous,
    outcomeCode: shown.providerOutcomeCode,
    billingStatus: shown.billingStatus,
    price: shown.price,
    attemptsUsed: shown.attemptsUsed,
    maxAttempts: shown.maxAttempts,
    createdAt: shown.createdAt,
    expiresAt: shown.expiresAt,
  }
}
