/** A page with a flow, and a service to talk to, both in virtual time. */
import {
  createFlow,
  type Flow,
  type FlowIssue,
  type FlowOptions,
  type FlowTransport,
  type FlowVerdict,
} from '../../client/flow'
import type { ReasonCode } from '../../client/types'
import { VirtualClock } from '../support/clock'
import { START } from '../support/world'

export const PHONE = '010-1234-5678'

export const LIFETIME_MS = 180_000
export const COOLDOWN_MS = 30_000
export const MAX_ATTEMPTS = 5

interface Issue {
  issueId: string
  phoneNumber: string
  code: string
  queuedAt: number
  expiresAt: number
  wrong: number
  status: 'issued' | 'verified' | 'max_attempts' | 'replaced'
}

const iso = (at: number) => new Date(at).toISOString()

/** Body of an error, as it goes over the wire. */
export const refusal = (status: number, data: object = {}) => ({ code: 'REFUSED', status, message: 'no', data })

/** What the specification says of issues, for one purpose, in as few lines as it can be said. */
export class Service implements FlowTransport {
  readonly issues: Issue[] = []
  readonly #byKey = new Map<string, Issue>()
  constructor(readonly clock: VirtualClock) {}

  async issue({ phoneNumber, idempotencyKey }: { phoneNumber: string; idempotencyKey: string }): Promise<FlowIssue> {
    const known = this.#byKey.get(idempotencyKey)
    if (known?.status === 'replaced') throw refusal(409, { reason: 'idempotency_key_replaced' })
    if (known) return this.#answer(known)
    const now = this.clock.now()
    const before = this.issues.filter((one) => one.phoneNumber === phoneNumber && this.isLive(one))
    const waitMs = Math.max(0, ...before.map((one) => one.queuedAt + COOLDOWN_MS - now))
    if (waitMs > 0) throw refusal(429, { limit: 'resend', retryAfterMs: waitMs })
    for (const one of before) one.status = 'replaced'
    const number = this.issues.length + 1
    const issue: Issue = {
      ...{ issueId: `issue-${number}`, code: String(100_000 + number), phoneNumber },
      ...{ queuedAt: now, expiresAt: now + LIFETIME_MS, wrong: 0, status: 'issued' },
    }
    this.issues.push(issue)
    this.#byKey.set(idempotencyKey, issue)
    return this.#answer(issue)
  }

  async verify({ issueId, code }: { issueId?: string | undefined; code: string }): Promise<FlowVerdict> {
    const issue = this.issues.find((one) => one.issueId === issueId)
    const reasonCode = issue ? this.#check(issue, code) : 'NOT_FOUND'
    const attemptsRemaining = issue ? MAX_ATTEMPTS - issue.wrong : 0
    return { verified: reasonCode === undefined, ...(reasonCode && { reasonCode }), attemptsRemaining }
  }

  /** Somebody else asks for a code for the number. */
  replaceAll(): void {
    for (const issue of this.issues) if (issue.status === 'issued') issue.status = 'replaced'
  }

  isLive({ status, expiresAt }: Issue): boolean {
    return status === 'issued' && this.clock.now() < expiresAt
  }

  #check(issue: Issue, code: string): ReasonCode | undefined {
    if (issue.status === 'replaced') return 'REPLACED'
    if (issue.status === 'verified') return 'ALREADY_VERIFIED'
    if (issue.status === 'max_attempts') return 'MAX_ATTEMPTS'
    if (!this.isLive(issue)) return 'EXPIRED'
    if (code === issue.code) {
      issue.status = 'verified'
      return undefined
    }
    issue.wrong++
    if (issue.wrong < MAX_ATTEMPTS) return 'MISMATCH'
    issue.status = 'max_attempts'
    return 'MAX_ATTEMPTS'
  }

  #answer(issue: Issue): FlowIssue {
    return {
      ...{ issueId: issue.issueId, expiresAt: iso(issue.expiresAt), queuedAt: iso(issue.queuedAt) },
      resendAvailableAt: iso(issue.queuedAt + COOLDOWN_MS),
      attemptsRemaining: MAX_ATTEMPTS,
      serverTime: iso(this.clock.now()),
    }
  }
}

/** What becomes of one request: it never gets there, its answer never comes back, or it takes its time either way. */
export type Fate =
  | { kind: 'fine'; thereMs?: number; backMs?: number }
  | { kind: 'unsent' }
  | { kind: 'unanswered' }
  | { kind: 'hangs' }
  | { kind: 'refused'; status: number; data?: object }

export interface Sent {
  operation: 'issue' | 'verify'
  request: { idempotencyKey?: string; phoneNumber?: string; issueId?: string | undefined; code?: string }
  /** Whether it has got to the service. */
  isCarriedOut: boolean
  /** Whether its answer has got back to who still waits for it. */
  isAnswered: boolean
  /** What the service has answered. */
  answer?: { issueId?: string | undefined; reasonCode?: ReasonCode | undefined }
}

/** The way to a service, on which requests get lost. */
export class Network implements FlowTransport {
  readonly sent: Sent[] = []
  /** Of the next requests, in turn; then all is fine. */
  fates: Fate[] = []
  /** When the last wait ends that it was told; in whole seconds, as it is shown. */
  waitsUntil = 0
  constructor(
    readonly to: FlowTransport,
    readonly clock: VirtualClock,
  ) {}

  issue: FlowTransport['issue'] = (request, options) =>
    this.#travel('issue', request, options.signal, () => this.to.issue(request, options))

