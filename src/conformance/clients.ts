/**
 * Apps that issue and verify while the server dies under them. They do what the interface tells them to: an answer that
 * did not come is asked for again with the same idempotency key. They remember every answer, and hold the server to it.
 */
import type { ServerAnswer, Untyped } from './rule'
import type { SeededChoice } from './seeded-choice'

export interface ClientRequest {
  phoneNumber: string
  purpose: string
  channel: 'sms' | 'alimtalk'
  smsFallback: boolean
  expiresInSec: number
  maxAttempts: number
  idempotencyKey: string
}

/** An issue as a client knows it from answers alone. */
export interface KnownIssue {
  request: ClientRequest
  /** The app that issued it. */
  app: number
  /** The first answer; every replay must be like it. */
  answer: Untyped
  isVerified: boolean
  /** A newer one for the same phone was answered: this one is replaced unless it had already ended. */
  isSuperseded: boolean
  /** When it was answered that the code cannot be used any more; Unix milliseconds. */
  endedAt?: number
  /** Wrong codes that were answered, and calls whose answer was lost. */
  mismatches: number
  unansweredVerifies: number
}

export interface MortalServer {
  /** Throws where there is no server, or it dies before it has answered. `app`: which of the apps asks. */
  post(path: string, body: object, app: number): Promise<Pick<ServerAnswer, 'status' | 'body'>>
}

/** The phones of the clients, and the codes that they get. */
export interface Phones {
  /** Codes that arrived at this number in E.164, the newest last. */
  codesFor(to: string): readonly string[]
  /** The number of the nth phone, from 1 on. */
  numberOf(n: number): string
  /** It begins the idempotency keys, where those of other clients are known. */
  run?: string
}

const CODE_PATIENCE_MS = 400
/** Below what a phone may get in ten minutes. */
const MOST_PER_PHONE = 4

export class Clients {
  readonly issues: KnownIssue[] = []
  readonly found: string[] = []
  /** Calls whose answer was lost to a kill. */
  unanswered = 0
  unavailable = 0
  #isRunning = true
  #hasGivenUp = false
  #numbers = 0
  #keys = 0
  readonly #waiting = new Set<() => void>()
  #loops: Promise<void>[] = []

  constructor(
    private readonly random: SeededChoice,
    private readonly api: MortalServer,
    private readonly phones: Phones,
    private readonly apps = 1,
  ) {}

  start(count: number): void {
    this.#loops = Array.from({ length: count }, () => this.#run())
  }

