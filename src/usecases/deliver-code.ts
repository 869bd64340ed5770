/**
 * Deliver: prepare (transaction: write the attempt) → send (outside any transaction) → record (transaction).
 * A crash in the middle leaves an attempt without an answer: an ambiguous outcome, never a second send.
 * Decisions: "Delivery (live)".
 */
import {
  abandon,
  afterSend,
  CODE,
  isWorthSending,
  presentableCode,
  type SendOutcome,
  type Step,
} from '../domain/delivery'
import type { Issue } from '../domain/issue'
import type { Job } from '../domain/job'
import { nextProvider, retryDelayMs } from '../domain/route'
import { type Modes, rulesOf } from '../mode'
import type { Attempt, Letter, OutboundMessage, Provider, Random, Router, Store, Tx } from '../ports'
import { takeStep } from './take-step'

export interface DeliverDependencies {
  store: Store
  random: Random
  modes: Modes
  wakeDelivery: () => void
}

interface Call {
  provider: Provider
  attempt: Attempt
  message: OutboundMessage
  letter: Letter
  /** Earlier tries on this leg. */
  refusedBefore: readonly Attempt[]
  route: readonly string[]
}

export async function deliverCode(deps: DeliverDependencies, job: Job): Promise<void> {
  const rules = rulesOf(deps.modes, job)
  const router = await rules.router()
  const call = await deps.store.transaction((tx) => prepare(deps, tx, job, router))
  if (!call) return
  const outcome = await call.provider.send(call.message)
  await deps.store.transaction((tx) => record(deps, tx, job, call, outcome))
}

async function prepare(deps: DeliverDependencies, tx: Tx, job: Job, router: Router): Promise<Call | undefined> {
  if (!(await tx.holdsJob(job))) return undefined
  const issue = await tx.lockIssue(job, job.issueId)
  const attempts = await tx.attempts(job, job.issueId)
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
  const route = router({ ...issue, channel: issue.leg })
  const name = nextProvider(namesOf(route), onThisLeg)
  const provider = route.find((candidate) => candidate.name === name)
  if (!letter) return end(abandon(issue, CODE.noLetter, tx.now))
  if (!provider) {
    // As if refused by all: an AlimTalk whose carriers are gone goes on as SMS.
    const nobody: SendOutcome = { kind: 'refused', retry: 'never', code: CODE.noRoute }
    return end(afterSend(issue, nobody, { retryAfterMs: undefined, reports: false, now: tx.now }))
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
  return {
    provider,
    attempt,
    message: messageOf(issue, letter),
    letter,
    refusedBefore: onThisLeg,
    route: namesOf(route),
  }
}

const namesOf = (route: readonly Provider[]) => route.map(({ name }) => name)

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

async function record(deps: DeliverDependencies, tx: Tx, job: Job, call: Call, answered: SendOutcome): Promise<void> {
  const outcome = withoutSecrets(answered, call.letter)
  const isOurs = (await tx.holdsJob(job)) && (await tx.answerAttempt(withAnswer(call.attempt, outcome, tx.now)))
  const issue = await tx.lockIssue(job, job.issueId)
  if (!isOurs || !issue) return
  const answeredAttempt = withAnswer(call.attempt, outcome, tx.now)
  const tried = [...call.refusedBefore, answeredAttempt]
  const jitter = deps.random.below(1_000) / 1_000
  const retryAfterMs = retryDelayMs(issue, { route: call.route, tried, jitter, now: tx.now })
  await tx.finishJob(job)
  await takeStep(
    deps,
    tx,
    issue,
    afterSend(issue, outcome, { retryAfterMs, reports: call.provider.reports, now: tx.now }),
  )
  if (outcome.kind === 'accepted') await listenForReport(tx, call.attempt, outcome.providerMessageId)
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
  const reports = route.find(({ name }) => name === attempt.provider)?.reports ?? true
  await tx.answerAttempt(withAnswer(attempt, outcome, tx.now))
  await tx.finishJob(job)
  await takeStep(deps, tx, issue, afterSend(issue, outcome, { retryAfterMs: undefined, reports, now: tx.now }))
}

const withAnswer = (attempt: Attempt, outcome: SendOutcome, now: number): Attempt => ({
  ...attempt,
  answeredAt: now,
  outcome: outcome.kind,
  retry: outcome.kind === 'refused' ? outcome.retry : undefined,
  code: outcome.code === undefined ? undefined : presentableCode(outcome.code),
  providerMessageId: outcome.kind === 'accepted' ? outcome.providerMessageId : undefined,
})

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
