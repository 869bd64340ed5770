/** Three carriers on loopback that misbehave at random, and remember what they were asked and what they took. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SeededRandom } from '../../support/random'
import type { Received } from '../support'

/** How one request is answered. */
export type Plan =
  | 'accept'
  | 'slow'
  /** Answers after the server has given up waiting. */
  | 'silent'
  /** 200 without an id. */
  | 'garble'
  | 'fail'
  | 'reset'
  | 'busy'
  /** 403: another carrier may do it. */
  | 'refuse-us'
  | 'refuse'

/** Weighted by how often it stands here. */
const PLANS: readonly Plan[] = [
  ...Array<Plan>(8).fill('accept'),
  ...Array<Plan>(4).fill('busy'),
  'slow',
  'silent',
  'garble',
  'fail',
  'fail',
  'reset',
  'reset',
  'refuse-us',
  'refuse-us',
  'refuse',
  'refuse',
]

/** The carrier surely did not take it and said so: only after these the same message may come again. */
export const MAY_COME_AGAIN: ReadonlySet<Plan> = new Set(['busy', 'refuse-us'])

export interface SendRequest {
  provider: string
  messageId: string
  to: string
  code: string
  plan: Plan
  /** Whether the phone rings, whatever was answered. */
  isTaken: boolean
}

/** The code that a number got: the same by all legs of an issue. */
const codeOf = ({ to, code }: Pick<SendRequest, 'to' | 'code'>) => `${to} ${code}`

interface Report {
  provider: string
  messageId: string
  /** As `codeOf` has it. */
  code: string
  status: 'delivered' | 'failed'
  dueAt: number
  /** Whether it was ever posted: a carrier repeats what was not answered. */
  isPosted: boolean
}

/** Longer than the server waits; see `PROVIDER_TIMEOUT_MS`. */
const SILENT_MS = 2_500
/** A machine that has much to do is late with everything, and what comes too late has another outcome. */
export const PROVIDER_TIMEOUT_MS = 2_000
const SLOW_MS = 400
const REPORTING_MS = 20
const BATCH = 50
/** For the answer to a report. */
const PATIENCE_MS = 5_000

export class TortureCarrier {
  readonly requests: SendRequest[] = []
  /** Messages that were taken, as the invariants want them. */
  readonly accepted: Array<{ messageId: string }> = []
  /** When a report on a message was first posted; Unix milliseconds. */
  readonly reported = new Map<string, number>()
  /** When the server had heard that a message was delivered, where that was the first it heard of it; Unix milliseconds. */
  readonly delivered = new Map<string, number>()
  /** Promises the server broke towards carriers. */
  readonly found: string[] = []
  readonly #codes = new Map<string, string[]>()
  readonly #reports = new Map<string, Report>()
  readonly #secrets = new Map<string, string>()
  readonly #heard = new Set<string>()
  /** Messages that were told as delivered, by the code in them. */
  readonly #toldDelivered = new Map<string, Set<string>>()
  readonly #waiting = new Set<() => void>()
  #isCalm = false
  #isReporting = true
  #reporting: Promise<void> = Promise.resolve()
  readonly #server = createServer((request, response) => void this.#receive(request, response))

  constructor(
    private readonly random: SeededRandom,
    /** Where the server listens now, if it does. */
    private readonly serverUrl: () => string | undefined,
    private readonly plans: readonly Plan[] = PLANS,
  ) {}

