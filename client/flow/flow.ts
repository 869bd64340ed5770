/** The verification flow, for any user interface. */
import { newIdempotencyKey } from '../idempotency-key'
import { type RetryOptions, withRetries } from '../retry'
import type { IssueInput } from '../types'
import { type FlowClock, systemClock } from './clock'
import { readCode } from './code'
import {
  type Channel,
  cancelled,
  checked,
  expired,
  type Held,
  type Issued,
  isLive,
  issued,
  mayBeCarriedOut,
  notChecked,
  notIssued,
  PRISTINE,
  reasonOf,
  undelivered,
} from './internal-state'
import { type FlowState, type FlowStatus, momentsOf, show } from './state'
import { type FlowStorage, memoryIn } from './storage'
import { type FlowIssue, type FlowTransport, type FlowVerdict, isLost, type Refusal, refusalOf } from './transport'

export interface FlowOptions<V extends FlowVerdict = FlowVerdict> {
  /** A client of `createOtpClient` with a browser key, or `{ issue, verify }` of your own backend. */
  transport: FlowTransport<V>
  /** Purpose of the code. */
  purpose: string
  /** Further fields of each `issue` request: `templateId`, `expiresInSec`, … */
  input?: Omit<IssueInput, 'phoneNumber' | 'purpose' | 'idempotencyKey'>
  /** Storage that keeps the flow over a reload, such as `sessionStorage`; none when omitted. */
  storage?: FlowStorage
  /** Key in the storage, `watchword-flow` when omitted; each stored flow needs its own. */
  storageKey?: string
  /** Retries of repeatable requests; 3 tries, 500 ms doubling up to 5 seconds when omitted. */
  retries?: RetryOptions
  /** Milliseconds one try may take; 15,000 when omitted. */
  timeoutMs?: number
  /** Called with the error behind a `reason`, for a log. */
  onError?: (error: unknown) => void
  /** Replaces the platform's timers, for tests. */
  clock?: FlowClock
}

export interface ActionOptions {
  /** Aborting it is the same as `cancel`. */
  signal?: AbortSignal
}

/** Options of a request for a code. */
export interface SendOptions extends ActionOptions {
  /** The token of a widget, after `challenge_required`. */
  challenge?: string | undefined
  /** Another way than before. It is kept for the next codes. */
  channel?: Channel | undefined
}

/**
 * Actions never throw, and do nothing that the state's `can` does not allow. Asynchronous ones resolve to the next state.
 */
export interface Flow<V = FlowVerdict> {
  /** The same object until something changes. */
  getSnapshot(): FlowState<V>
  /** Calls after each change. Waits count down while there is a subscriber. The returned function unsubscribes. */
  subscribe(listener: () => void): () => void
  /** Calls whenever the flow enters the status. */
  on<S extends FlowStatus>(status: S, listener: (state: Extract<FlowState<V>, { status: S }>) => void): () => void
  /** Updates the waits, for callers without a subscription. */
  tick(): FlowState<V>
  /** Requests a code for the number. */
  send(phoneNumber: string, options?: SendOptions): Promise<FlowState<V>>
  /** Verifies a code, as it was typed or pasted. */
  submit(code: string, options?: ActionOptions): Promise<FlowState<V>>
  /** Requests another code for the same number, which replaces the one before. */
  resend(options?: SendOptions): Promise<FlowState<V>>
  /** Stops waiting for the running request, which may still be carried out. */
  cancel(): FlowState<V>
  /** Returns to the number field. */
  changeNumber(): FlowState<V>
  /** Returns to the beginning and clears the storage. */
  reset(): FlowState<V>
  /** Ends the flow: no more requests, callbacks or writes. The stored state stays. */
  close(): void
}

const USUAL_RETRIES = { attempts: 3, baseDelayMs: 500, maxDelayMs: 5_000 }
const USUAL_TIMEOUT_MS = 15_000
/** Most carriers report within a minute. */
const DELIVERY_CHECKS_MS = [5_000, 10_000, 15_000, 30_000]

