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
  node: Pick<Node, 'wakeUps' | 'logSampler'>
}

/** A carrier is about to be asked. */
interface Sending {
  carrier: CarrierEndpoint
  slot: Seat
  attempt: Attempt
  message: OutboundMessage
  /** As it was when that was decided. */
  issue: Issue
  rendered: RenderedMessage
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
export async function delivery(deps: DeliverDependencies, job: Job, slot: Seat): Promise<DeliverMessage> {
  const router = await rulesOf(deps.modes, job).router()
  if (slot.carrier === undefined) await findSeat(deps, job, slot, router)
  return new DeliverMessage(deps, slot, router)
}

class DeliverMessage implements Work<Issue | undefined, Sending, CarrierAnswer> {
  readonly mayShare = true
  readonly endsJob = true

  constructor(
    private readonly deps: DeliverDependencies,
    readonly slot: Seat,
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
  reservedSlot: Passage
  route: readonly CarrierEndpoint[]
  router: Router
}

/** A message whose first attempt is written down, and which goes out as soon as that is stored. */
export class StartedDelivery {
  constructor(
    private readonly deps: DeliverDependencies,
    private readonly issue: Issue,
    private readonly reserved: ReservedDelivery,
    private readonly call: Sending,
  ) {}

  /** Its job, as it is held. */
  goOn(job: Job | undefined): void {
    const { reservedSlot, router } = this.reserved
    if (job) reservedSlot.carryOn(job, new DeliverMessage(this.deps, reservedSlot.slot, router), this.call)
    else reservedSlot.giveUp()
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
  rendered: RenderedMessage,
  reserved: ReservedDelivery,
): Promise<StartedDelivery> {
  const { way, reservedSlot, route } = reserved
  const isKept = canFallBack(issue)
  if (isKept) await tx.outbox.add(issue, rendered)
  const held = tx.jobs.addHeld({ kind: 'deliver', owner: issue, subjectId: issue.issueId, queue: way.carrier.name })
  // Who is not told of a failure is told by the commit.
  held.catch(() => {})
  const attempt = await beginAttempt(tx, issue, 1, way.carrier.name)
  const started = new StartedDelivery(deps, issue, reserved, {
    carrier: way,
    slot: reservedSlot.slot,
    attempt,
    message: messageOf(issue, rendered),
    issue,
    rendered,
    isKept,
    refusedBefore: [],
    route,
  })
  tx.afterCommit(() => {
    void held.then(
      (job) => started.goOn(job),
      () => started.resume(),
    )
  })
  return started
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
async function findSeat({ store, clock }: DeliverDependencies, job: Job, slot: Seat, router: Router): Promise<void> {
  const { read } = store
  const issue = await read.issues.find(job, job.subjectId)
  if (!issue?.sendPending || !isWorthSending(issue, clock.now())) return
  const attempts = await read.attempts.ofIssue(job, job.subjectId)
  const carrier = choose(issue, attempts, { slot, router, now: clock.now() }).carrier
  // Those that have waited there come first.
  if (carrier && !(await read.jobs.hasDue(job.kind, carrier.carrier.name, clock.now())))
    slot.moveTo(carrier.carrier.name, carrier.limiter, clock.now())
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
  { slot, router, now }: { slot: Seat; router: Router; now: number },
): CarrierChoice {
  const route = router({ ...issue, channel: issue.leg })
  const onThisLeg = attempts.filter(({ leg }) => leg === issue.leg)
  const name = nextCarrier(namesToAsk(issue, { route, tried: onThisLeg, now, slot }), onThisLeg)
  return { route, onThisLeg, carrier: route.find(({ carrier }) => carrier.name === name) }
}

interface CarrierQuestion {
  route: readonly CarrierEndpoint[]
  tried: readonly Attempt[]
  now: number
  slot?: Seat
}

/** The healthy; where none of them is left to ask, those that rest, unless SMS takes over. */
function namesToAsk(issue: Issue, { route, tried, now, slot }: CarrierQuestion): string[] {
  // Whoever has a place is let in, also as the one that tries a carrier that rests.
  const healthy = namesOf(route.filter((carrier) => isSeatedAt(slot, carrier) || carrier.limiter.admits(now)))
  return nextCarrier(healthy, tried) === undefined && !canFallBack(issue) ? namesOf(route) : healthy
}

const isSeatedAt = (slot: Seat | undefined, { carrier }: CarrierEndpoint) => slot?.carrier === carrier.name
const namesOf = (route: readonly CarrierEndpoint[]) => route.map(({ carrier }) => carrier.name)

async function prepare(
  deps: DeliverDependencies,
  tx: Tx,
  job: Job,
  issue: Issue | undefined,
  { slot, router }: { slot: Seat; router: Router },
): Promise<Sending | undefined> {
  if (!issue) return void (await tx.jobs.finish(job))
  const [attempts, rendered] = await Promise.all([
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
  if (!rendered) return end(abandon(issue, CODE.noLetter, tx.now))

  const { route, onThisLeg, carrier } = choose(issue, attempts, { slot, router, now: tx.now })
  if (!carrier) {
    // As if refused by all: an AlimTalk whose carriers are gone or unhealthy goes on as SMS.
    const nobody: SendOutcome = { kind: 'refused', retry: 'never', code: route.length ? CODE.unhealthy : CODE.noRoute }
    return end(afterSend(issue, nobody, { retryAfterMs: undefined, reports: false, now: tx.now }))
  }
  const { name } = carrier.carrier
  if (!isSeatedAt(slot, carrier)) {
    // No room there: it waits in that carrier's queue. With a place at another one it looks anew.
    await (slot.carrier === undefined ? tx.jobs.reschedule(job, job.runAt, name) : tx.jobs.reschedule(job, tx.now))
    tx.afterCommit(() => deps.node.wakeUps.wake('deliver'))
    return undefined
  }
  const attempt = await beginAttempt(tx, issue, attempts.length + 1, name)
  const message = messageOf(issue, rendered)
  return { carrier, slot, attempt, message, issue, rendered, isKept: true, refusedBefore: onThisLeg, route }
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
  const { carrier, slot, message, issue } = sending
  const { name } = carrier.carrier
  const { clock, telemetry } = deps
  const span = telemetry.begin('attempt', issue.origin?.trace)
  const calledAt = clock.elapsed()
  const answered = await carrier.carrier.send(span.trace ? { ...message, trace: span.trace } : message)
  const outcome = withoutQuotes(answered, message)
  const ms = clock.elapsed() - calledAt
  const health = slot.answered(outcome, clock.now())
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
  const said = node.logSampler.next(carrier, clock.now())
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
  { carrier, attempt, rendered, isKept, refusedBefore, route }: Sending,
  said: SendOutcome,
): Promise<void> {
  const outcome = withoutSecrets(said, rendered)
  const answered = withAnswer(attempt, outcome, tx.now)
  // A report that overtook this answer has said what it says, and more.
  if (!issue || !(await tx.attempts.answer(answered))) return
  const retryAfterMs =
    outcome.kind === 'refused' ? nextTryMs(deps, issue, route, [...refusedBefore, answered], tx.now) : undefined
  const step = afterSend(issue, outcome, { retryAfterMs, reports: carrier.carrier.reports, now: tx.now })
  await takeStep(deps, tx, issue, step, { by: attempt.carrier, rendered, isKept })
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
