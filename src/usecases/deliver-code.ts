/**
 * Deliver: send the leg that an issue is on by the next carrier of its route. A crash between the call and its answer leaves
 * an attempt without an answer: an ambiguous outcome, never a second send. Decisions: "Delivery (live)".
 */

import { type Attempt, begunAttempt, newAttempt, withAnswer } from '../domain/delivery/attempt'
import {
  abandon,
  afterSend,
  CODE,
  isFinal,
  isWorthSending,
  type SendOutcome,
  type Step,
} from '../domain/delivery/delivery'
import { tallyOf } from '../domain/delivery/report-tally'
import type { Message } from '../domain/message/message'
import { maskedText, messageOf, type RenderedMessage, withoutSecrets } from '../domain/message/rendered-message'
import type { Job } from '../domain/operations/job'
import type { Endpoint } from '../domain/webhooks/webhook'
import type { Router } from '../ports/carrier'
import type { Clock } from '../ports/clock'
import type { Log } from '../ports/log'
import type { CarrierSlot, Node } from '../ports/node'
import type { Store, Tx } from '../ports/store'
import type { JobHandler } from '../ports/work'
import { type CarrierAnswer, type CarrierCall, callCarrier, recordHealth } from './deliver/call-carrier'
import { chooseCarrier, hasSlotAt, moveToCarrier, nextTryMs } from './deliver/choose-carrier'
import { type Modes, rulesOf } from './shared/mode'
import type { SaveDependencies } from './shared/save-change'
import { noteAbsence, openMessages, takeStep } from './shared/take-step'

export interface DeliverDependencies extends SaveDependencies {
  store: Store
  clock: Clock
  log: Log
  modes: Modes
  node: Pick<Node, 'wakeUps' | 'logSampler' | 'reports'>
}

/**
 * The work of a `deliver` job. `slot` is what the job was claimed with: a slot at the carrier in whose queue it waited, or one
 * among the messages that look for their carrier, which moves to that carrier here.
 */
export async function deliverCode(deps: DeliverDependencies, job: Job, slot: CarrierSlot): Promise<DeliverMessage> {
  const router = await rulesOf(deps.modes, job).router()
  if (slot.carrier === undefined) await moveToCarrier(deps, job, slot, router)
  return new DeliverMessage(deps, slot, router)
}

export class DeliverMessage implements JobHandler<Message | undefined, CarrierCall, CarrierAnswer> {
  readonly endsJob = true

  constructor(
    private readonly deps: DeliverDependencies,
    private readonly slot: CarrierSlot,
    private readonly router: Router,
  ) {}

  lock(tx: Tx, job: Job): Promise<Message | undefined> {
    return tx.issues.lockMessage(job, job.subjectId)
  }

