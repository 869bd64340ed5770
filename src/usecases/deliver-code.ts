/**
 * Deliver: send the leg an issue is on by the next carrier of its route. A crash between the call and its answer leaves an
 * attempt without an answer: an ambiguous outcome, never a second send. Decisions: "Delivery (live)".
 */

import type { Issue } from '../domain/codes/issue'
import { type Attempt, awaitedOf, newAttempt, withAnswer } from '../domain/delivery/attempt'
import type { Health } from '../domain/delivery/carrier'
import {
  abandon,
  afterSend,
  CODE,
  canFallBack,
  isWorthSending,
  presentableCode,
  type SendOutcome,
  type Step,
  withoutQuotes,
} from '../domain/delivery/delivery'
import { nextCarrier, retryDelayMs } from '../domain/delivery/route'
import {
  messageOf,
  type OutboundMessage,
  type RenderedMessage,
  withoutSecrets,
} from '../domain/message/rendered-message'
import { type Job, LEASE_MS } from '../domain/operations/job'
import type { CarrierEndpoint, Router } from '../ports/carrier'
import type { Clock } from '../ports/clock'
import type { Log } from '../ports/log'
import type { Node, Seat } from '../ports/node'
import type { Store, Tx } from '../ports/store'
import type { Span, Telemetry } from '../ports/telemetry'
import type { Passage, Work } from '../ports/work'
import { type Modes, rulesOf } from './shared/mode'
import type { SaveDependencies } from './shared/save-issue'
import { takeStep } from './shared/take-step'

export interface DeliverDependencies extends SaveDependencies {
  store: Store
  clock: Clock
  log: Log
  modes: Modes
  node: Pick<Node, 'wakeUps' | 'sparing'>
}

/** A carrier is about to be asked. */
interface Sending {
  carrier: CarrierEndpoint
  seat: Seat
  attempt: Attempt
  message: OutboundMessage
  /** As it was when that was decided. */
  issue: Issue
  letter: RenderedMessage
  /** Whether the letter is stored, to be sent again: also by another process. */
  isKept: boolean
  /** Earlier tries on this leg. */
  refusedBefore: readonly Attempt[]
  route: readonly CarrierEndpoint[]
}

/** What the carrier said, and its health where that has changed. */
interface CarrierAnswer {
  outcome: SendOutcome
  health: Health | undefined
}

/**
 * The work of a job. `seat` is what it was claimed with: a place at the carrier in whose queue it was, or one among those
 * that look for their carrier, who move to it here.
 */
export async function delivery(deps: DeliverDependencies, job: Job, seat: Seat): Promise<DeliverMessage> {
  const router = await rulesOf(deps.modes, job).router()
  if (seat.carrier === undefined) await findSeat(deps, job, seat, router)
  return new DeliverMessage(deps, seat, router)
}

class DeliverMessage implements Work<Issue | undefined, Sending, CarrierAnswer> {
  readonly mayShare = true
  readonly endsJob = true

  constructor(
    private readonly deps: DeliverDependencies,
    readonly seat: Seat,
    readonly router: Router,
  ) {}

  lock(tx: Tx, job: Job, sending?: Sending): Promise<Issue | undefined> {
    const issue = tx.issues.lock(job, job.subjectId, sending?.issue)
    tx.attempts.ahead(job, job.subjectId)
    return issue
  }

  prepare(tx: Tx, job: Job, issue: Issue | undefined): Promise<Sending | undefined> {
    return prepare(this.deps, tx, job, issue, this)
  }

  act(sending: Sending): Promise<CarrierAnswer> {
    return send(this.deps, sending)
  }

  note(tx: Tx, { carrier }: Sending, { health }: CarrierAnswer): Promise<void> | undefined {
    return health && tellHealth(this.deps, tx, carrier.carrier.name, health)
  }

  record(tx: Tx, _job: Job, issue: Issue | undefined, sending: Sending, { outcome }: CarrierAnswer): Promise<void> {
    return record(this.deps, tx, issue, sending, outcome)
  }
}

/** How a message goes out with its issue. */
export interface ReservedDelivery {
  way: CarrierEndpoint
  passage: Passage
  route: readonly CarrierEndpoint[]
  router: Router
}

