/** Views for operators: the story of one issue, carriers, and the backlog. They have no number, no code and no text. */

import type { Attempt } from '../domain/delivery/attempt'
import type { CarrierConfig } from '../domain/delivery/carrier'
import { NO_REPORTS, refusedLately, type UnheardReport } from '../domain/delivery/report-tally'
import type { QueueState } from '../domain/operations/job'
import type { VerificationStatus } from '../domain/shared/addressed'
import { missing } from '../domain/shared/error'
import { isUuid, MODES } from '../domain/shared/value'
import { type OverallStatus, overallStatus, shownMessage } from '../domain/verification/issue'
import { effectiveStatus, hasCode, type Stored } from '../domain/verification/verification'
import type { LedgerEntry } from '../domain/wallet/wallet'
import type { HookReport } from '../domain/webhooks/webhook'
import type { Clock } from '../ports/clock'
import type { Store } from '../ports/store'

export interface InspectDependencies {
  store: Store
  clock: Pick<Clock, 'now'>
  /** The meaning of a carrier's code, where it is known. */
  explain: (carrier: string, code: string) => Promise<string | undefined>
}

export interface AttemptReport {
  number: number
  leg: Attempt['leg']
  provider: string
  calledAt: number
  answeredAt: number | undefined
  latencyMs: number | undefined
  outcome: Attempt['outcome']
  code: string | undefined
  explanation: string | undefined
  /** The carrier's own words, without digits. */
  said: string | undefined
  /** As sent, masked. */
  text: string | undefined
  report: Attempt['report']
  reportedAt: number | undefined
}

export interface IssueStory {
  issue: ReturnType<typeof shownMessage>
  verificationStatus: VerificationStatus | undefined
  overallStatus: OverallStatus
  attempts: AttemptReport[]
  ledger: LedgerEntry[]
  /** The webhooks that were sent about it. */
  webhooks: HookReport[]
}

/** Everything known of one issue, whoever's it is. Throws `not_found`. */
export async function tellIssue(deps: InspectDependencies, issueId: string): Promise<IssueStory> {
  const { store, clock } = deps
  const found = isUuid(issueId) ? await findAnywhere(store, issueId) : undefined
  if (!found) throw missing('issue', issueId)
  const issue = shownMessage(found)
  const attempts = await store.read.attempts.ofIssue(issue, issue.issueId)
  return {
    issue,
    verificationStatus: hasCode(issue) ? effectiveStatus(issue, clock.now()) : undefined,
    overallStatus: overallStatus(issue, clock.now()),
    attempts: await Promise.all(attempts.map((attempt) => reportOf(deps, attempt))),
    webhooks: await store.read.hooks.ofIssue(issue, issue.issueId),
    ledger: issue.mode === 'live' ? await store.read.wallets.ledgerOfIssue(issue.appId, issue.issueId) : [],
  }
}

export async function findAnywhere(store: Store, issueId: string): Promise<Stored | undefined> {
  for (const { appId } of await store.read.apps.withRemoved()) {
    for (const mode of MODES) {
      const issue = await store.read.issues.stored({ appId, mode }, issueId)
      if (issue) return issue
    }
  }
  return undefined
}

async function reportOf({ explain }: InspectDependencies, attempt: Attempt): Promise<AttemptReport> {
  const { number, leg, carrier, calledAt, answeredAt, outcome, code, said, text, report, reportedAt } = attempt
  return {
    number,
    leg,
    provider: carrier,
    calledAt,
    answeredAt,
    latencyMs: answeredAt === undefined ? undefined : answeredAt - calledAt,
    outcome,
    code,
    explanation: code === undefined ? undefined : await explain(carrier, code),
    said,
    text,
    report,
    reportedAt,
  }
}

export interface QueueReport {
  queue: QueueState[]
  /** Messages that wait for a slot at a carrier. They count in `queue`, too. */
  carriers: Array<QueueState & { carrier: string }>
}

/** Backlog and oldest age of each kind of work. */
export async function readQueue({ store, clock }: Pick<InspectDependencies, 'store' | 'clock'>): Promise<QueueReport> {
  return {
    queue: await store.read.jobs.queues(clock.now()),
    carriers: await store.read.jobs.carrierQueues(clock.now()),
  }
}

/** A configured carrier, without its settings, and what the server last found of it. */
export interface CarrierState {
  name: string
  type: string
  channels: CarrierConfig['channels']
  concurrency: number | undefined
  timeoutMs: number | undefined
  /** A paused carrier may also be unhealthy, which matters when it is resumed. */
  state: 'healthy' | 'unhealthy' | 'paused'
  /** Only where the carrier is paused or unhealthy. */
  since?: number
  code?: string | undefined
  explanation?: string | undefined
  retryAt?: number | undefined
  /** When a report of it was recorded last; undefined: none has been since its settings were changed. */
  reportedAt: number | undefined
  /** Messages that it has accepted since then. */
  unreported: number
  /** Reports of the last day that changed nothing, the most frequent reason first. */
  refusedReports: Array<{ reason: UnheardReport; times: number }>
}

/** Credentials are never shown again. */
export async function listCarriers({
  store,
  clock,
  explain,
}: Pick<InspectDependencies, 'store' | 'clock' | 'explain'>): Promise<CarrierState[]> {
  const [health, reports] = [await store.read.carriers.health(), await store.read.carriers.reports()]
  return Promise.all(
    (await store.read.carriers.all()).map(async ({ name, type, channels, concurrency, timeoutMs, pausedAt }) => {
      const tally = reports.get(name) ?? NO_REPORTS
      const known = {
        ...{ name, type, channels, concurrency, timeoutMs, reportedAt: tally.recordedAt, unreported: tally.accepted },
        refusedReports: refusedLately(tally, clock.now()).map(({ reason, times }) => ({ reason, times })),
      }
      if (pausedAt !== undefined) return { ...known, state: 'paused' as const, since: pausedAt }
      const found = health.get(name)
      if (!found || found.isHealthy) return { ...known, state: 'healthy' as const }
      const { since, code, retryAt } = found
      return {
        ...known,
        state: 'unhealthy' as const,
        since,
        code,
        explanation: code && (await explain(name, code)),
        retryAt,
      }
    }),
  )
}
