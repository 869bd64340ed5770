/**
 * Deliver: prepare (transaction: write the attempt) → send (outside any transaction) → record (transaction).
 * A crash in the middle leaves an attempt without an answer: an ambiguous outcome, never a second send.
 * Decisions: "Delivery (live)".
 */
import type { Health } from '../domain/breaker'
import {
  abandon,
  afterSend,
  CODE,
  canFallBack,
  isWorthSending,
  presentableCode,
  type SendOutcome,
  type Step,
} from '../domain/delivery'
import { Refusal } from '../domain/error'
import type { Pass, Place } from '../domain/gate'
import type { Issue } from '../domain/issue'
import { type Job, LEASE_MS } from '../domain/job'
import { nextProvider, type Retry, retryDelayMs } from '../domain/route'
import type { Sparing } from '../domain/sparing'
import { type Modes, rulesOf } from '../mode'
import type { Attempt, Carrier, Clock, Letter, Log, OutboundMessage, Random, Router, Store, Tx } from '../ports'
import { takeStep } from './take-step'

export interface DeliverDependencies {
  store: Store
  clock: Clock
  random: Random
  log: Log
  modes: Modes
  wakeDelivery: () => void
  /** How many lines the log gets of a carrier that fails. */
  sparing: Sparing
}

type Failure = Exclude<SendOutcome, { kind: 'accepted' }>

interface Call {
  carrier: Carrier
  pass: Pass
  attempt: Attempt
  message: OutboundMessage
  letter: Letter
  /** Earlier tries on this leg. */
  refusedBefore: readonly Attempt[]
  route: readonly Carrier[]
}

/** `place` is what the job was claimed with; it is changed for one at the carrier. */
export async function deliverCode(deps: DeliverDependencies, job: Job, place: Place): Promise<void> {
  const router = await rulesOf(deps.modes, job).router()
  let pass: Pass | undefined
  const enter = ({ gate }: Carrier, now: number) => {
    pass = gate.enter(now)
    return pass
  }
  try {
    const call = await deps.store.transaction((tx) => prepare(deps, tx, job, { router, place, enter }))
    if (!call) return
    const outcome = await call.carrier.provider.send(call.message)
    const health = call.pass.answered(outcome, deps.clock.now())
    if (outcome.kind !== 'accepted') tellFailure(deps, call.carrier.provider.name, outcome)
    await insist(deps, (tx) => record(deps, tx, job, { ...call, outcome, health }))
  } finally {
    pass?.free()
  }
}

/** Without it a dead carrier would be seen only by who looks for it. */
function tellFailure({ log, clock, sparing }: DeliverDependencies, provider: string, outcome: Failure): void {
  const said = sparing.next(provider, clock.now())
  if (!said) return
  const what = outcome.kind === 'refused' ? { outcome: outcome.kind, retry: outcome.retry } : { outcome: outcome.kind }
  const { unsaid } = said
  log.warn(
    { provider, ...what, code: presentableCode(outcome.code), ...(unsaid > 0 && { unsaid }) },
    'a carrier did not take a message',
  )
}

const INSIST_EVERY_MS = 1_000

/**
 * A store that cannot write now (a full disk, a lock held for long) may soon: for as long as a lease the step is tried
 * again. What a carrier answered is known only here; lost, a refusal would be charged and a "later" never sent.
 */
async function insist({ store, clock }: DeliverDependencies, step: (tx: Tx) => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await store.transaction(step)
    } catch (error) {
      const mayPass = error instanceof Refusal && error.kind === 'unavailable'
      if (!mayPass || tries * INSIST_EVERY_MS >= LEASE_MS.deliver) throw error
      await new Promise<void>((again) => void clock.after(INSIST_EVERY_MS, again))
    }
  }
}

interface Way {
  router: Router
  place: Place
  enter: (carrier: Carrier, now: number) => Pass | undefined
}

