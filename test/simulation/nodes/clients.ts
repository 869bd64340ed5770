/**
 * Apps that issue and verify, many calls at a time, on whichever server answers. They do what the interface tells them to: an
 * answer that did not come is asked for again. They remember every answer, and hold all servers to it.
 */
import type { SeededRandom } from '../../support/random'
import type { Answer, Operation } from '../../support/world'
import type { Life, SetClock } from './set-clock'

/** What the interface answered in the end. */
export interface Said extends Pick<Answer, 'status' | 'body'> {
  /** How many tries before that may have had an effect: nobody knows. */
  unknown: number
}

/** Asks until there is an answer. `onAgain`: before each try after the first, since the one before may have had an effect. */
export type Ask = (operation: Operation, input: object, onAgain?: () => void) => Promise<Said>

interface IssueRequest {
  phoneNumber: string
  purpose: string
  channel: 'sms' | 'alimtalk'
  expiresInSec: number
  maxAttempts: number
  idempotencyKey: string
}

/** What is known of an issue from answers alone. */
interface Known {
  request: IssueRequest
  answer: { issueId: string; expiresAt: string; queuedAt: string }
  life: Life
  verified: number
  /** By how many attempts were left after each. */
  wrong: number[]
  /** The last attempt was used, and somebody was told. */
  isUsedUp: boolean
  /** Verifies of which nobody knows whether they counted. */
  unknown: { right: number; wrong: number }
}

/** Of an issue, as the database has it. */
export interface Stored {
  issueId: string
  status: string
  used: number
}

const PHONES = ['010-1111-1111', '010-2222-2222', '+44 7911 120000', '010-3333-3333']
const PURPOSES = ['login', 'signup']

export class Clients {
  readonly #issues = new Map<string, Known>()
  readonly #byKey = new Map<string, Known>()
  #keys = 0

  constructor(
    private readonly deps: {
      ask: Ask
      random: SeededRandom
      clock: SetClock
      note: (line: string) => void
      /** What was read on the phone, by issue. */
      codeOf: (issueId: string) => string | undefined
    },
  ) {}

