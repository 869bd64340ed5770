/** From a phone number to a verified one, for any user interface. */
import { newIdempotencyKey } from '../client'
import { type RetryOptions, withRetries } from '../retry'
import type { IssueInput } from '../types'
import { type FlowClock, systemClock } from './clock'
import { readCode } from './code'
import {
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
} from './held'
import { type FlowStorage, memoryIn } from './memory'
import { type FlowState, type FlowStatus, momentsOf, show } from './state'
import { type FlowIssue, type FlowTransport, type FlowVerdict, isLost, type Refusal, refusalOf } from './transport'

export interface FlowOptions<V extends FlowVerdict = FlowVerdict> {
  /** A client of `createOtpClient` with a browser key, or `{ issue, verify }` of your own backend. */
  transport: FlowTransport<V>
  /** What the code is for. */
  purpose: string
  /** What else is sent with each order: `templateId`, `expiresInSec`, … */
  input?: Omit<IssueInput, 'phoneNumber' | 'purpose' | 'idempotencyKey'>
  /** Where the flow is kept over a reload of the page: `sessionStorage`. It is not kept unless given. */
  storage?: FlowStorage
  /** `watchword-flow` when omitted; another one for each flow that is kept at the same time. */
  storageKey?: string
  /** Of what may be repeated; 3 tries, 500 ms and then twice as long, at most 5 seconds, when omitted. */
  retries?: RetryOptions
  /** Milliseconds one try may take; 15,000 when omitted. */
  timeoutMs?: number
  /** Told of what went wrong behind a `reason`, for a log. */
  onError?: (error: unknown) => void
  /** Replaces the platform's timers, for tests. */
  clock?: FlowClock
}

export interface ActionOptions {
  /** Does what `cancel` does. */
  signal?: AbortSignal
}

/**
 * None of these throws, and none does anything that the state's `can` does not allow. Those that ask somebody answer what
 * came of it.
 */
export interface Flow<V = FlowVerdict> {
  /** The same object until something changes. */
  getSnapshot(): FlowState<V>
  /** Calls after each change; the waits of a state count down as long as anybody listens. The answer ends it. */
  subscribe(listener: () => void): () => void
  /** Calls whenever the flow gets there. */
  on<S extends FlowStatus>(status: S, listener: (state: Extract<FlowState<V>, { status: S }>) => void): () => void
  /** Looks what time it is, for who does not listen. */
  tick(): FlowState<V>
  /** Asks for a code. */
  send(phoneNumber: string, options?: ActionOptions): Promise<FlowState<V>>
  /** Checks a code, as it was typed or pasted. */
  submit(code: string, options?: ActionOptions): Promise<FlowState<V>>
  /** Asks for another code for the same number; the one before is worth nothing then. */
  resend(options?: ActionOptions): Promise<FlowState<V>>
  /** Waits no longer for what is being asked. It may be carried out all the same. */
  cancel(): FlowState<V>
  /** Back to the number. */
  changeNumber(): FlowState<V>
  /** Back to the beginning; nothing is kept. */
  reset(): FlowState<V>
  /** Nobody needs it any more: it asks nothing, tells nothing and keeps nothing from now on. What it has kept stays. */
  close(): void
}

const USUAL_RETRIES = { attempts: 3, baseDelayMs: 500, maxDelayMs: 5_000 }
const USUAL_TIMEOUT_MS = 15_000

