/**
 * The real binary under SIGKILL. Clients issue, verify and replay; carriers misbehave; the server is killed at random
 * moments, also while it starts, and started again on the same folder. Each time what it left behind is held against
 * what carriers and clients saw. At the end faults stop, and whatever was begun must come to its one end.
 *
 * A seed decides what clients, carriers and the killer do, not when the machine lets them: a failure tells its seed,
 * but it may take another run to meet it again.
 */
import { Database } from 'bun:sqlite'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Clients } from '../../../src/conformance/clients'
import type { PlanOfApp } from '../../simulation/invariants'
import { type SeededRandom, seededRandom } from '../../support/random'
import { until } from '../../support/until'
import { alone } from '../compiled'
import type { Program } from '../support'
import { PROVIDER_TIMEOUT_MS, TortureCarrier } from './carrier'
import { findings, leaks, strayFiles, wronglyReserved } from './findings'
import { APPS, furnish, furnishPlans, postTo } from './furnish'
import { Victim } from './victim'

export interface TortureOptions {
  binary: string
  kills: number
  /** It goes on beyond these kills until so much has happened. */
  atLeast?: Progress
  seed: number
  /** Whether to wait for the leases of interrupted calls (30 s), or to end them in the database. */
  leases: 'wait' | 'end'
  tell?: (line: string) => void
}

export type Progress = Pick<Tortured, 'issues' | 'interrupted' | 'verified' | 'unanswered' | 'laterLegs'>

export interface Tortured {
  kills: Record<Moment, number>
  issues: number
  requests: number
  verified: number
  interrupted: number
  unanswered: number
  /** Legs beyond the first of their issue. */
  laterLegs: number
  unavailable: number
  /** Messages of unknown fate, charged after a day. */
  neverReported: number
}

export class TortureFailure extends Error {
  override name = 'TortureFailure'
  constructor(seed: number, kills: number, found: readonly string[], story: readonly string[]) {
    super(
      [
        `seed ${seed} (bun run torture --kills ${kills} --seed ${seed}): ${found.length} found`,
        ...found.slice(0, 10).map((line) => `- ${line}`),
        ...story.slice(-10),
      ].join('\n'),
    )
  }
}

export async function torture(options: TortureOptions): Promise<Tortured> {
  const story = new Story(options)
  try {
    return await story.tellAll()
  } finally {
    await story.end()
  }
}

/** When a server is killed. */
const MOMENTS = ['starting', 'just started', 'working', 'sending', 'answering'] as const
type Moment = (typeof MOMENTS)[number]

const CLIENTS = 8
const NOTHING: Progress = { issues: 0, interrupted: 0, verified: 0, unanswered: 0, laterLegs: 0 }
const DAY_MS = 24 * 60 * 60_000
/** A leg waits its time, whatever the test does to what a dead server held. */
const ENDED_LEASES = "UPDATE jobs SET run_at = 0 WHERE kind <> 'await-report' AND (leased OR kind <> 'next-leg')"

class Story {
  readonly #random: SeededRandom
  readonly #program: Program
  readonly #remove: () => void
  readonly carrier: TortureCarrier
  readonly clients: Clients
  readonly #log: string
  readonly #story: string[] = []
  readonly #kills: Record<Moment, number> = { starting: 0, 'just started': 0, working: 0, sending: 0, answering: 0 }
  #victim: Victim | undefined
  #keys: string[] = []
  plans: readonly PlanOfApp[] = []