async function prepare(
  deps: DeliverDependencies,
  tx: Tx,
  job: Job,
  { router, place, enter }: Way,
): Promise<Call | undefined> {
  if (!(await tx.holdsJob(job))) return undefined
  const issue = await tx.lockIssue(job, job.subjectId)
  const attempts = await tx.attempts(job, job.subjectId)
  const onThisLeg = attempts.filter(({ leg }) => leg === issue?.leg)
  const interrupted = onThisLeg.find(({ outcome }) => outcome === undefined)
  if (issue && interrupted) {
    await recordInterrupted(deps, tx, job, issue, interrupted, router)
    return undefined
  }
  if (!issue?.sendPending) {
    await tx.finishJob(job)
    return undefined
  }
  const end = async (step: Step) => {
    await tx.finishJob(job)
    await takeStep(deps, tx, issue, step)
    return undefined
  }
  if (!isWorthSending(issue, tx.now)) {
    return end(abandon(issue, tx.now >= issue.expiresAt ? CODE.expiredUnsent : CODE.noLongerActive, tx.now))
  }
  const letter = await tx.findOutbox(issue.issueId)
  if (!letter) return end(abandon(issue, CODE.noLetter, tx.now))

  place.free()
  const route = router({ ...issue, channel: issue.leg })
  const name = nextProvider(namesToAsk(route, onThisLeg, tx.now), onThisLeg)
  const carrier = route.find(({ provider }) => provider.name === name)
  if (!carrier || (!carrier.gate.admits(tx.now) && canFallBack(issue))) {
    // As if refused by all: an AlimTalk whose carriers are gone or unhealthy goes on as SMS.
    const nobody: SendOutcome = { kind: 'refused', retry: 'never', code: route.length ? CODE.unhealthy : CODE.noRoute }
    return end(afterSend(issue, nobody, { retryAfterMs: undefined, reports: false, now: tx.now }))
  }
  const { provider } = carrier
  const isBehindOthers = job.queue !== provider.name && (await tx.hasDueJobs(job.kind, provider.name))
  const pass = isBehindOthers ? undefined : enter(carrier, tx.now)
  if (!pass) {
    await tx.rescheduleJob(job, job.runAt, provider.name)
    return undefined
  }

  const attempt: Attempt = {
    appId: issue.appId,
    mode: issue.mode,
    issueId: issue.issueId,
    number: attempts.length + 1,
    leg: issue.leg,
    provider: provider.name,
    messageId: issue.messageId,
    calledAt: tx.now,
    answeredAt: undefined,
    outcome: undefined,
    retry: undefined,
    code: undefined,
    providerMessageId: undefined,
  }
  await tx.addAttempt(attempt)
  // A fast carrier may report before it has answered.
  await listenForReport(tx, attempt, undefined)
  return { carrier, pass, attempt, message: messageOf(issue, letter), letter, refusedBefore: onThisLeg, route }
}

/** The healthy; where none of them is left to ask, those that rest. Never those that said they can serve nobody. */
function namesToAsk(route: readonly Carrier[], tried: readonly Attempt[], now: number): string[] {
  const fit = route.filter(({ gate }) => !gate.isUnfit(now))
  const healthy = namesOf(fit.filter(({ gate }) => gate.admits(now)))
  return nextProvider(healthy, tried) === undefined ? namesOf(fit) : healthy
}

const namesOf = (route: readonly Carrier[]) => route.map(({ provider }) => provider.name)

const messageOf = (issue: Issue, letter: Letter): OutboundMessage => ({
  messageId: issue.messageId,
  channel: issue.leg,
  to: letter.to,
  text: letter.text,
  ...(letter.from !== undefined && { from: letter.from }),
  ...(issue.leg === 'sms'
    ? { messageType: letter.messageType }
    : { templateCode: letter.templateCode, variables: { ...letter.variables, code: letter.code } }),
  isFallback: issue.leg !== issue.channel,
  expiresAt: issue.expiresAt,
  ...(letter.scenario !== undefined && { scenario: letter.scenario }),
})

interface Answered extends Call {
  outcome: SendOutcome
  health: Health | undefined
}