export function createFlow<V extends FlowVerdict>(options: FlowOptions<V>): Flow<V> {
  const { transport, purpose, input, timeoutMs = USUAL_TIMEOUT_MS, onError, clock = systemClock } = options
  const retries = { ...USUAL_RETRIES, ...options.retries }
  const memory = memoryIn<V>(options.storage, options.storageKey ?? 'watchword-flow', clock)
  const listeners = new Set<() => void>()
  let held: Held<V> = PRISTINE
  let state: FlowState<V> = show(held, clock.now())
  /** Aborts the running request. */
  let underWay = new AbortController()
  let stopTimer = () => {}
  /** Good for one request. */
  let challenge: string | undefined
  /** The key of the issue whose delivery is watched. */
  let watched: string | undefined
  const life = new AbortController()

  function become(next: Held<V>): FlowState<V> {
    if (life.signal.aborted) return state
    held = next
    memory.keep(held)
    if (held.phase === 'awaiting_code' && held.issue && held.issue.key !== watched) void watchDelivery(held.issue)
    return look()
  }

  function look(): FlowState<V> {
    if (life.signal.aborted) return state
    const now = clock.now()
    if (held.phase === 'awaiting_code' && !isLive(held.issue, now)) return become(expired(held))
    const shown = show(held, now)
    if (!isSame(shown, state)) {
      state = shown
      for (const listener of [...listeners]) tell(listener)
    }
    stopTimer()
    const changesInMs = listeners.size > 0 ? untilChange(held, now) : undefined
    stopTimer = changesInMs === undefined ? () => {} : clock.after(changesInMs, look)
    return state
  }

  /** The previous request is superseded. */
  function begin(next: Held<V>, { signal }: ActionOptions = {}): AbortSignal {
    underWay.abort()
    underWay = new AbortController()
    const mine = underWay.signal
    signal?.addEventListener('abort', cancel, { once: true, signal: mine })
    become(next)
    if (signal?.aborted) cancel()
    if (life.signal.aborted) underWay.abort()
    return mine
  }

  /** Sends a request, with retries where that is safe. Errors after `signal` has fired are ignored. */
  function ask<T>(
    call: (signal: AbortSignal) => Promise<T>,
    mayRepeat: (refusal: Refusal) => boolean,
    signal: AbortSignal,
  ): Promise<T> {
    const waitAfter = (error: unknown) => {
      const refusal = refusalOf(error)
      return !signal.aborted && mayRepeat(refusal) ? (refusal.retryAfterMs ?? 0) : undefined
    }
    return withRetries(retries, { waitAfter, pause: (ms) => pause(clock, ms, signal) }, async () => {
      signal.throwIfAborted()
      try {
        return await inTime(clock, timeoutMs, signal, call)
      } catch (error) {
        if (!signal.aborted) onError?.(error)
        throw error
      }
    })
  }

  const chosen = () => ({
    ...(held.channel !== undefined && { channel: held.channel }),
    ...(challenge !== undefined && { challenge }),
  })

  const order = (phoneNumber: string, idempotencyKey: string, signal: AbortSignal): Promise<FlowIssue> =>
    ask(
      async (limited) =>
        readable(
          await transport.issue({ ...input, ...chosen(), phoneNumber, purpose, idempotencyKey }, { signal: limited }),
        ),
      (refusal) => isLost(refusal) || refusal.retryAfterMs !== undefined,
      signal,
    )

  function check({ issueId }: Issued, code: string, signal: AbortSignal): Promise<V> {
    const attempt = { ...(issueId !== undefined && { issueId }), code, phoneNumber: held.phoneNumber }
    return ask(
      (limited) => transport.verify(attempt, { signal: limited }),
      (refusal) => !mayBeCarriedOut(refusal) && (refusal.status === 503 || refusal.retryAfterMs !== undefined),
      signal,
    )
  }

  /** Repeats a request whose outcome is unknown; where its code has ended meanwhile, requests a new one. */
  async function orderFor(phoneNumber: string, options: SendOptions = {}): Promise<FlowState<V>> {
    const before = phoneNumber === held.phoneNumber ? held : { ...PRISTINE, channel: held.channel }
    const { channel = before.channel } = options
    const pendingKey = channel === before.channel ? before.pendingKey : undefined
    const key = pendingKey ?? newIdempotencyKey()
    challenge = options.challenge
    const next = { ...before, phase: 'sending', phoneNumber, pendingKey: key, channel, reason: undefined } as const
    return ordered(key, begin(next, options), pendingKey !== undefined)
  }

  async function ordered(key: string, signal: AbortSignal, mayStartAnew: boolean): Promise<FlowState<V>> {
    try {
      const next = await codeOf(held.phoneNumber, key, signal)
      if (signal.aborted) return state
      if (next) return become(next)
      if (!mayStartAnew) return become({ ...expired(held), pendingKey: undefined })
      const newKey = newIdempotencyKey()
      become({ ...held, pendingKey: newKey })
      return ordered(newKey, signal, false)
    } catch (error) {
      return signal.aborted ? state : become(notIssued(held, refusalOf(error), clock.now()))
    }
  }

  /** Undefined where the code had ended before its answer arrived. */
  async function codeOf(phoneNumber: string, key: string, signal: AbortSignal): Promise<Held<V> | undefined> {
    try {
      const next = issued(held, key, await order(phoneNumber, key, signal), clock.now())
      return isLive(next.issue, clock.now()) ? next : undefined
    } catch (error) {
      if (reasonOf(refusalOf(error)) === 'REPLACED') return undefined
      throw error
    }
  }

  /** A lost answer may have replaced the issue, so a right code is refused as of the replaced one. */
  async function checkedBy(issue: Issued, code: string, signal: AbortSignal): Promise<V> {
    const verdict = await check(issue, code, signal)
    const { pendingKey, phoneNumber } = held
    if (verdict.reasonCode !== 'REPLACED' || pendingKey === undefined || signal.aborted) return verdict
    const next = await codeOf(phoneNumber, pendingKey, signal).catch(() => undefined)
    if (!next?.issue || signal.aborted) return verdict
    become({ ...next, phase: 'verifying' })
    return check(next.issue, code, signal)
  }

  async function submit(typed: string, actionOptions?: ActionOptions): Promise<FlowState<V>> {
    const code = readCode(typed)
    const { issue } = held
    if (!look().can.submit || !issue) return state
    if (code === undefined) return become({ ...held, reason: 'code_not_six_digits' })
    const signal = begin({ ...held, phase: 'verifying', reason: undefined }, actionOptions)
    try {
      const verdict = await checkedBy(issue, code, signal)
      return signal.aborted ? state : become(checked(held, verdict))
    } catch (error) {
      return signal.aborted ? state : become(notChecked(held, refusalOf(error), clock.now()))
    }
  }

  async function send(typed: string, options?: SendOptions): Promise<FlowState<V>> {
    const phoneNumber = typed.trim()
    if (!look().can.send || phoneNumber === '') return state
    const isThere = phoneNumber === held.phoneNumber && isLive(held.issue, clock.now()) && clock.now() < held.resendAt
    return isThere ? become({ ...held, phase: 'awaiting_code' }) : orderFor(phoneNumber, options)
  }

  function cancel(): FlowState<V> {
    underWay.abort()
    return become(cancelled(held, clock.now()))
  }

  /** Replays the key after a reload: it answers the same issue, and the time that has passed. */
  async function askAgain({ key }: Issued, phoneNumber: string): Promise<void> {
    const isStillThat = () => held.issue?.key === key && held.phoneNumber === phoneNumber
    try {
      const answer = await order(phoneNumber, key, life.signal)
      if (!isStillThat() || !held.issue) return
      const { issue, resendAt } = issued(held, key, answer, clock.now())
      become({ ...held, resendAt, issue: issue && { ...issue, attemptsRemaining: held.issue.attemptsRemaining } })
    } catch (error) {
      const isReplaced = reasonOf(refusalOf(error)) === 'REPLACED'
      if (isReplaced && isStillThat() && held.phase === 'awaiting_code') {
        become({ ...held, phase: 'failed', issue: undefined, reason: 'REPLACED' })
      }
    }
  }

  async function watchDelivery({ key, issueId }: Issued): Promise<void> {
    watched = key
    const { delivery } = transport
    if (!delivery) return
    const { signal } = life
    try {
      for (const ms of DELIVERY_CHECKS_MS) {
        await pause(clock, ms, signal)
        if (held.issue?.key !== key) return
        const told = await inTime(clock, timeoutMs, signal, (limited) => delivery({ issueId }, { signal: limited }))
        if (!told || held.issue?.key !== key || told.deliveryStatus === 'delivered') return
        if (told.deliveryStatus !== 'failed') continue
        become(undelivered(held))
        return
      }
    } catch {
      // The user is told nothing, as without this function.
    }
  }

  function resume(recalled: Held<V>): void {
    const now = clock.now()
    if (recalled.phase === 'sending' && recalled.pendingKey) void ordered(recalled.pendingKey, begin(recalled), false)
    if (recalled.phase === 'verifying') become({ ...cancelled(recalled, now), reason: 'NETWORK_ERROR' })
    if (held.phase !== 'awaiting_code' || !held.issue) return
    void watchDelivery(held.issue)
    void askAgain(held.issue, held.phoneNumber)
  }

  const recalled = memory.recall()
  if (recalled) {
    held = recalled
    state = show(held, clock.now())
    resume(recalled)
  }

  function subscribe(listener: () => void): () => void {
    const mine = () => listener()
    listeners.add(mine)
    look()
    return () => {
      listeners.delete(mine)
      if (listeners.size === 0) stopTimer()
    }
  }

  return {
    getSnapshot: () => state,
    subscribe,
    on(status, listener) {
      let before = state.status
      return subscribe(() => {
        const now = state
        const isThere = now.status === status && before !== status
        before = now.status
        if (isThere) listener(now as Parameters<typeof listener>[0])
      })
    },
    tick: look,
    send,
    submit,
    resend: async (options) => (look().can.resend ? orderFor(held.phoneNumber, options) : state),
    cancel: () => (look().can.cancel ? cancel() : state),
    changeNumber() {
      if (!look().can.changeNumber) return state
      underWay.abort()
      return become({ ...cancelled(held, clock.now()), phase: 'idle', reason: undefined })
    },
    reset() {
      underWay.abort()
      return become(PRISTINE)
    },
    close() {
      life.abort()
      underWay.abort()
      listeners.clear()
      stopTimer()
    },
  }
}

