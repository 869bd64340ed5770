/** Somebody guesses at one phone for a year, with a browser key and through a server, while its owner signs in every day. */
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/shared/value'
import * as administer from '../../src/usecases/administer'
import { World } from '../support/world'

const PHONE = '+821023456789'
const ORIGIN = 'https://app.example.com'
const MOST_ATTEMPTS = 10
const KINDS = ['sk', 'pk'] as const
type Kind = (typeof KINDS)[number]

export interface Guessing {
  days: number
  /** How many guesses in a month are the most that somebody makes who knows the rules; undefined: whatever they let through. */
  aMonth?: number | undefined
}

export interface Guessed {
  /** How many codes could be tried. */
  guesses: number
  /** How often the owner got in, with either kind of key. */
  signIns: number
}

export async function guess({ days, aMonth = Number.POSITIVE_INFINITY }: Guessing): Promise<Guessed> {
  const world = await World.start()
  try {
    const year = await new Year(world, aMonth).begin()
    for (let day = 0; day < days; day++) await year.pass(day)
    return { guesses: year.guesses, signIns: year.signIns }
  } finally {
    await world.stop()
  }
}

class Year {
  guesses = 0
  signIns = 0
  #asked = 0
  #keys: Readonly<Record<Kind, string>> = { sk: '', pk: '' }
  /** When each kind of key may be tried again; milliseconds of the clock that never steps. */
  readonly #waits: Record<Kind, number> = { sk: 0, pk: 0 }
  readonly #ofMonth: Record<Kind, number> = { sk: 0, pk: 0 }

  constructor(
    private readonly world: World,
    private readonly aMonth: number,
  ) {}

  async begin(): Promise<this> {
    const { world } = this
    const { appId, live } = await world.furnish()
    await administer.addCredit(world.admin, { appId, amount: 100_000 })
    this.#keys = { sk: live, pk: await world.key({ appId, kind: 'pk', mode: 'live', allowedOrigins: [ORIGIN] }) }
    return this
  }

  /** The owner comes once; whoever guesses comes whenever a rule lets them. */
  async pass(day: number): Promise<void> {
    const { clock } = this.world
    const ends = (day + 1) * DAY_MS
    await this.#signIn()
    if (day % 31 === 0) for (const kind of KINDS) this.#ofMonth[kind] = 0
    for (;;) {
      const due = KINDS.filter((kind) => this.#waits[kind] < ends && this.#ofMonth[kind] < this.aMonth)
      const next = Math.min(...due.map((kind) => this.#waits[kind]))
      if (due.length === 0) break
      await this.world.leap(Math.max(0, next - clock.elapsed()))
      for (const kind of due) if (this.#waits[kind] <= clock.elapsed()) await this.#guessWith(kind)
    }
    await this.world.leap(Math.max(0, ends - clock.elapsed()))
  }

  async #signIn(): Promise<void> {
    for (const kind of KINDS) {
      const issueId = await this.#issue(kind)
      if (issueId === undefined) continue
      await this.world.settle()
      const { verified } = await this.#verify(kind, issueId, this.world.sms.lastCode())
      if (verified) this.signIns++
    }
  }

  async #guessWith(kind: Kind): Promise<void> {
    const issueId = await this.#issue(kind)
    if (issueId === undefined) return
    // A browser key waits for half a minute before its next code; a server's is replaced at once.
    this.#waits[kind] = this.world.clock.elapsed() + 31 * SECOND_MS
    await this.world.settle()
    const code = this.world.sms.lastCode() === '111111' ? '222222' : '111111'
    for (let attempt = 0; attempt < MOST_ATTEMPTS && this.#ofMonth[kind] < this.aMonth; attempt++) {
      const { reasonCode } = await this.#verify(kind, issueId, code)
      if (reasonCode !== 'MISMATCH' && reasonCode !== 'MAX_ATTEMPTS') break
      this.guesses++
      this.#ofMonth[kind]++
      if (reasonCode === 'MAX_ATTEMPTS') break
    }
  }

  /** Its id, or nothing: then it is known when to ask again. */
  async #issue(kind: Kind): Promise<string | undefined> {
    const request = {
      ...{
        phoneNumber: PHONE,
        purpose: `by ${kind}`,
        idempotencyKey: `key-${this.#asked++}`,
        maxAttempts: MOST_ATTEMPTS,
      },
    }
    const { status, body } = await this.world.run(this.world.call('rest', 'issue', request, this.#by(kind)))
    if (status === 200) return body.issueId
    this.#waits[kind] = this.world.clock.elapsed() + (body.data?.retryAfterMs ?? MINUTE_MS)
    return undefined
  }

  async #verify(kind: Kind, issueId: string, code: string) {
    const { body } = await this.world.run(this.world.call('rest', 'verify', { issueId, code }, this.#by(kind)))
    return body
  }

  #by(kind: Kind) {
    return { key: this.#keys[kind], ...(kind === 'pk' && { headers: { origin: ORIGIN } }) }
  }
}