async function record(deps: DeliverDependencies, tx: Tx, job: Job, call: Answered): Promise<void> {
  const { provider } = call.carrier
  if (call.health) await tellHealth(deps, tx, provider.name, call.health)
  if (!(await tx.finishJob(job))) return
  const outcome = withoutSecrets(call.outcome, call.letter)
  const answeredAttempt = withAnswer(call.attempt, outcome, tx.now)
  const issue = await tx.lockIssue(job, job.subjectId)
  // A report that overtook this answer has said what it says, and more.
  if (!issue || !(await tx.answerAttempt(answeredAttempt))) return
  const tried = [...call.refusedBefore, answeredAttempt]
  const jitter = deps.random.below(1_000) / 1_000
  const route = namesToAsk(call.route, tried, tx.now)
  const retryAfterMs = retryDelayMs(issue, { route, tried, jitter, now: tx.now })
  const step = afterSend(issue, outcome, { retryAfterMs, reports: provider.reports, now: tx.now })
  await takeStep(deps, tx, issue, step, call.letter.to)
  if (outcome.kind === 'accepted') await listenForReport(tx, call.attempt, outcome.providerMessageId)
}

/** Stored for people in other processes; and what waits for a carrier chooses anew. */
async function tellHealth(
  { log, wakeDelivery }: DeliverDependencies,
  tx: Tx,
  provider: string,
  { isStill, ...health }: Health,
): Promise<void> {
  await tx.saveHealth(provider, { ...health, code: health.code && presentableCode(health.code) })
  // A look at each that waits keeps everybody else waiting meanwhile.
  if (!isStill) await tx.emptyCarrierQueues()
  tx.afterCommit(() => {
    if (health.isHealthy) log.info({ provider }, 'provider is healthy again')
    else log.warn({ provider, code: presentableCode(health.code ?? '') }, 'provider is unhealthy and rests')
    wakeDelivery()
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
): Promise<void> {
  const outcome: SendOutcome = { kind: 'ambiguous', code: CODE.interrupted }
  const route = router({ ...issue, channel: attempt.leg })
  const reports = route.find(({ provider }) => provider.name === attempt.provider)?.provider.reports ?? true
  await tx.answerAttempt(withAnswer(attempt, outcome, tx.now))
  await tx.finishJob(job)
  await takeStep(deps, tx, issue, afterSend(issue, outcome, { retryAfterMs: undefined, reports, now: tx.now }))
}

const withAnswer = (attempt: Attempt, outcome: SendOutcome, now: number): Attempt => ({
  ...attempt,
  answeredAt: now,
  outcome: outcome.kind,
  retry: retryOf(outcome),
  code: outcome.code === undefined ? undefined : presentableCode(outcome.code),
  providerMessageId: outcome.kind === 'accepted' ? outcome.providerMessageId : undefined,
})

const retryOf = (outcome: SendOutcome): Retry | undefined => {
  if (outcome.kind !== 'refused') return undefined
  switch (outcome.retry) {
    case 'unfit':
      return 'elsewhere'
    case 'unreached':
      return 'later'
    default:
      return outcome.retry
  }
}

/** A report counts for the issue only while its delivery is open; takeStep forgets it when the delivery is final. */
const listenForReport = (tx: Tx, attempt: Attempt, providerMessageId: string | undefined) =>
  tx.awaitReport({
    appId: attempt.appId,
    mode: attempt.mode,
    issueId: attempt.issueId,
    messageId: attempt.messageId,
    provider: attempt.provider,
    providerMessageId,
    leg: attempt.leg,
    answeredAt: tx.now,
  })

/** An id that quotes number or code is not kept; the provider's reports are then recognised by our own id alone. */
function withoutSecrets(outcome: SendOutcome, { to, code }: Letter): SendOutcome {
  if (outcome.kind !== 'accepted' || outcome.providerMessageId === undefined) return outcome
  const digits = outcome.providerMessageId.replace(/\D/g, '')
  const isQuoting = digits.includes(code) || digits.includes(to.replace(/\D/g, '').slice(-8))
  return isQuoting ? { ...outcome, providerMessageId: undefined } : outcome
}