  constructor(private readonly options: TortureOptions) {
    this.#random = seededRandom(options.seed)
    const { program, remove } = alone(options.binary, {
      WATCHWORD_PROVIDER_TIMEOUT_MS: String(PROVIDER_TIMEOUT_MS),
      // So that many a kill comes while the log is copied.
      WATCHWORD_CHECKPOINT_PAGES: '100',
      WATCHWORD_LIMIT_ISSUES_PER_PHONE_10_MIN: '1000',
      WATCHWORD_LIMIT_ISSUES_PER_PHONE_DAY: '1000',
      WATCHWORD_LIMIT_REQUESTS_PER_KEY_PER_MIN: '1000000',
    })
    this.#program = program
    this.#remove = remove
    this.#log = join(program.cwd, 'log')
    this.carrier = new TortureCarrier(this.#random, () => this.#victim?.url)
    const api = { post: (path: string, body: object, app: number) => this.#post(path, body, app) }
    this.clients = new Clients(this.#random, api, this.carrier, APPS)
  }

  async tellAll(): Promise<Tortured> {
    await this.carrier.start()
    await this.#furnish()
    this.clients.start(CLIENTS)
    for (let kill = 1; kill <= this.options.kills || !this.#hasSeenEnough(); kill++) {
      await this.#liveAndDie(this.#random.pick(MOMENTS))
      this.#check(findings(this.#dataFolder, this))
      if (kill % 20 === 0) this.options.tell?.(`${kill} kills, ${this.clients.issues.length} issues: nothing found`)
    }
    await this.#becomeQuiet()
    const neverReported = await this.#passADay()
    this.#check(leaks(readFileSync(this.#log, 'utf8'), this.carrier))
    return this.#told(neverReported)
  }

  async end(): Promise<void> {
    if (this.#victim?.isAlive) await this.#victim.stop('SIGKILL')
    await this.carrier.stop()
    this.#remove()
  }

  get #dataFolder(): string {
    return join(this.#program.cwd, 'watchword-data')
  }

  async #furnish(): Promise<void> {
    const key = await furnish(this.#program, this.carrier)
    const { keys, plans } = await furnishPlans(this.#program, this.carrier, this.#random)
    this.#keys = [key, ...keys]
    this.plans = plans
  }

  async #post(path: string, body: object, app: number) {
    const url = this.#victim?.url
    if (url === undefined) throw new Error('There is no server')
    return postTo(url, this.#keys[app] ?? '', path, body)
  }

  #start(): Victim {
    this.#victim = Victim.spawn(this.#program, this.#log)
    return this.#victim
  }

  async #liveAndDie(moment: Moment): Promise<void> {
    const victim = this.#start()
    try {
      await this.#wait(moment, victim)
      if (!victim.isAlive) throw new Error('the server ended by itself')
    } catch (error) {
      throw this.#failure([`${error instanceof Error ? error.message : error}: ${this.#lastOfLog()}`])
    }
    await victim.stop('SIGKILL')
    this.#kills[moment]++
    this.#story.push(`killed while ${moment}, after ${Math.round(performance.now() - victim.startedAt)} ms`)
  }

  async #wait(moment: Moment, victim: Victim): Promise<void> {
    const { below } = this.#random
    if (moment === 'starting') return Bun.sleep(below(100))
    await victim.listening()
    if (moment === 'just started') return Bun.sleep(below(60))
    await Bun.sleep(below(moment === 'working' ? 1_400 : 700))
    if (moment === 'working') return
    // Right after something has begun; if nothing begins, this is as good a moment as any.
    const begins = moment === 'sending' ? this.carrier.nextRequest() : this.clients.nextCall()
    await Promise.race([begins, Bun.sleep(500)])
    await Bun.sleep(below(6))
  }

  /** No more faults: clients end what they began, carriers take and report everything, leases end. */
  async #becomeQuiet(): Promise<void> {
    this.carrier.calm()
    if (this.options.leases === 'end') this.#change(ENDED_LEASES)
    await this.#start().listening()
    await this.clients.finish()
    await this.#until("SELECT 1 FROM jobs WHERE kind <> 'await-report'", 'everything to be sent and settled')
    await this.#kill()
  }

  /** What nobody reports is charged a day later; then nothing is left. */
  async #passADay(): Promise<number> {
    const db = new Database(join(this.#dataFolder, 'watchword.db'))
    const { expected, found } = wronglyReserved(db, this.carrier)
    db.close()
    this.#check(found)
    this.#change(`UPDATE issues SET expires_at = expires_at - ${DAY_MS}`)
    this.#change(`UPDATE attempts SET awaited_at = awaited_at - ${DAY_MS} WHERE awaited_at IS NOT NULL`)
    this.#change(`UPDATE jobs SET run_at = run_at - ${DAY_MS}`)
    const sent = this.carrier.requests.length
    await this.#start().listening()
    await this.#until('SELECT 1 FROM jobs', 'every job to be done')
    await this.#until("SELECT 1 FROM issues WHERE verification_status = 'issued'", 'every code to expire')
    const exitCode = await this.#victim?.stop('SIGTERM')
    this.#check(exitCode === 0 ? [] : [`SIGTERM ended the server with ${exitCode}`])
    this.#check(this.carrier.requests.length === sent ? [] : ['something was sent a day later'])
    this.#check(findings(this.#dataFolder, this, { isOver: true }))
    this.#check(strayFiles(this.#dataFolder).map((name) => `${name} was left behind`))
    return expected
  }

  async #kill(): Promise<void> {
    await this.#victim?.stop('SIGKILL')
    this.#check(findings(this.#dataFolder, this))
  }

  /** Beside no server: only a dead one's folder is changed. */
  #change(sql: string): void {
    const db = new Database(join(this.#dataFolder, 'watchword.db'))
    db.run(sql)
    db.close()
  }

  /** Waits until no row is left, and no report. */
  async #until(rows: string, what: string): Promise<void> {
    const db = new Database(join(this.#dataFolder, 'watchword.db'), { readonly: true })
    const isDone = () => this.carrier.reportsLeft === 0 && db.query(rows).get() === null
    try {
      await until(isDone, what)
    } catch (error) {
      const left = JSON.stringify(db.query(rows.replace('SELECT 1', 'SELECT *')).all().slice(0, 3))
      throw this.#failure([`${error}: ${left}, ${this.carrier.reportsLeft} reports`])
    } finally {
      db.close()
    }
  }

  #check(found: readonly string[]): void {
    if (found.length > 0) throw this.#failure(found)
  }

  #failure(found: readonly string[]): TortureFailure {
    return new TortureFailure(this.options.seed, this.options.kills, found, this.#story)
  }

  #lastOfLog(): string {
    return readFileSync(this.#log, 'utf8').trim().split('\n').slice(-3).join(' ')
  }

  #hasSeenEnough(): boolean {
    const { issues, interrupted, verified, unanswered, laterLegs } = this.options.atLeast ?? NOTHING
    const seen = this.#progress()
    return (
      seen.issues >= issues &&
      seen.interrupted >= interrupted &&
      seen.verified >= verified &&
      seen.unanswered >= unanswered &&
      seen.laterLegs >= laterLegs
    )
  }

  #progress(): Progress {
    using db = new Database(join(this.#dataFolder, 'watchword.db'), { readonly: true })
    const { interrupted } = db
      .query("SELECT count(*) AS interrupted FROM attempts WHERE code = 'INTERRUPTED'")
      .get() as { interrupted: number }
    const { issues, unanswered } = this.clients
    return {
      issues: issues.length,
      interrupted,
      verified: issues.filter(({ isVerified }) => isVerified).length,
      unanswered,
      laterLegs: this.carrier.laterLegs,
    }
  }

  #told(neverReported: number): Tortured {
    return {
      ...this.#progress(),
      kills: this.#kills,
      requests: this.carrier.requests.length,
      unavailable: this.clients.unavailable,
      neverReported,
    }
  }
}
