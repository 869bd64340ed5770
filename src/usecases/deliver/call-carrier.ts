/** One call of a carrier, outside of any transaction, and what logs, traces and metrics get of it. */

import type { Attempt } from '../../domain/delivery/attempt'
import type { Health } from '../../domain/delivery/carrier'
import { presentableCode, type SendOutcome, withoutQuotes } from '../../domain/delivery/delivery'
import type { Message } from '../../domain/message/message'
import type { OutboundMessage, RenderedMessage } from '../../domain/message/rendered-message'
import type { CarrierEndpoint } from '../../ports/carrier'
import type { Clock } from '../../ports/clock'
import type { Log } from '../../ports/log'
import type { CarrierSlot, Node } from '../../ports/node'
import type { Tx } from '../../ports/store'
import type { Span, Telemetry } from '../../ports/telemetry'

/** A call whose attempt is stored. */
export interface CarrierCall {
  endpoint: CarrierEndpoint
  slot: CarrierSlot
  attempt: Attempt
  outbound: OutboundMessage
  /** The issue as it was when its attempt was stored. */
  message: Message
  rendered: RenderedMessage
  /** Whether the message is stored, so that any server can send it again. */
  isKept: boolean
  /** Earlier attempts of this leg. */
  triedBefore: readonly Attempt[]
  route: readonly CarrierEndpoint[]
}

export interface CarrierAnswer {
  outcome: SendOutcome
  /** The carrier's health, where this answer has changed it. */
  health: Health | undefined
}

interface CallDependencies {
  clock: Clock
  log: Log
  telemetry: Telemetry
  node: Pick<Node, 'wakeUps' | 'logSampler'>
}

export async function callCarrier(deps: CallDependencies, call: CarrierCall): Promise<CarrierAnswer> {
  const { endpoint, slot, outbound, message } = call
  const { clock, telemetry } = deps
  const span = telemetry.begin('attempt', message.origin?.trace)
  const calledAt = clock.elapsed()
  const answered = await endpoint.carrier.send(span.trace ? { ...outbound, trace: span.trace } : outbound)
  const outcome = withoutQuotes(answered, outbound)
  const ms = clock.elapsed() - calledAt
  const health = slot.settle(outcome, clock.now())
  emitAnswer(telemetry, call, outcome, span, ms)
  if (outcome.kind !== 'accepted') logFailure(deps, endpoint.carrier.name, outcome)
  return { outcome, health }
}

function emitAnswer(
  telemetry: Telemetry,
  { attempt: { issueId, mode, carrier, leg }, message: { origin } }: CarrierCall,
  { kind: outcome, code: carrierCode }: SendOutcome,
  span: Span,
  ms: number,
): void {
  const code = carrierCode && presentableCode(carrierCode)
  telemetry.attemptAnswered({ origin, issueId, mode, carrier, leg, outcome, code, ms })
  const attributes = {
    'watchword.issue': issueId,
    'watchword.carrier': carrier,
    'watchword.leg': leg,
    'watchword.outcome': outcome,
  }
  span.end({ attributes, hasFailed: outcome !== 'accepted' })
}

/** Sampled, since a dead carrier fails for every message. */
function logFailure(
  { log, clock, node }: CallDependencies,
  carrier: string,
  outcome: Exclude<SendOutcome, { kind: 'accepted' }>,
): void {
  const sample = node.logSampler.next(carrier, clock.now())
  if (!sample) return
  const what = outcome.kind === 'refused' ? { outcome: outcome.kind, retry: outcome.retry } : { outcome: outcome.kind }
  const { unsaid } = sample
  log.warn(
    { provider: carrier, ...what, code: presentableCode(outcome.code), ...(unsaid > 0 && { unsaid }) },
    'a carrier did not take a outbound',
  )
}

/** Stores the carrier's health for other processes. Messages that wait for a carrier choose anew. */
export async function recordHealth(
  { log, node }: CallDependencies,
  tx: Tx,
  carrier: string,
  { isStill, ...health }: Health,
): Promise<void> {
  await tx.carriers.saveHealth(carrier, { ...health, code: health.code && presentableCode(health.code) })
  // Each waiting message looks for a carrier again, which takes time: only where the health has turned.
  if (!isStill) await tx.jobs.emptyCarrierQueues()
  tx.afterCommit(() => {
    if (health.isHealthy) log.info({ provider: carrier }, 'provider is healthy again')
    else log.warn({ provider: carrier, code: presentableCode(health.code ?? '') }, 'provider is unhealthy and rests')
    node.wakeUps.wake('deliver')
  })
}