  async start(): Promise<void> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done))
    this.#reporting = this.#report()
  }

  async stop(): Promise<void> {
    this.#isReporting = false
    await this.#reporting
    this.#server.closeAllConnections()
    this.#server.close()
  }

  urlOf(provider: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${provider}`
  }

  /** A carrier reports under the secret that it was given. */
  hasSecret(provider: string, secret: string): void {
    this.#secrets.set(provider, secret)
  }

  /** From now on it takes everything, and reports everything it ever took. */
  calm(): void {
    this.#isCalm = true
    for (const report of this.#reports.values()) report.dueAt = 0
  }

  numberOf(n: number): string {
    const digits = String(20_000_000 + n)
    return `010-${digits.slice(0, 4)}-${digits.slice(4)}`
  }

  /** Codes that a number got, oldest first. */
  codesFor(to: string): readonly string[] {
    return this.#codes.get(to) ?? []
  }

  get everyNumber(): Iterable<string> {
    return this.#codes.keys()
  }

  get reportsLeft(): number {
    return this.#reports.size
  }

  /** Messages beyond the first one with their code. */
  get laterLegs(): number {
    const messages = new Set(this.requests.map(({ messageId }) => messageId))
    return messages.size - new Set(this.requests.map(codeOf)).size
  }

  /** The next message that arrives. */
  nextRequest(): Promise<void> {
    return new Promise((arrived) => this.#waiting.add(arrived))
  }

  async #receive(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    // A killed server breaks off in the middle; that is no news here.
    incoming.on('error', () => {})
    response.on('error', () => {})
    const provider = (incoming.url ?? '').slice(1)
    const chunks: Buffer[] = []
    try {
      for await (const chunk of incoming) chunks.push(chunk as Buffer)
    } catch {
      return
    }
    const { messageId, to, text } = JSON.parse(Buffer.concat(chunks).toString()) as Received
    for (const arrived of this.#waiting) arrived()
    this.#waiting.clear()

    const { random } = this
    const plan = this.#isCalm ? 'accept' : random.pick(this.plans)
    const isTaken =
      ['accept', 'slow', 'silent', 'garble'].includes(plan) || (plan !== 'busy' && this.#takesAnyway(plan))
    const code = /(?<!\d)\d{6}(?!\d)/.exec(text)?.[0] ?? ''
    this.requests.push({ provider, messageId, to, code, plan, isTaken })
    if (isTaken) this.#take(provider, messageId, to, code)
    await Bun.sleep(this.#isCalm ? 0 : random.below(120))
    await this.#answer(plan, messageId, incoming, response)
  }

  #takesAnyway(plan: Plan): boolean {
    return (plan === 'fail' || plan === 'reset') && this.random.chance(0.5)
  }

  #take(provider: string, messageId: string, to: string, code: string): void {
    this.accepted.push({ messageId })
    this.#codes.set(to, [...this.codesFor(to), code])
    const { random } = this
    // Some reports overtake the answer, some come late, and some only when all is calm.
    const delayMs = random.chance(0.3) ? Number.POSITIVE_INFINITY : random.below(random.chance(0.5) ? 60 : 2_000)
    this.#reports.set(messageId, {
      provider,
      messageId,
      code: codeOf({ to, code }),
      status: random.chance(0.7) ? 'delivered' : 'failed',
      dueAt: this.#isCalm ? 0 : performance.now() + delayMs,
      isPosted: false,
    })
  }

  async #answer(plan: Plan, messageId: string, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    switch (plan) {
      case 'slow':
        await Bun.sleep(SLOW_MS)
        return answer(200, { id: `carrier-${messageId}` })
      case 'silent':
        await Bun.sleep(SILENT_MS)
        return answer(200, { id: `carrier-${messageId}` })
      case 'accept':
        return answer(200, { id: `carrier-${messageId}` })
      case 'garble':
        return answer(200, { message: 'thank you' })
      case 'fail':
        return answer(500, {})
      case 'busy':
        return answer(429, {})
      case 'refuse-us':
        return answer(403, {})
      case 'refuse':
        return answer(400, {})
      case 'reset':
        incoming.socket.destroy()
    }
  }

  async #report(): Promise<void> {
    while (this.#isReporting) {
      const now = performance.now()
      const due = [...this.#reports.values()].filter(({ dueAt }) => dueAt <= now)
      for (const [provider] of this.#secrets) {
        const batch = due.filter((report) => report.provider === provider).slice(0, BATCH)
        if (batch.length > 0) await this.#post(provider, batch)
      }
      await Bun.sleep(REPORTING_MS)
    }
  }

  /** What is not answered comes again, as carriers do; some that was answered, too. */
  async #post(provider: string, batch: Report[]): Promise<void> {
    const url = this.serverUrl()
    if (url === undefined) return
    const isFirstTime = batch.every(({ isPosted }) => !isPosted)
    for (const report of batch) this.#note(report)
    try {
      const response = await fetch(`${url}/provider-reports/${provider}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${this.#secrets.get(provider)}`, 'content-type': 'application/json' },
        body: JSON.stringify(batch.map(({ messageId, status }) => ({ messageId, status }))),
        keepalive: false,
        signal: AbortSignal.timeout(PATIENCE_MS),
      })
      // It comes again.
      if (response.status === 503) return
      const { recorded } = (await response.json()) as { recorded?: number }
      if (response.status !== 200) this.found.push(`a report was answered with ${response.status}`)
      else if (isFirstTime && recorded !== batch.length && batch.every((report) => !this.#isOver(report))) {
        this.found.push(`of ${batch.length} reports on messages that were taken ${recorded} were heard`)
      }
      for (const report of batch) this.#settle(report)
    } catch {
      // The server died before it answered.
    }
  }

  #note(report: Report): void {
    report.isPosted = true
    if (!this.reported.has(report.messageId)) this.reported.set(report.messageId, Date.now())
    if (report.status !== 'delivered') return
    const told = this.#toldDelivered.get(report.code) ?? new Set()
    this.#toldDelivered.set(report.code, told.add(report.messageId))
  }

  /** Another leg has delivered the code: then nobody waits for a report on this one. */
  #isOver({ code, messageId }: Report): boolean {
    return [...(this.#toldDelivered.get(code) ?? [])].some((told) => told !== messageId)
  }

  #settle(report: Report): void {
    const { messageId } = report
    if (report.status === 'delivered' && !this.#heard.has(messageId)) this.delivered.set(messageId, Date.now())
    this.#heard.add(messageId)
    if (!this.#isCalm && this.random.chance(0.1)) {
      report.status = report.status === 'delivered' ? 'failed' : 'delivered'
      report.dueAt = performance.now() + this.random.below(500)
    } else {
      this.#reports.delete(report.messageId)
    }
  }
}
