/**
 * Who has codes sent that nobody types, and guesses at a phone, on whichever server answers. What the documentation says of
 * several servers is held against what comes of it: wrong codes count exactly; caps, and how many codes may be too young to be
 * judged, hold but for what servers have let in lately.
 */
import type { SQL } from 'bun'
import type { Cap } from '../../../src/abuse/rules/cap'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/domain/shared/value'
import type { SeededRandom } from '../../support/random'
import type { Ask } from './clients'
import type { SetClock } from './set-clock'

/** Of the app that has a cap. */
const CAPPED_AT = 8
export const CAP: Cap = { kind: 'sk', per: 'app', of: 'messages', every: 'hour', max: CAPPED_AT }

interface Rule {
  /** How many codes there may be of one app. */
  most: number
  withinMs: number
}

const CAPPED: Rule = { most: CAPPED_AT, withinMs: HOUR_MS }
/** Of a country where little is usual: until they are judged, and in the simulation nobody types them before. */
const YOUNG: Rule = { most: 46, withinMs: 110 * SECOND_MS }
const SIZES = { capped: [6, 12], known: [12, 36] } as const

/** A code that was stored at once is known everywhere by then: the longest that a server may hear nothing, and a look. */
const KNOWN_WITHIN_MS = 40 * SECOND_MS
const STORED_AT_ONCE_MS = 1_500
/** After a step of the clock. */
const FOLLOWED_WITHIN_MS = 10 * SECOND_MS
/** After ten wrong codes in a row. */
const PAUSES_FROM = 10
const PAUSE_MS = MINUTE_MS
const WRONG_AT_ONCE = 5

interface Request {
  /** Between two moments of the clock that never steps; nobody knows the second while it is under way. */
  from: number
  to: number
  isGranted: boolean
  /** How many tries before its answer may have counted. */
  unknown: number
}

interface AttackerDependencies {
  /** With a key of the app with a cap, of one whose traffic is known, and of one with a phone to guess at. */
  asks: Readonly<Record<'capped' | 'known' | 'guessed', Ask>>
  random: SeededRandom
  clock: SetClock
  note: (line: string) => void
  wait: (ms: number) => Promise<void>
}

export class Attacker {
  readonly #requests: Record<'capped' | 'known', Request[]> = { capped: [], known: [] }
  #made = 0
  /** Wrong codes at the phone that is guessed at, each try of one: of which somebody was told, and of which nobody knows. */
  readonly #wrong: Array<{ from: number; isTold: boolean }> = []

  constructor(private readonly deps: AttackerDependencies) {}

  /** As long as the story goes on, and longer. */
  async come(): Promise<string | undefined> {
    const { random, wait } = this.deps
    for (let wave = 0; wave < 6; wave++) {
      const found = await Promise.all([
        this.#burst('capped', CAPPED),
        this.#burst('known', YOUNG),
        ...['login', 'signup'].map((purpose) => this.#guess(purpose)),
      ])
      const reason = found.find((one) => one !== undefined)
      if (reason !== undefined) return reason
      await wait(random.pick([2_000, KNOWN_WITHIN_MS, KNOWN_WITHIN_MS]))
    }
    return undefined
  }

  /** Every wrong code of which somebody was told has counted, once. `appId`: whose phone is guessed at. */
  async miscounted(sql: SQL, appId: string): Promise<string | undefined> {
    const rows: Array<{ used: number; state: string | null }> = await sql.unsafe(
      `SELECT (SELECT coalesce(sum(attempts_used), 0)::integer FROM issues WHERE app_id = $1) AS used,
         (SELECT state FROM failures WHERE app_id = $1) AS state`,
      [appId],
    )
    const { used = 0, state } = rows[0] ?? {}
    const { inARow } = { inARow: 0, ...JSON.parse(state ?? 'null') }
    return inARow === used ? undefined : `${used} wrong codes of one phone count as ${inARow}`
  }

  async #burst(app: 'capped' | 'known', rule: Rule): Promise<string | undefined> {
    const size = this.deps.random.pick(SIZES[app])
    this.deps.note(`  an attack of ${size} codes`)
    const found = await Promise.all(Array.from({ length: size }, () => this.#askFor(app)))
    return found.find((reason) => reason !== undefined) ?? this.#tooMany(app, rule) ?? this.#tooFew(app, rule)
  }

  async #askFor(app: 'capped' | 'known'): Promise<string | undefined> {
    const { asks, clock } = this.deps
    const request = { from: clock.elapsed(), to: Number.POSITIVE_INFINITY, isGranted: true, unknown: 0 }
    this.#requests[app].push(request)
    const n = this.#made++
    const { status, body, unknown } = await asks[app]('issue', {
      ...{ phoneNumber: `010-${2_100 + n}-0000`, purpose: 'login', idempotencyKey: `attack-${n}`, expiresInSec: 600 },
    })
    Object.assign(request, { to: clock.elapsed(), isGranted: status === 200, unknown })
    const isExpected = status === 200 || (status === 429 && body.data.limit === 'abuse')
    return isExpected ? undefined : `a code of an attack is answered ${status} ${JSON.stringify(body)}`
  }

  /** One was granted though every server knew of as many as there may be. */
  #tooMany(app: 'capped' | 'known', { most, withinMs }: Rule): string | undefined {
    const { clock } = this.deps
    const granted = this.#requests[app].filter(({ isGranted, to }) => isGranted && to < Number.POSITIVE_INFINITY)
    for (const { from } of granted) {
      // Ids go on from before then, so others find what a server issues only when the clock is there again.
      if (clock.wasSet('back', 0, from)) continue
      const since = Math.max(from - withinMs, clock.lastSet() + FOLLOWED_WITHIN_MS)
      const known = granted.filter(
        (other) =>
          other.from >= since &&
          other.to <= from - KNOWN_WITHIN_MS &&
          other.unknown === 0 &&
          other.to - other.from <= STORED_AT_ONCE_MS,
      )
      if (known.length >= most) return `a code was granted beside ${known.length} of which every server knew (${app})`
    }
    return undefined
  }