/** A message whose first attempt is written down, and which goes out as soon as that is stored. */
export class StartedDelivery {
  constructor(
    private readonly deps: DeliverDependencies,
    private readonly issue: Issue,
    private readonly departure: ReservedDelivery,
    private readonly call: Sending,
  ) {}

  /** Its job, as it is held. */
  goOn(job: Job | undefined): void {
    const { passage, router } = this.departure
    if (job) passage.carryOn(job, new DeliverMessage(this.deps, passage.seat, router), this.call)
    else passage.giveUp()
  }

  /** Where nobody knows whether it is stored: goes on with what is found of it. */
  async resume(): Promise<void> {
    this.goOn(await findHeld(this.deps, this.issue))
  }
}

/**
 * Begins the first attempt in the unit that stores the issue: what `prepare` would write later, and the job as held. A crash
 * from then on leaves it ambiguous, so the letter is kept only where another leg may follow.
 */
export async function startDelivery(
  deps: DeliverDependencies,
  tx: Tx,
  issue: Issue,
  letter: RenderedMessage,
  departure: ReservedDelivery,
): Promise<StartedDelivery> {
  const { way, passage, route } = departure
  const isKept = canFallBack(issue)
  if (isKept) await tx.outbox.add(issue, letter)
  const held = tx.jobs.addHeld({ kind: 'deliver', owner: issue, subjectId: issue.issueId, queue: way.carrier.name })
  // Who is not told of a failure is told by the commit.
  held.catch(() => {})
  const attempt = await beginAttempt(tx, issue, 1, way.carrier.name)
  const begun = new StartedDelivery(deps, issue, departure, {
    carrier: way,
    seat: passage.seat,
    attempt,
    message: messageOf(issue, letter),
    issue,
    letter,
    isKept,
    refusedBefore: [],
    route,
  })
  tx.afterCommit(() => {
    void held.then(
      (job) => begun.goOn(job),
      () => begun.resume(),
    )
  })
  return begun
}

const ASK_AGAIN_MS = 1_000

/**
 * By what is stored, for who has lost the answers. Asked for until the lease has ended. A job whose issue has an attempt with an
 * answer is that of a later message; when its lease ends says nothing, since a clock that is set back shortens it.
 */
async function findHeld({ store, clock }: DeliverDependencies, issue: Issue): Promise<Job | undefined> {
  const { read } = store
  const until = clock.elapsed() + LEASE_MS.deliver
  while (clock.elapsed() < until) {
    try {
      const job = await read.jobs.held('deliver', issue.issueId)
      const attempts = job ? await read.attempts.ofIssue(issue, issue.issueId) : []
      return attempts.every(({ outcome }) => outcome === undefined) ? job : undefined
    } catch {
      await new Promise<void>((again) => void clock.after(ASK_AGAIN_MS, again))
    }
  }
  return undefined
}

/** Looks where the message would go, and takes a place there. What it has found is looked at again under the lock. */
async function findSeat({ store, clock }: DeliverDependencies, job: Job, seat: Seat, router: Router): Promise<void> {
  const { read } = store
  const issue = await read.issues.find(job, job.subjectId)
  if (!issue?.sendPending || !isWorthSending(issue, clock.now())) return
  const attempts = await read.attempts.ofIssue(job, job.subjectId)
  const carrier = choose(issue, attempts, { seat, router, now: clock.now() }).carrier
  // Those that have waited there come first.
  if (carrier && !(await read.jobs.hasDue(job.kind, carrier.carrier.name, clock.now())))
    seat.moveTo(carrier.carrier.name, carrier.gate, clock.now())
}

interface CarrierChoice {
  route: readonly CarrierEndpoint[]
  onThisLeg: readonly Attempt[]
  /** Whose turn it is. */
  carrier: CarrierEndpoint | undefined
}

function choose(
  issue: Issue,
  attempts: readonly Attempt[],
  { seat, router, now }: { seat: Seat; router: Router; now: number },
): CarrierChoice {
  const route = router({ ...issue, channel: issue.leg })
  const onThisLeg = attempts.filter(({ leg }) => leg === issue.leg)
  const name = nextCarrier(namesToAsk(issue, { route, tried: onThisLeg, now, seat }), onThisLeg)
  return { route, onThisLeg, carrier: route.find(({ carrier }) => carrier.name === name) }
}

