/**
 * Send one event to one endpoint, at least once: prepare → send (outside any transaction) → record. Receivers know an
 * event they got twice by its id. Specification: "Events", delivery and retry; decisions: "Webhooks".
 */

import type { Job } from '../domain/operations/job'
import { VERSION } from '../domain/operations/version'
import { traceHeaders } from '../domain/shared/addressed'
import { Refusal } from '../domain/shared/error'
import { MINUTE_MS, SECOND_MS } from '../domain/shared/value'
import type { StoredEvent } from '../domain/webhooks/event'
import { renderHookTemplate } from '../domain/webhooks/payload-template'
import { signatureHeaders } from '../domain/webhooks/signature'
import { assertHookTarget, type HookUrlPolicy, isSameOrigin, policyFor } from '../domain/webhooks/target-address'
import {
  afterAttempt,
  type Endpoint,
  type HookAnswered,
  type HookDelivery,
  isRedirect,
  judge,
  MAX_HOPS,
  readRetryAfter,
  validSecrets,
  webhookRetryMs,
} from '../domain/webhooks/webhook'
import type { Clock } from '../ports/clock'
import type { Log } from '../ports/log'
import type { HookTransport } from '../ports/network'
import type { Node } from '../ports/node'
import type { Store, Tx } from '../ports/store'
import type { Telemetry } from '../ports/telemetry'
import type { JobHandler } from '../ports/work'

export interface SendWebhookDependencies {
  store: Store
  clock: Clock
  log: Log
  hooks: HookTransport
  hookPolicy: HookUrlPolicy
  node: Pick<Node, 'wakeUps'>
  telemetry: Telemetry
}

const ENDPOINT_STATE = ['failingSince', 'disabledAt', 'certificateUntil'] as const

/** For all hops of one attempt. */
const TIMEOUT_MS = 5 * SECOND_MS

interface WebhookCall {
  endpoint: Endpoint
  event: StoredEvent
}

interface WebhookOutcome extends HookAnswered {
  error: string | undefined
  /** See `Endpoint`. */
  certificateUntil: number | undefined
  answer: string | undefined
}

/** The result of one attempt, and how long it took. */
export interface WebhookAnswer extends WebhookOutcome {
  calledAt: number
  answeredAt: number
  tookMs: number
  isDelivered: boolean
}

export const webhookCall = (
  deps: SendWebhookDependencies,
): JobHandler<HookDelivery | undefined, WebhookCall, WebhookAnswer> => ({
  // The delivery is locked behind its job. Only the holder of the job changes it.
  lock: (tx, job) => tx.hooks.find(job.subjectId),
  prepare: (tx, job) => prepare(tx, job),
  async act(call) {
    const calledAt = deps.clock.now()
    const span = deps.telemetry.begin('webhook', call.event.origin?.trace)
    const outcome = await post(deps, call, span.trace)
    const answeredAt = deps.clock.now()
    const tookMs = answeredAt - calledAt
    const isDelivered = judge(outcome) === 'delivered'
    const { eventId, type } = call.event
    const { hostname, port, protocol } = new URL(call.endpoint.url)
    const attributes = {
      ...{ 'watchword.event': eventId, 'watchword.event_type': type, 'http.request.method': 'POST' },
      ...{ 'server.address': hostname, 'server.port': Number(port || (protocol === 'https:' ? 443 : 80)) },
      'http.response.status_code': outcome.status,
    }
    span.end({ attributes, hasFailed: !isDelivered })
    return { ...outcome, calledAt, answeredAt, tookMs, isDelivered }
  },
  record: (tx, job, delivery, { event }, answer) => record(deps, tx, job, delivery, { event, answer }),
})

async function prepare(tx: Tx, job: Job): Promise<WebhookCall | undefined> {
  const hook = await tx.hooks.lock(job.subjectId)
  const event = hook && (await tx.hooks.event(hook.delivery.eventId))
  if (!event || hook.delivery.status !== 'pending') {
    await tx.jobs.finish(job)
    return undefined
  }
  const { delivery, endpoint } = hook
  if (endpoint.disabledAt !== undefined) {
    await tx.jobs.finish(job)
    await tx.hooks.save({ ...delivery, status: 'failed' })
    return undefined
  }
  if (delivery.attempts === 0 && (await isBehind(tx, delivery))) {
    // The first attempt of the one before makes this due; the time is for the case that it never comes.
    await tx.jobs.reschedule(job, tx.now + MINUTE_MS, job.queue)
    return undefined
  }
  return { endpoint, event }
}

/** An issue's events go out in order, as far as they are sent the first time. */
const isBehind = async (tx: Tx, delivery: HookDelivery) =>
  delivery.issueId !== undefined && (await tx.hooks.firstUntried(delivery)) !== delivery.deliveryId