/** A failing listener must not break the flow. */
function tell(listener: () => void): void {
  try {
    listener()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}

/** A backend of the app may omit them. */
function readable(answer: FlowIssue): FlowIssue {
  const { expiresAt, queuedAt, resendAvailableAt = queuedAt, serverTime = queuedAt } = answer
  const times = [expiresAt, queuedAt, resendAvailableAt, serverTime]
  if (times.every((time) => Number.isFinite(Date.parse(time)))) return answer
  throw new TypeError('issue() has to answer expiresAt and queuedAt')
}

/** Whether two states are equal; answers change only with other fields. */
const isSame = <V>(a: FlowState<V>, b: FlowState<V>) => JSON.stringify(plain(a)) === JSON.stringify(plain(b))
const plain = <V>(state: FlowState<V>) => ({ ...state, answer: undefined })

/** Milliseconds until a wait shows a second less, rounded so that no fraction is left. */
function untilChange<V>(held: Held<V>, now: number): number | undefined {
  const lefts = momentsOf(held).flatMap((at) => (at > now ? [Math.ceil((at - now) % 1_000 || 1_000)] : []))
  return lefts.length > 0 ? Math.min(...lefts) : undefined
}

/** Rejects at the timeout or on abort, also where `call` ignores the signal. */
function inTime<T>(
  clock: FlowClock,
  ms: number,
  signal: AbortSignal,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const limited = new AbortController()
    const giveUp = () => {
      limited.abort()
      reject(new Error('No answer in time'))
    }
    const cancelTimer = clock.after(ms, giveUp)
    signal.addEventListener('abort', giveUp, { once: true })
    const asked = async () => call(limited.signal)
    asked()
      .then(resolve, reject)
      .finally(() => {
        cancelTimer()
        signal.removeEventListener('abort', giveUp)
      })
  })
}

const pause = (clock: FlowClock, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const cancelTimer = clock.after(ms, resolve)
    signal.addEventListener('abort', () => {
      cancelTimer()
      reject(signal.reason)
    })
  })