  verify: FlowTransport['verify'] = (request, options) =>
    this.#travel('verify', request, options.signal, () => this.to.verify(request, options))

  async #travel<T>(
    operation: Sent['operation'],
    request: Sent['request'],
    signal: AbortSignal,
    call: () => Promise<T>,
  ): Promise<T> {
    const sent: Sent = { operation, request, isCarriedOut: false, isAnswered: false }
    this.sent.push(sent)
    const fate = this.fates.shift() ?? { kind: 'fine' }
    if (fate.kind === 'unsent') throw new TypeError('fetch failed')
    if (fate.kind === 'refused') {
      this.#toldToWait(fate.data)
      throw refusal(fate.status, fate.data)
    }
    if (fate.kind === 'fine' && fate.thereMs) await this.#pass(fate.thereMs)
    sent.isCarriedOut = true
    const answer = await call().then(
      (value) => {
        sent.answer = value as NonNullable<Sent['answer']>
        return () => value
      },
      (error) => () => {
        this.#toldToWait(error.data)
        throw error
      },
    )
    if (fate.kind === 'unanswered') throw new TypeError('fetch failed')
    if (fate.kind === 'hangs') return new Promise(() => {})
    if (fate.kind === 'fine' && fate.backMs) await this.#pass(fate.backMs)
    sent.isAnswered = !signal.aborted
    return answer()
  }

  #toldToWait({ retryAfterMs = 0 }: { retryAfterMs?: number } = {}): void {
    this.waitsUntil = Math.max(this.waitsUntil, this.clock.now() + Math.ceil(retryAfterMs / 1_000) * 1_000 + 1_000)
  }

  #pass(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.clock.after(ms, resolve)
    })
  }
}

export interface PageOptions extends Partial<FlowOptions> {
  to?: FlowTransport
  clock?: VirtualClock
  /** Until nothing happens any more without time passing. */
  settle?: () => Promise<void>
}

export class Page {
  readonly clock: VirtualClock
  readonly service: Service
  readonly network: Network
  readonly stored = new Map<string, string>()
  /** All that was ever written to the storage. */
  readonly written: string[] = []
  readonly errors: unknown[] = []
  flow: Flow
  /** Whoever is left sees and writes nothing any more. */
  leave = () => {}
  readonly #settle: () => Promise<void>
  #options: Partial<FlowOptions>

  constructor({ to, clock = new VirtualClock(START), settle = nextTurn, ...options }: PageOptions = {}) {
    this.clock = clock
    this.service = new Service(clock)
    this.network = new Network(to ?? this.service, clock)
    this.#settle = settle
    this.#options = options
    this.flow = this.#open()
  }

  #open(): Flow {
    const { clock, stored } = this
    let isThere = true
    this.leave = () => {
      isThere = false
    }
    const flow = createFlow({
      ...{ transport: this.network, purpose: 'signup', onError: (error) => this.errors.push(error) },
      storage: {
        getItem: (key) => stored.get(key) ?? null,
        setItem: (key, value) => {
          if (!isThere) return
          this.written.push(value)
          stored.set(key, value)
        },
        removeItem: (key) => isThere && stored.delete(key),
      },
      // A page that is left runs no timers any more, and its clock began with it.
      clock: pageClock(clock, () => isThere),
      ...this.#options,
    })
    flow.subscribe(() => {})
    return flow
  }

  /** The page is loaded anew: nothing is left but the storage. */
  reload(options: Partial<FlowOptions> = {}): void {
    this.leave()
    this.#options = { ...this.#options, ...options }
    this.flow = this.#open()
  }

  get state() {
    return this.flow.getSnapshot()
  }

  /** The code that the newest message says. */
  get code(): string {
    return this.service.issues.at(-1)?.code ?? 'none'
  }

  /** Lets time pass, with everything that happens in it. */
  async pass(ms: number): Promise<void> {
    let left = ms
    for (;;) {
      await this.#settle()
      const { fired, passedMs } = this.clock.fireNext(left)
      left -= passedMs
      if (!fired) break
    }
    await this.#settle()
  }

  /** Lets time pass until it is done. */
  async until<T>(work: Promise<T>): Promise<T> {
    let isDone = false
    const done = work.finally(() => {
      isDone = true
    })
    for (let turn = 0; ; turn++) {
      await this.#settle()
      if (isDone) return done
      if (turn > 1_000) throw new Error('It never ends')
      this.clock.fireNext(60_000)
    }
  }

  send = (phoneNumber = PHONE) => this.until(this.flow.send(phoneNumber))
  submit = (code: string) => this.until(this.flow.submit(code))
  resend = () => this.until(this.flow.resend())

  /** The idempotency keys the flow has asked with. */
  keys(): string[] {
    return this.network.sent.flatMap(({ request }) => request.idempotencyKey ?? [])
  }
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** What a page does before it makes a flow, in the fractions that a browser counts in. */
const STARTED_AFTER_MS = 456.7

function pageClock(clock: VirtualClock, isThere: () => boolean) {
  const loadedAt = clock.elapsed()
  return {
    now: () => clock.elapsed() - loadedAt + STARTED_AFTER_MS,
    after(ms: number, callback: () => void) {
      // In virtual time it would be set again and again, and no time would ever pass.
      if (ms < 1) throw new RangeError(`A timer of ${ms} ms`)
      return clock.after(ms, () => isThere() && callback())
    },
  }
}