  async issue(): Promise<string | undefined> {
    const request = this.#request()
    // Impatient ones ask twice at once.
    const times = this.deps.random.chance(0.3) ? 2 : 1
    return first(await Promise.all(Array.from({ length: times }, () => this.#issueWith(request))))
  }

  /** For one phone, at once. */
  async issueMany(): Promise<string | undefined> {
    const { phoneNumber } = this.#request()
    const requests = Array.from({ length: 4 }, () => ({ ...this.#request(), phoneNumber }))
    return first(await Promise.all(requests.map((request) => this.#issueWith(request))))
  }

  /** The same key again says the same. */
  async replay(): Promise<string | undefined> {
    const known = this.deps.random.pick([...this.#issues.values()])
    return known && this.#issueWith(known.request)
  }

  async verify(): Promise<string | undefined> {
    const { random } = this.deps
    const known = random.pick([...this.#issues.values()])
    if (!known) return undefined
    const right = this.deps.codeOf(known.answer.issueId)
    const isRight = right !== undefined && random.chance(0.4)
    const times = random.pick([1, 1, 2, 4])
    const found = await Promise.all(
      Array.from({ length: times }, () => this.#verifyWith(known, isRight ? right : wrongCode(random, right), isRight)),
    )
    return first(found)
  }

  async status(): Promise<string | undefined> {
    const known = this.deps.random.pick([...this.#issues.values()])
    if (!known) return undefined
    const wasVerified = known.verified > 0
    const { status, body } = await this.deps.ask('status', { issueId: known.answer.issueId })
    if (status !== 200) return `status answered ${status}`
    return wasVerified && body.verificationStatus !== 'verified'
      ? `${known.answer.issueId} was verified, and its status is ${body.verificationStatus}`
      : undefined
  }

  /** What was answered, held against what is stored. Calls that are under way may have counted. */
  forgotten(stored: readonly Stored[], isOver: boolean): string | undefined {
    const byId = new Map(stored.map((row) => [row.issueId, row]))
    for (const { answer, verified, wrong, unknown, isUsedUp } of this.#issues.values()) {
      const row = byId.get(answer.issueId)
      if (!row) return `${answer.issueId} was answered and is not stored`
      if (verified > 0 && row.status !== 'verified')
        return `${answer.issueId} was verified and is stored as ${row.status}`
      if (row.used < wrong.length)
        return `${answer.issueId} has used ${row.used} attempts, ${wrong.length} were answered`
      if (!isOver) continue
      if (row.used > wrong.length + unknown.wrong + (isUsedUp ? 1 : 0))
        return `${answer.issueId} has used ${row.used} attempts, and ${wrong.length} wrong codes were answered`
      if (row.status === 'verified' && verified + unknown.right === 0)
        return `${answer.issueId} is verified, and nobody was told`
    }
    return undefined
  }

  #request(): IssueRequest {
    const { pick } = this.deps.random
    return {
      phoneNumber: pick(PHONES),
      purpose: pick(PURPOSES),
      channel: pick(['sms', 'sms', 'alimtalk'] as const),
      expiresInSec: pick([30, 180, 600]),
      maxAttempts: pick([2, 3, 5]),
      idempotencyKey: `key-${this.#keys++}`,
    }
  }

  async #issueWith(request: IssueRequest): Promise<string | undefined> {
    const { ask, clock, note } = this.deps
    const asked = clock.moment()
    const { status, body } = await ask('issue', request)
    note(
      `  ${request.idempotencyKey} ${request.phoneNumber} ${request.purpose} → ${status} ${body?.issueId ?? body?.message}`,
    )
    if (status === 402 || status === 429) return undefined
    const known = this.#byKey.get(request.idempotencyKey)
    // A newer one has taken its place: perhaps before its first answer was heard.
    if (status === 409 && JSON.stringify(body).includes('idempotency_key_replaced')) return undefined
    if (status !== 200) return `an issue must be admitted: ${status} ${JSON.stringify(body)}`
    if (known)
      return Bun.deepEquals(known.answer, body) ? undefined : `${request.idempotencyKey} was answered in two ways`
    if (this.#issues.has(body.issueId)) return `${body.issueId} stands for two keys`
    const queuedAt = Date.parse(body.queuedAt)
    const issued = remembered(request, body, clock.lifeOf(asked, queuedAt, request.expiresInSec * 1_000))
    this.#byKey.set(request.idempotencyKey, issued)
    this.#issues.set(body.issueId, issued)
    const { least, most } = clock.saidSince(asked)
    if (queuedAt < least || queuedAt > most) return `${body.issueId} is of ${body.queuedAt}, by whatever clock`
    return Date.parse(body.expiresAt) === queuedAt + request.expiresInSec * 1_000
      ? undefined
      : `${body.issueId} does not live for ${request.expiresInSec} s`
  }

  async #verifyWith(known: Known, code: string, isRight: boolean): Promise<string | undefined> {
    const { ask, clock, note } = this.deps
    const { issueId } = known.answer
    const kind = isRight ? 'right' : 'wrong'
    const isOver = clock.elapsed() >= known.life.latest()
    known.unknown[kind]++
    const { status, body, unknown } = await ask('verify', { issueId, code })
    // Of this call nobody need guess any more; of those before it everybody must.
    known.unknown[kind] += unknown - 1
    note(`  verify ${issueId} ${kind} → ${body?.verified} ${body?.reasonCode ?? ''} ${body?.attemptsRemaining}`)
    if (status !== 200) return `verify answered ${status} ${JSON.stringify(body)}`
    if (body.verified) {
      known.verified++
      if (!isRight) return `${issueId} was verified by a wrong code`
      if (isOver) return `${issueId} was verified after its end`
      return known.verified > 1 ? `${issueId} was verified twice` : undefined
    }
    if (body.reasonCode === 'MAX_ATTEMPTS') known.isUsedUp = true
    if (body.reasonCode === 'MISMATCH') return isRight ? 'a right code is none' : this.#countWrong(known, body)
    if (body.reasonCode === 'EXPIRED' && clock.elapsed() < known.life.earliest())
      return `${issueId} has expired before its end`
    return undefined
  }

  /** Each takes one of those that are left. */
  #countWrong(known: Known, { attemptsRemaining }: { attemptsRemaining: number }): string | undefined {
    const { issueId } = known.answer
    if (known.wrong.includes(attemptsRemaining)) return `two wrong codes of ${issueId} have used one attempt`
    known.wrong.push(attemptsRemaining)
    return known.wrong.length < known.request.maxAttempts ? undefined : `${issueId} was tried too often`
  }
}

const first = (found: ReadonlyArray<string | undefined>) => found.find((reason) => reason !== undefined)

const remembered = (request: IssueRequest, answer: Known['answer'], life: Life): Known => ({
  ...{ request, answer, life, verified: 0, wrong: [], isUsedUp: false },
  unknown: { right: 0, wrong: 0 },
})

function wrongCode(random: SeededRandom, right: string | undefined): string {
  const code = String(random.below(1_000_000)).padStart(6, '0')
  return code === right ? wrongCode(random, right) : code
}
