/**
 * What the generator asks for. Each workload is a stream of requests; contenders that speak the interface get the same
 * ones, byte for byte.
 */
import { httpRequest } from './connection'
import { PEERS, type Peer } from './peers'

export type Workload =
  | 'issue'
  | 'replace'
  | 'replay'
  | 'late-replay'
  | 'verify'
  | 'verify-wrong'
  | 'status'
  | 'list'
  | 'deep-list'
  | 'old-status'
  | 'mix'

export type Wire = 'rest' | 'rpc' | Peer

export interface Target {
  url: string
  wire: Wire
  /** Several take turns. */
  key: string | readonly string[]
}

/** Active issues a database was filled with, to be read, mistaken or used up. */
export interface Supply {
  /** Unix milliseconds of the first one's id. */
  base: number
  count: number
  /** Where using them up ends, if not with the last. */
  last?: number
  /** Issues that have run their course. */
  past?: Past
}

/** Evenly spread over the days before. */
export interface Past {
  start: number
  stepMs: number
  count: number
}

/** The `n`-th filled issue: a UUIDv7, one a millisecond. */
export function filledId({ base }: Supply, n: number): string {
  const time = (base + n).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`
}

/** The `n`-th of the past, as `fill.ts` writes it. */
export function pastId({ start, stepMs }: Past, n: number): string {
  const time = (start + Math.trunc(n * stepMs)).toString(16).padStart(12, '0')
  const rest = n.toString(16).padStart(15, '0')
  const low = (n % 4_096).toString(16).padStart(3, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${low}-8${rest.slice(0, 3)}-${rest.slice(3)}`
}

/** The code of every filled issue. */
export const FILLED_CODE = '123456'
const WRONG_CODE = '654321'

/** Enough that nobody waits for the same phone, few enough that each comes again soon. */
const RETURNING = 1_024

/** Above the magic numbers of test mode. */
export const phone = (n: number) => `+8210${String((n % 90_000_000) + 1_000).padStart(8, '0')}`

/** A login: a code is sent, looked at, mistyped now and then, sent again now and then, and typed. */
const MIX: readonly Workload[] = [
  ...['issue', 'verify', 'status', 'issue', 'verify'],
  ...['replace', 'issue', 'verify', 'verify-wrong', 'status'],
] as Workload[]

export class Requests {
  readonly #headers: ReadonlyArray<Record<string, string>>
  #verified: number

  /** `first` is where the numbers of this stream begin, so that no two streams on one database share a phone or key. */
  constructor(
    private readonly target: Target,
    private readonly supply: Supply,
    first: { request: number; verified: number },
    /** Of who keeps them: phones and their codes, to be used up. */
    private readonly codes: Array<[phone: string, code: string]>,
  ) {
    this.#headers = [target.key].flat().map((key) => ({ Authorization: `Bearer ${key}` }))
    this.#sent = first.request
    this.#first = first.request
    this.#verified = first.verified
  }
  #sent: number
  /** Of this run. */
  readonly #first: number

  /**
   * What is to be answered before a run is measured. Who repeats an order has mostly sent it to the same server a few seconds
   * before, and that is what is measured: orders of a former run have long made way for those that came in between.
   */
  before(workload: Workload): string[] {
    return workload === 'replay' ? Array.from({ length: RETURNING }, (_, n) => this.#repeated(n)) : []
  }

  /** Where the next stream begins. */
  get position() {
    return { request: this.#sent, verified: this.#verified }
  }

  /** Undefined when the supply is used up. */
  next(workload: Workload): string | undefined {
    const n = this.#sent++
    const { wire } = this.target
    if (wire !== 'rest' && wire !== 'rpc') return this.#ofPeer(wire, workload, n)
    const { count, last = count } = this.supply
    switch (workload) {
      case 'issue':
        return this.#issue(phone(n), `key-${n}`)
      case 'replace':
        return this.#issue(phone(89_000_000 + (n % RETURNING)), `key-${n}`)
      case 'replay':
        return this.#repeated(n)
      case 'late-replay':
        return this.#issue(phone(87_000_000 + (n % RETURNING)), `late-${n % RETURNING}`)
      case 'verify':
        return this.#verified < last ? this.#verify(this.#verified++, FILLED_CODE) : undefined
      case 'verify-wrong':
        // From the far end, so that what is used up is not mistaken, too.
        return this.#verify(count - 1 - (n % Math.floor(count / 4)), WRONG_CODE)
      case 'status':
        return this.#get('status', { issueId: filledId(this.supply, (n * 7919) % count) })
      case 'old-status': {
        const { past } = this.supply
        return past && this.#get('status', { issueId: pastId(past, (n * 7_919_317) % past.count) })
      }
      case 'list':
        return this.#get('issues', { limit: 50 })
      case 'deep-list':
        return this.#get('issues', {
          limit: 50,
          createdTo: new Date(this.supply.base - (n % 1_000) * 1_000_000).toISOString(),
        })
      case 'mix':
        return this.next(MIX[n % MIX.length] as Workload)
    }
  }

  /** Of whose turn it is. */
  get #next(): Record<string, string> {
    return this.#headers[this.#sent % this.#headers.length] as Record<string, string>
  }

  #ofPeer(peer: Peer, workload: Workload, n: number): string | undefined {
    const { issue, verify, known = Number.POSITIVE_INFINITY } = PEERS[peer]
    if (workload === 'issue') return issue(phone(n % known))
    const next = this.codes.pop()
    return next && verify(...next)
  }

  #issue(phoneNumber: string, idempotencyKey: string): string {
    return this.#post('issue', { phoneNumber, purpose: 'login', idempotencyKey })
  }

  #repeated(n: number): string {
    return this.#issue(phone(88_000_000 + (n % RETURNING)), `replay-${this.#first}-${n % RETURNING}`)
  }

  #verify(n: number, code: string): string {
    return this.#post('verify', { issueId: filledId(this.supply, n), code })
  }

  #post(name: string, input: object): string {
    return this.target.wire === 'rpc'
      ? httpRequest('POST', `/v1/rpc/otp/${name}`, this.#next, JSON.stringify({ json: input }))
      : httpRequest('POST', `/v1/${name}`, this.#next, JSON.stringify(input))
  }

  #get(name: 'status' | 'issues', query: Record<string, string | number>): string {
    if (this.target.wire === 'rpc') return this.#post(name === 'issues' ? 'listIssues' : name, query)
    const pairs = Object.entries(query).map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
    return httpRequest('GET', `/v1/${name}?${pairs.join('&')}`, this.#next)
  }
}