/** One attempt, redirects followed. Never throws for what the outside did. */
async function post(
  deps: SendWebhookDependencies,
  { endpoint, event }: WebhookCall,
  trace: string | undefined,
): Promise<WebhookOutcome> {
  const { clock, hooks } = deps
  const policy = policyFor(endpoint, deps.hookPolicy)
  const body = bodyOf(endpoint, event)
  if (body === undefined) return failure('template')
  const startedAt = clock.now()
  const ours = { ...headersOf(endpoint, event, body, startedAt), ...traceHeaders(trace) }
  let url = endpoint.url
  for (let hop = 0; hop <= MAX_HOPS; hop++) {
    const mistake = refusalOf(url, policy)
    if (mistake) return failure(`forbidden: ${mistake}`)
    const leftMs = Math.min(TIMEOUT_MS, startedAt + TIMEOUT_MS - clock.now())
    if (leftMs <= 0) return failure('timeout')
    // Static headers may hold credentials: they are for the endpoint, not for wherever it points.
    const headers = isSameOrigin(url, endpoint.url) ? { ...endpoint.headers, ...ours } : ours
    const answer = await hooks.post({ url, headers, body, timeoutMs: leftMs, allowedCidrs: policy.allowedCidrs })
    if (answer.kind === 'forbidden') return failure(`forbidden: ${answer.reason}`)
    if (answer.kind === 'failed') return failure(answer.reason)
    const next = isRedirect(answer.status) ? nextUrl(answer.location, url) : undefined
    if (next === undefined || hop === MAX_HOPS) {
      return {
        status: answer.status,
        retryAfterMs: readRetryAfter(answer.retryAfter, clock.now()),
        error: isRedirect(answer.status) ? 'redirect' : undefined,
        answer: answer.body,
        certificateUntil: answer.certificateUntil,
      }
    }
    url = next
  }
  return failure('redirect')
}

const failure = (error: string): WebhookOutcome => ({
  status: undefined,
  retryAfterMs: undefined,
  error,
  answer: undefined,
  certificateUntil: error === 'tls' ? 0 : undefined,
})

/** Undefined where the template cannot be filled in. */
export function bodyOf({ template }: Endpoint, { body }: StoredEvent): string | undefined {
  if (template === undefined) return body
  try {
    return renderHookTemplate(template, JSON.parse(body))
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** Those that every request has, beside the endpoint's own; `now` is what is signed, Unix milliseconds. */
export const headersOf = (endpoint: Endpoint, { eventId }: StoredEvent, body: string, now: number) => ({
  'Content-Type': 'application/json',
  'User-Agent': `Watchword/${VERSION}`,
  ...signatureHeaders({ eventId, body, secrets: validSecrets(endpoint, now), timestampSec: Math.floor(now / 1_000) }),
})

function refusalOf(url: string, policy: HookUrlPolicy): string | undefined {
  try {
    assertHookTarget(url, policy)
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error.message.replace(/^url: /, '')
    throw error
  }
}

function nextUrl(location: string | undefined, from: string): string | undefined {
  if (location === undefined) return undefined
  // Bytes beyond ASCII are UTF-8, as browsers read them.
  const text = Buffer.from(location, 'latin1').toString()
  if (!URL.canParse(text, from)) return undefined
  const next = new URL(text, from)
  // For browsers; it is never sent.
  next.hash = ''
  return next.href
}

async function record(
  deps: SendWebhookDependencies,
  tx: Tx,
  job: Job,
  delivery: HookDelivery | undefined,
  { event, answer: attempted }: { event: StoredEvent; answer: WebhookAnswer },
): Promise<void> {
  if (!delivery) return void (await tx.jobs.finish(job))
  const judgement = judge(attempted)
  const tries = delivery.tries + 1
  const waitMs = judgement === 'again' ? webhookRetryMs(tries, attempted.retryAfterMs) : undefined
  if (waitMs === undefined) await tx.jobs.finish(job)
  else await tx.jobs.reschedule(job, tx.now + waitMs, job.queue)
  const next = delivery.attempts === 0 ? await tx.hooks.firstUntried(delivery, delivery) : undefined
  if (next) await tx.jobs.hasten('webhook', next)
  if (next || waitMs !== undefined) tx.afterCommit(() => deps.node.wakeUps.wake('webhook'))

  const status = judgement === 'delivered' ? 'delivered' : waitMs === undefined ? 'failed' : 'pending'
  const attempts = delivery.attempts + 1
  await noteAttempt(deps, tx, attempted, { ...delivery, status, attempts, tries })
  const { eventId, type, issueId, origin } = event
  const { endpointId } = delivery
  const outcome = status === 'pending' ? 'again' : status
  const about = { origin, issueId, eventId, endpointId, type, outcome, attempts } as const
  tx.afterCommit(() => deps.telemetry.webhookAnswered({ ...about, status: attempted.status, ms: attempted.tookMs }))
}

async function noteAttempt(
  { log }: SendWebhookDependencies,
  tx: Tx,
  attempted: WebhookAnswer,
  delivery: HookDelivery,
): Promise<void> {
  const hook = await tx.hooks.lock(delivery.deliveryId)
  if (!hook) return
  const { calledAt, answeredAt, status, error, answer } = attempted
  const { deliveryId, attempts: number } = delivery
  await tx.hooks.addAttempt({ deliveryId, number, calledAt, answeredAt, status, error, answer })
  await tx.hooks.save(delivery)
  const { endpoint } = hook
  const { certificateUntil = endpoint.certificateUntil } = attempted
  const after = { ...afterAttempt(endpoint, judge(attempted), tx.now), certificateUntil }
  if (ENDPOINT_STATE.some((name) => after[name] !== endpoint[name])) await tx.endpoints.saveState(after)
  if (after.disabledAt !== endpoint.disabledAt) {
    const { endpointId, disabledReason: reason } = after
    tx.afterCommit(() => log.warn({ endpointId, reason }, 'webhook is disabled'))
  }
}