  /** Every client ends what it has begun; there must be a server that lives. */
  async finish(): Promise<void> {
    this.#isRunning = false
    await Promise.all(this.#loops)
  }

  /** Nobody asks any more, also where nobody has answered. */
  giveUp(): void {
    this.#isRunning = false
    this.#hasGivenUp = true
    for (const loop of this.#loops) loop.catch(() => {})
  }

  /** Asks once more for everything that was answered, and tries each code that verified once more. */
  async replayAll(): Promise<void> {
    const left = this.issues.values()
    const some = async () => {
      for (const issue of left) {
        await this.#replay(issue)
        if (issue.isVerified) await this.#try(issue, 'again', this.phones.codesFor(e164(issue)).at(-1))
      }
    }
    await Promise.all(Array.from({ length: this.#loops.length }, some))
  }

  /** The next request that is made. */
  nextCall(): Promise<void> {
    return new Promise((called) => this.#waiting.add(called))
  }

  async #run(): Promise<void> {
    const { random } = this
    const own: KnownIssue[] = []
    while (this.#isRunning) {
      const previous = own.at(-1)
      const isAgain = previous !== undefined && random.chance(0.15) && countTo(previous, own) < MOST_PER_PHONE
      const issue = await this.#issue(isAgain ? previous : undefined)
      if (issue) {
        if (isAgain) {
          previous.isSuperseded = true
          previous.endedAt ??= Date.now()
        }
        own.push(issue)
        if (random.chance(0.2)) await this.#replay(issue)
        if (random.chance(0.6)) await this.#verify(issue, isAgain)
        if (random.chance(0.1)) await this.#replay(random.pick(own))
      }
      await Bun.sleep(random.below(120))
    }
  }

  async #issue(previous: KnownIssue | undefined): Promise<KnownIssue | undefined> {
    const { random } = this
    const app = previous?.app ?? random.below(this.apps)
    const request: ClientRequest = {
      phoneNumber: previous?.request.phoneNumber ?? this.phones.numberOf(++this.#numbers),
      purpose: 'login',
      channel: random.pick(['sms', 'sms', 'alimtalk']),
      smsFallback: random.chance(0.8),
      expiresInSec: random.pick([30, 180, 600]),
      maxAttempts: random.pick([2, 5]),
      idempotencyKey: `${this.phones.run ?? 'key'}-${++this.#keys}`,
    }
    const { answer } = await this.persist('/v1/issue', request, app)
    if (answer.status !== 200) {
      this.found.push(`${request.idempotencyKey} was answered with ${answer.status} ${JSON.stringify(answer.body)}`)
      return undefined
    }
    const issue: KnownIssue = {
      request,
      app,
      answer: answer.body,
      isVerified: false,
      isSuperseded: false,
      mismatches: 0,
      unansweredVerifies: 0,
    }
    this.issues.push(issue)
    return issue
  }

  async #replay({ request, app, answer: first, isSuperseded, isVerified }: KnownIssue): Promise<void> {
    const { answer } = await this.persist('/v1/issue', request, app)
    if (answer.status === 200 && Bun.deepEquals(answer.body, first)) return
    if (answer.status === 409 && isSuperseded && !isVerified) return
    this.found.push(
      `the replay of ${request.idempotencyKey} was answered with ${answer.status} ${JSON.stringify(answer.body)} instead of ${JSON.stringify(first)}`,
    )
  }

  async #verify(issue: KnownIssue, isNumberUsedBefore: boolean): Promise<void> {
    if (this.random.chance(0.2)) await this.#try(issue, 'wrong')
    const deadline = performance.now() + CODE_PATIENCE_MS
    while (this.phones.codesFor(e164(issue)).length === 0 && performance.now() < deadline) await Bun.sleep(20)
    const code = this.phones.codesFor(e164(issue)).at(-1)
    if (code === undefined) return
    // The text of a code that was replaced may come last.
    await this.#try(issue, isNumberUsedBefore ? 'maybe' : 'right', code)
    if (this.random.chance(0.2)) await this.#try(issue, 'again', code)
  }

  async #try(issue: KnownIssue, kind: 'right' | 'wrong' | 'maybe' | 'again', code = 'no code'): Promise<void> {
    const input = { issueId: issue.answer.issueId, code: kind === 'wrong' ? this.#wrongCode(issue) : code }
    // Counted at once: it may be looked at while the call is made again.
    const { answer } = await this.persist('/v1/verify', input, issue.app, () => {
      issue.unansweredVerifies++
    })
    const { verified, reasonCode } = answer.body
    if (verified || reasonCode === 'ALREADY_VERIFIED' || reasonCode === 'MAX_ATTEMPTS') issue.endedAt ??= Date.now()
    if (answer.status !== 200) this.found.push(`a verify was answered with ${answer.status}`)
    if (issue.isVerified && reasonCode !== 'ALREADY_VERIFIED') {
      this.found.push(`${input.issueId} was verified, and then answered ${JSON.stringify(answer.body)}`)
    }
    if (verified || reasonCode === 'ALREADY_VERIFIED') {
      if (kind === 'wrong') this.found.push(`a wrong code verified ${input.issueId}`)
      if (!verified && !issue.isVerified && issue.unansweredVerifies === 0) {
        this.found.push(`${input.issueId} was verified by nobody`)
      }
      issue.isVerified = true
    } else if (reasonCode === 'MISMATCH' || reasonCode === 'MAX_ATTEMPTS') {
      if (kind === 'right' && reasonCode === 'MISMATCH')
        this.found.push(`the code that arrived is wrong: ${input.issueId}`)
      if (reasonCode === 'MISMATCH') issue.mismatches++
    } else if (reasonCode === 'NOT_FOUND') {
      this.found.push(`${input.issueId} was forgotten`)
    }
  }

  /** Calls until there is an answer; so a lost answer is asked for again. */
  async persist(
    path: string,
    body: object,
    app = 0,
    onLost: () => void = () => {},
  ): Promise<{ answer: Pick<ServerAnswer, 'status' | 'body'> }> {
    for (;;) {
      try {
        const answering = this.api.post(path, body, app)
        for (const called of this.#waiting) called()
        this.#waiting.clear()
        const answer = await answering
        if (answer.status !== 503) return { answer }
        this.unavailable++
      } catch (error) {
        if (this.#hasGivenUp) throw error
        onLost()
        this.unanswered++
      }
      await Bun.sleep(10 + this.random.below(30))
    }
  }

  #wrongCode(issue: KnownIssue): string {
    const right = this.phones.codesFor(e164(issue))
    const candidates = ['000000', '111111', '222222', '333333', '444444'].filter((code) => !right.includes(code))
    return this.random.pick(candidates)
  }
}

const e164 = ({ request }: KnownIssue) => `+82${request.phoneNumber.replaceAll('-', '').slice(1)}`
const countTo = ({ request }: KnownIssue, issues: readonly KnownIssue[]) =>
  issues.filter((issue) => issue.request.phoneNumber === request.phoneNumber).length