interface CarrierQuestion {
  route: readonly CarrierEndpoint[]
  tried: readonly Attempt[]
  now: number
  seat?: Seat
}

/** The healthy; where none of them is left to ask, those that rest, unless SMS takes over. */
function namesToAsk(issue: Issue, { route, tried, now, seat }: CarrierQuestion): string[] {
  // Whoever has a place is let in, also as the one that tries a carrier that rests.
  const healthy = namesOf(route.filter((carrier) => isSeatedAt(seat, carrier) || carrier.gate.admits(now)))
  return nextCarrier(healthy, tried) === undefined && !canFallBack(issue) ? namesOf(route) : healthy
}

const isSeatedAt = (seat: Seat | undefined, { carrier }: CarrierEndpoint) => seat?.carrier === carrier.name
const namesOf = (route: readonly CarrierEndpoint[]) => route.map(({ carrier }) => carrier.name)

async function prepare(
  deps: DeliverDependencies,
  tx: Tx,
  job: Job,
  issue: Issue | undefined,
  { seat, router }: { seat: Seat; router: Router },
): Promise<Sending | undefined> {
  if (!issue) return void (await tx.jobs.finish(job))
  const [attempts, letter] = await Promise.all([
    tx.attempts.ofIssue(issue, issue.issueId),
    tx.outbox.find(issue.issueId),
  ])
  const interrupted = attempts.find(({ leg, outcome }) => leg === issue.leg && outcome === undefined)
  if (interrupted) return recordInterrupted(deps, tx, job, issue, interrupted, router)
  if (!issue.sendPending) return void (await tx.jobs.finish(job))
  const end = async (step: Step) => {
    await tx.jobs.finish(job)
    await takeStep(deps, tx, issue, step)
    return undefined
  }
  if (!isWorthSending(issue, tx.now)) {
    return end(abandon(issue, tx.now >= issue.expiresAt ? CODE.expiredUnsent : CODE.noLongerActive, tx.now))
  }
  if (!letter) return end(abandon(issue, CODE.noLetter, tx.now))

  const { route, onThisLeg, carrier } = choose(issue, attempts, { seat, router, now: tx.now })
  if (!carrier) {
    // As if refused by all: an AlimTalk whose carriers are gone or unhealthy goes on as SMS.
    const nobody: SendOutcome = { kind: 'refused', retry: 'never', code: route.length ? CODE.unhealthy : CODE.noRoute }
    return end(afterSend(issue, nobody, { retryAfterMs: undefined, reports: false, now: tx.now }))
  }
  const { name } = carrier.carrier
  if (!isSeatedAt(seat, carrier)) {
    // No room there: it waits in that carrier's queue. With a place at another one it looks anew.
    await (seat.carrier === undefined ? tx.jobs.reschedule(job, job.runAt, name) : tx.jobs.reschedule(job, tx.now))
    tx.afterCommit(() => deps.node.wakeUps.wake('deliver'))
    return undefined
  }
  const attempt = await beginAttempt(tx, issue, attempts.length + 1, name)
  const message = messageOf(issue, letter)
  return { carrier, seat, attempt, message, issue, letter, isKept: true, refusedBefore: onThisLeg, route }
}

/** Written down before the carrier is called. */
async function beginAttempt(tx: Tx, issue: Issue, number: number, carrier: string): Promise<Attempt> {
  const attempt = newAttempt(issue, number, carrier, tx.now)
  await tx.attempts.add(attempt)
  // A fast carrier may report before it has answered.
  await tx.reports.expect(awaitedOf(attempt, undefined, tx.now))
  return attempt
}

async function send(deps: DeliverDependencies, sending: Sending): Promise<CarrierAnswer> {
  const { carrier, seat, message, issue } = sending
  const { name } = carrier.carrier
  const { clock, telemetry } = deps
  const span = telemetry.begin('attempt', issue.origin?.trace)
  const calledAt = clock.elapsed()
  const answered = await carrier.carrier.send(span.trace ? { ...message, trace: span.trace } : message)
  const outcome = withoutQuotes(answered, message)
  const ms = clock.elapsed() - calledAt
  const health = seat.answered(outcome, clock.now())
  tellAnswer(telemetry, sending, outcome, span, ms)
  if (outcome.kind !== 'accepted') tellFailure(deps, name, outcome)
  return { outcome, health }
}