export function createFlow<V extends FlowVerdict>(options: FlowOptions<V>): Flow<V> {
  const { transport, purpose, input, timeoutMs = USUAL_TIMEOUT_MS, onError, clock = systemClock } = options
  const retries = { ...USUAL_RETRIES, ...options.retries }
  const memory = memoryIn<V>(options.storage, options.storageKey ?? 'watchword-flow', clock)
  const listeners = new Set<() => void>()
  let held: Held<V> = PRISTINE
  let state: FlowState<V> = show(held, clock.now())
  /** Fires when nobody waits any more for what is being asked. */
  let underWay = new AbortController()
  let stopTimer = () => {}
  const life = new AbortController()

  function become(next: Held<V>): FlowState<V> {
    if (life.signal.aborted) return state
    held = next
    memory.keep(held)
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

  /** Whatever was being asked before, nobody waits for it any more. */
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

  /** Asks, again where that is safe. Nobody looks at what is thrown where `signal` has fired. */
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

  const order = (phoneNumber: string, idempotencyKey: string, signal: AbortSignal): Promise<FlowIssue> =>
    ask(
      async (limited) =>
        readable(await transport.issue({ ...input, phoneNumber, purpose, idempotencyKey }, { signal: limited })),
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

  /** An order of which nobody knows what became is made again; where its code is over by now, the user gets another one. */
  async function orderFor(phoneNumber: string, actionOptions?: ActionOptions): Promise<FlowState<V>> {
    const before = phoneNumber === held.phoneNumber ? held : PRISTINE
    const key = before.pendingKey ?? newIdempotencyKey()
    const next = { ...before, phase: 'sending', phoneNumber, pendingKey: key, reason: undefined } as const
    return ordered(key, begin(next, actionOptions), before.pendingKey !== undefined)
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

  /** None where it was over before anybody heard of it. */
  async function codeOf(phoneNumber: string, key: string, signal: AbortSignal): Promise<Held<V> | undefined> {
    try {
      const next = issued(held, key, await order(phoneNumber, key, signal), clock.now())
      return isLive(next.issue, clock.now()) ? next : undefined
    } catch (error) {
      if (reasonOf(refusalOf(error)) === 'REPLACED') return undefined
      throw error
    }
  }

  /** A code that was right for the order whose answer was lost is refused as of the one before, which that has replaced. */
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

  async function send(typed: string, actionOptions?: ActionOptions): Promise<FlowState<V>> {
    const phoneNumber = typed.trim()
    if (!look().can.send || phoneNumber === '') return state
    const isThere = phoneNumber === held.phoneNumber && isLive(held.issue, clock.now()) && clock.now() < held.resendAt
    return isThere ? become({ ...held, phase: 'awaiting_code' }) : orderFor(phoneNumber, actionOptions)
  }

  function cancel(): FlowState<V> {
    underWay.abort()
    return become(cancelled(held, clock.now()))
  }

  /** The same key answers the same issue and what time it is, which nobody has counted while there was no page. */
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

  function resume(recalled: Held<V>): void {
    const now = clock.now()
    if (recalled.phase === 'sending' && recalled.pendingKey) void ordered(recalled.pendingKey, begin(recalled), false)
    if (recalled.phase === 'verifying') become({ ...cancelled(recalled, now), reason: 'NETWORK_ERROR' })
    if (held.phase === 'awaiting_code' && held.issue) void askAgain(held.issue, held.phoneNumber)
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
    resend: async (actionOptions) => (look().can.resend ? orderFor(held.phoneNumber, actionOptions) : state),
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

/** A listener that fails is no reason for the flow to. */
function tell(listener: () => void): void {
  try {
    listener()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}

/** A backend of one's own may have left them out. */
function readable(answer: FlowIssue): FlowIssue {
  const { expiresAt, queuedAt, resendAvailableAt = queuedAt, serverTime = queuedAt } = answer
  const times = [expiresAt, queuedAt, resendAvailableAt, serverTime]
  if (times.every((time) => Number.isFinite(Date.parse(time)))) return answer
  throw new TypeError('issue() has to answer expiresAt and queuedAt')
}

/** Of two states of one flow; what was answered does not change without the rest. */
const isSame = <V>(a: FlowState<V>, b: FlowState<V>) => JSON.stringify(plain(a)) === JSON.stringify(plain(b))
const plain = <V>(state: FlowState<V>) => ({ ...state, answer: undefined })

/** Until a wait has a second less; whole milliseconds, so that what is left of a rounding is no wait. */
function untilChange<V>(held: Held<V>, now: number): number | undefined {
  const lefts = momentsOf(held).flatMap((at) => (at > now ? [Math.ceil((at - now) % 1_000 || 1_000)] : []))
  return lefts.length > 0 ? Math.min(...lefts) : undefined
}

/** Given up when nothing comes, or when nobody waits any more, whether or not `call` listens. */
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
