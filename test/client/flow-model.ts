/**
 * Anything a user, a network and a device may do to a flow, in any order, and what must hold after each of it. What is true
 * is what the service has; the flow knows only what it was answered.
 */
import { setSystemTime } from 'bun:test'
import type { FlowState, FlowStatus } from '../../client/flow'
import fc from '../support/property'
import { type Fate, Page, type PageOptions } from './flow-support'

/** What the service has. */
export interface Truth {
  issues(): Promise<readonly TrueIssue[]>
  /** What the newest message to the number says. */
  codeFor(phoneNumber: string): string
  /** Asks what may be thought of a code that is right. */
  wrongCode: string
}

export interface TrueIssue {
  issueId: string
  isVerified: boolean
  /** Whether it may be verified now. */
  isLive: boolean
  expiresAt: number
  /** From when on the service makes another one. */
  resendAt: number
  attemptsRemaining: number
}

type Act =
  | { act: 'send'; number: 0 | 1 }
  | { act: 'submit'; what: 'right' | 'wide' | 'wrong' | 'none' }
  | { act: 'resend' | 'cancel' | 'changeNumber' | 'reset' | 'reload' | 'tick' }
  | { act: 'pass' | 'close'; ms: number }
  | { act: 'step'; hours: number }
  | { act: 'fate'; fates: Fate[] }

const LATEST_MS = 12_000

const fate: fc.Arbitrary<Fate> = fc.oneof(
  fc.record({ kind: fc.constant('fine' as const), thereMs: fc.nat(LATEST_MS), backMs: fc.nat(LATEST_MS) }),
  fc.record({ kind: fc.constantFrom('unsent' as const, 'unanswered' as const, 'hangs' as const) }),
  fc.record({
    kind: fc.constant('refused' as const),
    status: fc.constantFrom(400, 401, 402, 403, 429, 500, 503),
    data: fc.record({ retryAfterMs: fc.constantFrom(500, 4_000, 90_000) }, { requiredKeys: [] }),
  }),
)

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ act: fc.constant('send' as const), number: fc.constantFrom(0 as const, 1 as const) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('submit' as const),
      what: fc.constantFrom('right' as const, 'wide' as const, 'wrong' as const, 'wrong' as const, 'none' as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ act: fc.constantFrom('resend' as const, 'reload' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constantFrom('cancel' as const, 'changeNumber' as const, 'reset' as const, 'tick' as const),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant('pass' as const),
      ms: fc.oneof(fc.constant(0), fc.nat(3_000), fc.constant(30_000), fc.nat(200_000)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('close' as const), ms: fc.nat(60_000) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('step' as const), hours: fc.integer({ min: -9, max: 9 }) }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('fate' as const), fates: fc.array(fate, { maxLength: 6 }) }) },
)

export const acts = fc.array(act, { maxLength: 30 })

/** As a Japanese keyboard types it. */
const wide = (code: string) => code.replace(/[0-9]/g, (digit) => String.fromCodePoint(digit.charCodeAt(0) + 0xfee0))

/** Where a flow may get from where it is, besides where it is. */
const WAYS: Readonly<Record<FlowStatus, readonly FlowStatus[]>> = {
  idle: ['sending', 'awaiting_code'],
  sending: ['awaiting_code', 'idle', 'failed', 'locked'],
  awaiting_code: ['verifying', 'sending', 'idle', 'failed'],
  verifying: ['verified', 'awaiting_code', 'locked', 'failed', 'idle'],
  verified: ['idle'],
  locked: ['sending', 'idle'],
  failed: ['sending', 'idle'],
}

export class Run {
  readonly page: Page
  readonly #truth: Truth
  readonly #numbers: readonly [string, string]
  /** How often the user has asked for a code, and was let. */
  #asks = 0
  /** Each code that was checked, by the checks that got to the service for it. */
  #submits = 0
  #typed = new Set<string>()
  /** How much was asked before the page was loaded last. */
  #askedBefore: number | undefined
  /** Somebody gave up on a check, which may still arrive. */
  #hasLeftCheck = false
  #seen: FlowStatus = 'idle'
  /** When a proof was there, by the device's time. */
  #provenAt: number | undefined
  /** The code that could be typed last. */
  #shownIssue: string | undefined
  readonly #faults: string[] = []

  constructor(truth: Truth, numbers: readonly [string, string], options: PageOptions) {
    this.#truth = truth
    this.#numbers = numbers
    this.page = new Page(options)
    this.#watch()
  }

  async all(acts: readonly Act[]): Promise<void> {
    for (const each of acts) {
      await this.#do(each)
      await this.#check(each)
    }
    await this.#end()
  }