function tellAnswer(
  telemetry: Telemetry,
  { attempt: { issueId, mode, carrier, leg }, issue: { origin } }: Sending,
  { kind: outcome, code: said }: SendOutcome,
  span: Span,
  ms: number,
): void {
  const code = said && presentableCode(said)
  telemetry.attemptAnswered({ origin, issueId, mode, carrier, leg, outcome, code, ms })
  const attributes = {
    'watchword.issue': issueId,
    'watchword.carrier': carrier,
    'watchword.leg': leg,
    'watchword.outcome': outcome,
  }
  span.end({ attributes, hasFailed: outcome !== 'accepted' })
}

/** Without it a dead carrier would be seen only by who looks for it. */
function tellFailure(
  { log, clock, node }: DeliverDependencies,
  carrier: string,
  outcome: Exclude<SendOutcome, { kind: 'accepted' }>,
): void {
  const said = node.sparing.next(carrier, clock.now())
  if (!said) return
  const what = outcome.kind === 'refused' ? { outcome: outcome.kind, retry: outcome.retry } : { outcome: outcome.kind }
  const { unsaid } = said
  log.warn(
    { provider: carrier, ...what, code: presentableCode(outcome.code), ...(unsaid > 0 && { unsaid }) },
    'a carrier did not take a message',
  )
}

async function record(
  deps: DeliverDependencies,
  tx: Tx,
  issue: Issue | undefined,
  { carrier, attempt, letter, isKept, refusedBefore, route }: Sending,
  said: SendOutcome,
): Promise<void> {
  const outcome = withoutSecrets(said, letter)
  const answered = withAnswer(attempt, outcome, tx.now)
  // A report that overtook this answer has said what it says, and more.
  if (!issue || !(await tx.attempts.answer(answered))) return
  const retryAfterMs =
    outcome.kind === 'refused' ? nextTryMs(deps, issue, route, [...refusedBefore, answered], tx.now) : undefined
  const step = afterSend(issue, outcome, { retryAfterMs, reports: carrier.carrier.reports, now: tx.now })
  await takeStep(deps, tx, issue, step, { by: attempt.carrier, letter, isKept })
  if (outcome.kind === 'accepted') await tx.reports.expect(awaitedOf(attempt, outcome.carrierMessageId, tx.now))
}

function nextTryMs(
  { random }: DeliverDependencies,
  issue: Issue,
  route: readonly CarrierEndpoint[],
  tried: readonly Attempt[],
  now: number,
): number | undefined {
  const jitter = random.below(1_000) / 1_000
  return retryDelayMs(issue, { route: namesToAsk(issue, { route, tried, now }), tried, jitter, now })
}

/** Stored for people in other processes; and what waits for a carrier chooses anew. */
async function tellHealth(
  { log, node }: DeliverDependencies,
  tx: Tx,
  carrier: string,
  { isStill, ...health }: Health,
): Promise<void> {
  await tx.carriers.saveHealth(carrier, { ...health, code: health.code && presentableCode(health.code) })
  // A look at each that waits keeps everybody else waiting meanwhile.
  if (!isStill) await tx.jobs.emptyCarrierQueues()
  tx.afterCommit(() => {
    if (health.isHealthy) log.info({ provider: carrier }, 'provider is healthy again')
    else log.warn({ provider: carrier, code: presentableCode(health.code ?? '') }, 'provider is unhealthy and rests')
    node.wakeUps.wake('deliver')
  })
}

/** The process that made this call died before it could record the answer: nobody knows whether the message left. */
async function recordInterrupted(
  deps: DeliverDependencies,
  tx: Tx,
  job: Job,
  issue: Issue,
  attempt: Attempt,
  router: Router,
): Promise<undefined> {
  const outcome: SendOutcome = { kind: 'ambiguous', code: CODE.interrupted }
  const route = router({ ...issue, channel: attempt.leg })
  const reports = route.find(({ carrier }) => carrier.name === attempt.carrier)?.carrier.reports ?? true
  await tx.jobs.finish(job)
  await tx.attempts.answer(withAnswer(attempt, outcome, tx.now))
  const step = afterSend(issue, outcome, { retryAfterMs: undefined, reports, now: tx.now })
  await takeStep(deps, tx, issue, step, { by: attempt.carrier, isKept: true })
}