  /** One was refused though there cannot have been as many. */
  #tooFew(app: 'capped' | 'known', { most, withinMs }: Rule): string | undefined {
    for (const { to } of this.#requests[app].filter(({ isGranted }) => !isGranted)) {
      const counted = this.#requests[app].filter((other) => other.from <= to)
      // Older codes have been judged, and nobody has typed them: that is another reason to refuse one.
      if (counted.some(({ isGranted, from }) => isGranted && from < to - withinMs)) continue
      // Whoever is on the way in counts, too, and so does each try without an answer, at the server that was asked.
      const all = counted.reduce(
        (sum, { isGranted, unknown, to: end }) => sum + unknown + Number(isGranted || end > to),
        0,
      )
      if (all < most) return `a code was refused beside ${all} (${app})`
    }
    return undefined
  }

  async #guess(purpose: string): Promise<string | undefined> {
    const { asks, clock, random, note } = this.deps
    const from = clock.elapsed()
    const before = this.#wrong.filter(({ isTold }) => isTold)
    const { status, body } = await asks.guessed('issue', {
      ...{
        phoneNumber: '010-4444-4444',
        purpose,
        idempotencyKey: `guess-${this.#made++}`,
        maxAttempts: WRONG_AT_ONCE,
      },
    })
    note(`  a phone that is guessed at → ${status} ${body.data?.limit ?? ''}`)
    if (status === 429 && body.data.limit === 'failures')
      return this.#wrong.length < PAUSES_FROM ? `a phone waits after ${this.#wrong.length} wrong codes` : undefined
    if (status === 429) return undefined
    if (status !== 200) return `a code to guess is answered ${status} ${JSON.stringify(body)}`
    const last = Math.max(...before.map((wrong) => wrong.from))
    const isPaused = before.length >= PAUSES_FROM && from < last + PAUSE_MS
    const isTimeKept = !clock.wasSet('forward', last) && !clock.wasSet('back', last)
    if (isPaused && isTimeKept) return `a phone has a code after ${before.length} wrong ones`
    const times = random.pick([2, WRONG_AT_ONCE])
    const found = await Promise.all(Array.from({ length: times }, () => this.#tryWrong(body.issueId)))
    return found.find((reason) => reason !== undefined)
  }

  async #tryWrong(issueId: string): Promise<string | undefined> {
    const { asks, clock, random } = this.deps
    const wrong = { from: clock.elapsed(), isTold: false }
    this.#wrong.push(wrong)
    const code = String(random.below(1_000_000)).padStart(6, '0')
    const { status, body } = await asks.guessed('verify', { issueId, code }, () => {
      this.#wrong.push({ from: wrong.from, isTold: false })
    })
    wrong.isTold = body.reasonCode === 'MISMATCH'
    return status === 200 ? undefined : `a guess is answered ${status} ${JSON.stringify(body)}`
  }
}