  #watch(): void {
    this.page.flow.subscribe(() => {
      const { status } = this.page.state
      if (status !== this.#seen && !WAYS[this.#seen].includes(status)) this.#fault(`from ${this.#seen} to ${status}`)
      this.#seen = status
      if (this.page.state !== this.page.flow.getSnapshot()) this.#fault('two states at one moment')
    })
  }

  /** Since a reload the service has not said yet how long it is until anything. */
  get #isUnsure(): boolean {
    const since = this.page.network.sent.slice(this.#askedBefore)
    return (
      this.#askedBefore !== undefined && !since.some(({ operation, isAnswered }) => operation === 'issue' && isAnswered)
    )
  }

  get #rightCode(): string {
    return this.#truth.codeFor(this.page.state.phoneNumber)
  }

  #fault(what: string): void {
    this.#faults.push(what)
  }

  async #do(each: Act): Promise<void> {
    const { page } = this
    const { flow } = page
    const { can, status } = page.state
    switch (each.act) {
      case 'send':
        // Twice, as people click.
        void flow.send(this.#numbers[each.number])
        void flow.send(this.#numbers[each.number])
        if (can.send && page.state.status === 'sending') this.#asks++
        return
      case 'resend':
        void flow.resend()
        void flow.resend()
        if (can.resend && page.state.status === 'sending') this.#asks++
        return
      case 'submit': {
        const code = this.#codeOf(each.what)
        this.#typed.add(code)
        void flow.submit(code)
        void flow.submit(code)
        if (can.submit && page.state.status === 'verifying') this.#submits++
        return
      }
      case 'reload':
        return this.#reload()
      case 'close': {
        flow.close()
        const asked = page.network.sent.length
        const kept = JSON.stringify([...page.stored])
        for (const call of [flow.send(this.#numbers[0]), flow.resend(), flow.submit(this.#rightCode)]) void call
        await page.pass(each.ms)
        if (page.network.sent.length > asked) this.#fault('it asks, and is closed')
        if (JSON.stringify([...page.stored]) !== kept) this.#fault('it keeps, and is closed')
        return this.#reload()
      }
      case 'pass':
        return page.pass(each.ms)
      case 'step':
        setSystemTime(page.clock.now() + each.hours * 3_600_000)
        return
      case 'fate':
        page.network.fates = [...each.fates]
        return
      default:
        this.#hasLeftCheck ||= status === 'verifying' && each.act !== 'tick'
        flow[each.act]()
    }
  }

  #codeOf(what: 'right' | 'wide' | 'wrong' | 'none'): string {
    if (what === 'none') return '12 34'
    if (what === 'wrong') return this.#truth.wrongCode
    return what === 'wide' ? wide(this.#rightCode) : this.#rightCode
  }

  /** Whatever was there is there again: the same order, the same code to type. */
  #reload(): void {
    const { page } = this
    const { status, phoneNumber, ...before } = page.state
    this.#askedBefore = page.network.sent.length
    this.#hasLeftCheck ||= status === 'verifying'
    page.reload()
    const { status: after, phoneNumber: number, ...state } = page.state
    const [was, is] = [before, state].map((one) => ('issueId' in one ? one.issueId : undefined))
    if (after === 'awaiting_code' && page.network.sent.length === this.#askedBefore)
      this.#fault('nobody asks how it is')
    if (after === 'awaiting_code' && was !== undefined && is !== was) this.#fault(`${is} after a reload of ${was}`)
    // Once nobody believes its proof any more, nothing is verified.
    if (phoneNumber !== number && !this.#isProofOver) this.#fault(`${number} after a reload of ${phoneNumber}`)
    this.#seen = after
    this.#watch()
  }

  /** By the device's time: it was kept longer ago than a proof is good for. */
  get #isProofOver(): boolean {
    return this.#provenAt !== undefined && Math.abs(Date.now() - this.#provenAt) >= 10 * 60_000
  }

  async #check(each: Act): Promise<void> {
    const { page } = this
    // What it has asked since it was loaded may be on its way back.
    if (this.#isUnsure) await page.pass(0)
    // What a timer would do at this very moment is done.
    const state = page.flow.tick()
    if (page.flow.tick() !== state) this.#fault('it changes where nothing has')
    const sent = page.network.sent
    const keys = new Set(sent.flatMap(({ request }) => request.idempotencyKey ?? []))
    if (keys.size > this.#asks) this.#fault(`${keys.size} orders of ${this.#asks} asked for`)
    const checks = sent.filter(({ operation, isCarriedOut }) => operation === 'verify' && isCarriedOut)
    const replaced = checks.filter(({ answer }) => answer?.reasonCode === 'REPLACED').length
    if (checks.length - replaced > this.#submits) this.#fault(`${checks.length} checks of ${this.#submits} typed`)
    this.#hasLeftCheck ||= checks.some(({ answer }) => answer === undefined)
    const issues = await this.#truth.issues()
    if (issues.length > this.#asks) this.#fault(`${issues.length} codes of ${this.#asks} asked for`)
    this.#compare(state, issues)
    if (state.status !== 'verified' || state.proof === undefined) this.#provenAt = undefined
    else this.#provenAt ??= Date.now()
    for (const text of page.written) this.#checkWritten(text)
    if (state.status !== 'idle' && !state.text) this.#fault(`nothing to tell in ${state.status}`)
    if (this.#faults.length > 0) throw new Error(`after ${JSON.stringify(each)}: ${this.#faults.join('; ')}`)
  }

  #compare(state: FlowState, issues: readonly TrueIssue[]): void {
    const issue = 'issueId' in state ? issues.find(({ issueId }) => issueId === state.issueId) : undefined
    if (state.status === 'awaiting_code') this.#shownIssue = state.issueId
    if (state.status === 'verified' && !issue?.isVerified) this.#fault('verified, and is not')
    if (state.status === 'sending' || state.status === 'verifying') {
      if (!state.can.cancel || state.can.resend || state.can.submit) this.#fault('more may be done while it asks')
    }
    if (state.status === 'failed' && state.reason === 'EXPIRED') {
      const shown = issues.find(({ issueId }) => issueId === this.#shownIssue)
      if (shown?.isLive) this.#fault('expired, and is not')
    }
    if (state.status === 'locked' && state.reason === 'MAX_ATTEMPTS') {
      const shown = issues.find(({ issueId }) => issueId === this.#shownIssue)
      if (shown && shown.attemptsRemaining > 0) this.#fault('locked, and is not')
    }
    if (state.status !== 'awaiting_code' || !issue) return
    const leftMs = issue.expiresAt - this.page.clock.now()
    if (state.expiresInMs < leftMs) this.#fault(`${state.expiresInMs} ms left of ${leftMs}`)
    if (state.can.resend && issue.resendAt > this.page.clock.now()) this.#fault('another code is promised too soon')
    this.#checkAllowed(state, issue)
    if (!this.#isUnsure && state.expiresInMs > leftMs + LATEST_MS + 1_000) this.#fault('lasts too long')
    const { attemptsRemaining: told } = state
    if (told === undefined) return
    if (told < issue.attemptsRemaining) this.#fault(`${told} attempts of ${issue.attemptsRemaining}`)
    if (!this.#hasLeftCheck && told !== issue.attemptsRemaining && issue.isLive) this.#fault('attempts are forgotten')
  }

  /** What the service would do may be asked for. A wait that it has told for codes begins anew with a reload: it tells no more of it. */
  #checkAllowed({ can }: FlowState, { resendAt }: TrueIssue): void {
    const now = this.page.clock.now()
    if (this.#isUnsure || now <= this.page.network.waitsUntil) return
    if (!can.submit && this.#askedBefore === undefined) this.#fault('a code would be checked, and none can be typed')
    if (!can.resend && now > resendAt + LATEST_MS + 1_000)
      this.#fault('another code would be made, and is not promised')
  }

  #checkWritten(text: string): void {
    const strings = (value: unknown): string[] =>
      typeof value === 'string'
        ? [value]
        : typeof value === 'object' && value
          ? Object.values(value).flatMap(strings)
          : []
    const { held } = JSON.parse(text, (name, value) => (/key$/i.test(name) ? undefined : value))
    for (const code of this.#typed)
      if (strings(held).some((value) => value.includes(code))) this.#fault(`${code} is written down`)
  }

  /** Whatever has happened: when all works again, the user gets there. */
  async #end(): Promise<void> {
    const { page } = this
    page.network.fates = []
    await page.pass(60_000)
    if (['sending', 'verifying'].includes(page.state.status)) this.#fault(`${page.state.status} for ever`)
    if (page.state.can.resend) {
      const { status } = await page.resend()
      if (status !== 'awaiting_code') this.#fault(`another code is promised, and there is ${status}`)
    }
    if (page.state.status === 'verified') page.flow.reset()
    if (page.state.can.changeNumber) page.flow.changeNumber()
    await page.send(this.#numbers[0])
    for (let turn = 0; turn < 3 && !page.state.can.submit; turn++) {
      const { submitInMs = 0, resendInMs = 0 } = { ...page.state } as { submitInMs?: number; resendInMs?: number }
      await page.pass(submitInMs || resendInMs)
      if (!page.state.can.submit) await page.resend()
    }
    const { status } = await page.submit(this.#rightCode)
    if (status !== 'verified') this.#fault(`no way out of ${JSON.stringify(page.state)}`)
    if (this.#faults.length > 0) throw new Error(`at the end: ${this.#faults.join('; ')}`)
  }
}