  async prepare(tx: Tx, job: Job, message: Message | undefined): Promise<CarrierCall | undefined> {
    if (!message) return void (await tx.jobs.finish(job))
    const [attempts, rendered] = await Promise.all([
      tx.attempts.ofIssue(message, message.issueId),
      tx.outbox.find(message.issueId),
    ])
    const interrupted = attempts.find(({ outcome }) => outcome === undefined)
    if (interrupted) return void (await this.#recordInterrupted(tx, job, message, interrupted))
    if (!message.sendPending) return void (await tx.jobs.finish(job))
    const open = (await openMessages(tx, message)).at(-1)
    if (!isWorthSending(message, tx.now)) {
      const code = tx.now >= message.expiresAt ? CODE.expiredUnsent : CODE.noLongerActive
      return void (await this.#end(tx, job, message, abandon(message, code, tx.now, open)))
    }
    if (!rendered) return void (await this.#end(tx, job, message, abandon(message, CODE.noLetter, tx.now, open)))

    const { slot, router } = this
    const { route, triedBefore, endpoint } = chooseCarrier(message, attempts, { slot, router, now: tx.now })
    if (!endpoint) {
      // As if every carrier had refused: the next leg takes over, or the delivery fails.
      const code = route.length ? CODE.unhealthy : CODE.noRoute
      const refused: SendOutcome = { kind: 'refused', retry: 'never', code }
      const step = afterSend(message, refused, { retryAfterMs: undefined, reports: false, now: tx.now, open })
      return void (await this.#end(tx, job, message, step))
    }
    const { name } = endpoint.carrier
    if (!hasSlotAt(slot, endpoint)) return void (await this.#wait(tx, job, name))
    const attempt = await beginAttempt(tx, message, rendered, { number: attempts.length + 1, carrier: name })
    const outbound = messageOf(message, rendered)
    return { endpoint, slot, attempt, outbound, message, rendered, isKept: true, triedBefore, route }
  }

  act(call: CarrierCall): Promise<CarrierAnswer> {
    return callCarrier(this.deps, call)
  }

  recordAlways(tx: Tx, { endpoint }: CarrierCall, { health }: CarrierAnswer): Promise<void> | undefined {
    return health && recordHealth(this.deps, tx, endpoint.carrier.name, health)
  }

  /** The same for a call that was begun with its issue: there is no job, and no attempt yet. */
  async recordBegun(tx: Tx, call: CarrierCall, answer: CarrierAnswer): Promise<void> {
    const [message, endpoints] = await Promise.all([
      tx.issues.lockMessage(call.message, call.message.issueId),
      tx.endpoints.ofOwner(call.message),
    ])
    const noted = this.recordAlways(tx, call, answer)
    if (noted) await noted
    await this.#record(tx, message, call, answer, endpoints)
  }

  record(tx: Tx, _job: Job, message: Message | undefined, call: CarrierCall, answer: CarrierAnswer): Promise<void> {
    return this.#record(tx, message, call, answer)
  }

  async #record(
    tx: Tx,
    message: Message | undefined,
    { endpoint, attempt, rendered, isKept, triedBefore, route }: CarrierCall,
    answer: CarrierAnswer,
    endpoints?: readonly Endpoint[],
  ): Promise<void> {
    if (!message) return
    const outcome = withoutSecrets(answer.outcome, rendered)
    // A clock that was set meanwhile has moved the time that is stored.
    const begun = message.begunCall ? begunAttempt(message, message.begunCall) : attempt
    const answered = withAnswer(begun, outcome, tx.now)
    // A report that overtook this answer has recorded the attempt already.
    if (message.begunCall) await tx.attempts.add(message.erasedAt === undefined ? answered : wordless(answered))
    else if (!(await tx.attempts.answer(answered))) return
    // A report of an earlier leg has ended the delivery meanwhile.
    if (isFinal(message)) return
    const tried = [...triedBefore, answered]
    const retryAfterMs =
      outcome.kind === 'refused' ? nextTryMs(this.deps, message, { route, tried, now: tx.now }) : undefined
    if (outcome.kind === 'refused') await noteAbsence(tx, message, attempt.leg, outcome.absence)
    const open = outcome.kind === 'refused' ? (await openMessages(tx, message)).at(-1) : undefined
    const { reports } = endpoint.carrier
    const step = afterSend(message, outcome, { retryAfterMs, reports, now: tx.now, open })
    const isAccepted = outcome.kind === 'accepted'
    await takeStep(this.deps, tx, message, step, { by: attempt.carrier, rendered, isKept, isAccepted, endpoints })
    if (!isAccepted || !reports || message.mode !== 'live') return
    const tally = tallyOf('accepted', tx.now)
    tx.afterCommit(() => this.deps.node.reports.note(attempt.carrier, tally))
  }

  /**
   * The process that made this call died before it recorded the answer: nobody knows whether the message left. Its own report may
   * still come.
   */
  async #recordInterrupted(tx: Tx, job: Job, message: Message, attempt: Attempt): Promise<void> {
    const outcome: SendOutcome = { kind: 'ambiguous', code: CODE.interrupted }
    const route = this.router({ ...message, channel: attempt.leg })
    const reports = route.find(({ carrier }) => carrier.name === attempt.carrier)?.carrier.reports ?? true
    await tx.jobs.finish(job)
    await tx.attempts.answer(withAnswer(attempt, outcome, tx.now))
    // A report of an earlier leg has ended the delivery meanwhile.
    if (isFinal(message)) return
    const step = afterSend(message, outcome, { retryAfterMs: undefined, reports, now: tx.now })
    await takeStep(this.deps, tx, message, step, { by: attempt.carrier, isKept: true })
  }

  async #end(tx: Tx, job: Job, message: Message, step: Step): Promise<void> {
    await tx.jobs.finish(job)
    await takeStep(this.deps, tx, message, step)
  }

  /** Waits in the carrier's queue. A message that holds a slot at another carrier looks again at once instead. */
  async #wait(tx: Tx, job: Job, carrier: string): Promise<void> {
    if (this.slot.carrier === undefined) await tx.jobs.reschedule(job, job.runAt, carrier)
    else await tx.jobs.reschedule(job, tx.now)
    tx.afterCommit(() => this.deps.node.wakeUps.wake('deliver'))
  }
}

/** Stores the attempt before the carrier is called. */
async function beginAttempt(
  tx: Tx,
  message: Message,
  rendered: RenderedMessage,
  call: Pick<Attempt, 'number' | 'carrier'>,
): Promise<Attempt> {
  const attempt = newAttempt(message, { ...call, text: maskedText(message, rendered) }, tx.now)
  await tx.attempts.add(attempt)
  return attempt
}

/** Without what belongs to a person who was erased meanwhile. */
const wordless = (attempt: Attempt): Attempt => ({ ...attempt, said: undefined, text: undefined })
