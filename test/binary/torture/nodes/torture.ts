/**
 * Several servers over one PostgreSQL, while every second one of them, the database or the network between fails. Clients
 * issue, verify and replay by whichever server is there, carriers misbehave; at the end faults stop, and whatever was begun
 * must come to its one end.
 *
 * A seed decides what happens in which order, not when the machine lets it: a failure tells its seed and its events, but it
 * may take another run to meet it again.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { Clients } from '../../../../src/conformance/clients'
import type { PlanOfApp } from '../../../simulation/invariants'
import { CuttingProxy, type Loss } from '../../../support/cutting-proxy'
import { PgBouncer } from '../../../support/pgbouncer'
import { type SeededRandom, seededRandom } from '../../../support/random'
import { until } from '../../../support/until'
import { newFolder, programIn } from '../../support'
import { PROVIDER_TIMEOUT_MS, TortureCarrier } from '../carrier'
import { brokenPromises, findingsIn, leaks } from '../findings'
import { APPS, furnish, furnishPlans, postTo } from '../furnish'
import { Crowd, PER_PHONE } from './crowd'
import { type Blow, type Database, isForgetful, type Kind, startDatabase } from './database'
import { complaints, falselyInterrupted, type Span, type Stolen, stuck, takenBack, tooManyPerPhone } from './findings'
import { Place } from './place'
import { snapshot } from './snapshot'

export interface NodesOptions {
  events: number
  /** It goes on beyond these events until so much has happened; lost requests had no answer, or a 503. */
  atLeast?: { issues: number; verified: number; lostCommits: number; lostRequests: number; laterLegs: number }
  seed: number
  /** Whether to wait for the leases of those that were killed (30 s), or to end them in the database. */
  leases: 'wait' | 'end'
  database: Kind
  /** Whether a PgBouncer stands before the database. */
  hasPooler?: boolean
  tell?: (line: string) => void
}

export interface NodesTortured {
  events: Partial<Record<Event, number>>
  issues: number
  requests: number
  verified: number
  takeovers: number
  lostCommits: number
  stolenJobs: number
  laterLegs: number
  unanswered: number
  unavailable: number
  rounds: number
}

export class NodesFailure extends Error {
  override name = 'NodesFailure'
  constructor({ events, seed, database, hasPooler }: NodesOptions, found: readonly string[], story: readonly string[]) {
    const lines = [...found.slice(0, 10).map((line) => `- ${line}`), ...story]
    const flags = `${database === 'patroni' ? ' --patroni' : ''}${hasPooler ? ' --pooler' : ''}`
    const again = `bun run torture:nodes --events ${events} --seed ${seed}${flags}`
    super([`seed ${seed} (${again}): ${found.length} found`, ...lines].join('\n'))
  }
}

export async function tortureNodes(options: NodesOptions): Promise<NodesTortured> {
  const database = await startDatabase(options.database)
  const story = new Story(options, database)
  try {
    return await story.tellAll()
  } finally {
    await story.end()
  }
}

const EVENTS = [
  'a server is killed',
  'a server is drained',
  'some connections are ended by the database',
  'all connections are ended by the database',
  'a network is cut',
  'questions are held up',
  'answers are held up',
  'commits go unheard',
  'jobs are taken',
] as const
type Event = (typeof EVENTS)[number] | Blow

/** The database itself notes who claims what another one holds; the test does so on purpose. */
const WATCH_CLAIMS = `
  CREATE TABLE claimed_twice (job bigint);
  CREATE FUNCTION note_claim() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO claimed_twice VALUES (NEW.job_id); RETURN NULL; END $$;
  CREATE TRIGGER watch_claims AFTER UPDATE ON jobs FOR EACH ROW
    WHEN (OLD.leased AND NEW.leased AND NEW.attempt > OLD.attempt AND OLD.run_at > clock_ms() AND NEW.leased_by <> 'the test')
    EXECUTE FUNCTION note_claim()`

const SERVERS = 3
const CLIENTS = 8
const EVERY_MS = 1_000
const HELD_UP_MS = 3_000
const LOSING_MS = 1_500
/** Servers that have just lost their database commit nothing for a while. */
const LOST_AT_LEAST = 5
const LOST_WITHIN_MS = 15_000
const LOSSES: Loss[] = ['unsent', 'unheard', 'unanswered']
/** Longer than any call of a carrier takes. */
const STOLEN_MS = 4_000
const LOOKED_AT_AFTER_MS = 1_500
const CLIENT_PATIENCE_MS = 5_000
/** As long as a server asks what became of a commit. */
const FORGETFUL_MS = 12_000
const CHECKED_EVERY = 10
const DAY_MS = 24 * 60 * 60_000

/** The test locks in any order, and is the one that begins anew. */
const isDeadlock = (error: unknown) => error instanceof Error && (error as { errno?: string }).errno === '40P01'

class Story {
  readonly #random: SeededRandom
  readonly #folder = newFolder()
  readonly carrier: TortureCarrier
  readonly clients: Clients
  readonly #crowd: Crowd
  readonly #networks: CuttingProxy[] = []
  readonly #places: Place[] = []
  readonly #story: string[] = []
  readonly #counts: Partial<Record<Event, number>> = {}
  readonly #causes: Span[] = []
  readonly #stolen = new Set<string>()
  /** What has begun and is not over. */
  readonly #ongoing = new Set<Promise<void>>()
  readonly #begunAt = performance.now()
  readonly #startedAt = Date.now()
  #pooler: PgBouncer | undefined
  /** Who takes over does not know what became of a commit whose answer was lost: until then a 503 says nothing of it. */
  #forgetfulUntil = 0
  #keys: string[] = []
  plans: readonly PlanOfApp[] = []

  constructor(
    private readonly options: NodesOptions,
    private readonly database: Database,
  ) {
    this.#random = seededRandom(options.seed)
    this.carrier = new TortureCarrier(this.#random, () => this.#anyServer())
    const api = { post: (path: string, body: object, app: number) => this.#post(path, body, app) }
    this.clients = new Clients(this.#random, api, this.carrier, APPS)
    this.#crowd = new Crowd(this.#random, this.clients)
  }

  async tellAll(): Promise<NodesTortured> {
    await this.#begin()
    let coming: Event[] = []
    for (let count = 1; count <= this.options.events || !this.#hasSeenEnough(); count++) {
      if (coming.length === 0) coming = this.#shuffledEvents()
      const next = coming.pop() as Event
      await Promise.all([this.#happen(next), Bun.sleep(EVERY_MS)])
      this.#check(this.#places.flatMap(({ found }) => found))
      if (count % CHECKED_EVERY === 0) await this.#checkMeanwhile()
      if (count % 20 === 0) this.options.tell?.(`${count} events, ${this.clients.issues.length} issues: nothing found`)
    }
    await this.#becomeQuiet()
    await this.#passADay()
    this.#check(leaks(readFileSync(this.#log, 'utf8'), this.carrier))
    return this.#told()
  }

  async end(): Promise<void> {
    await Promise.all(this.#places.map((place) => place.close('kill')))
    for (const network of this.#networks) network.stop()
    await this.carrier.stop()
    await Promise.all([this.#pooler?.stop(), this.database.stop()])
    this.#folder.remove()
  }

  get #log(): string {
    return join(this.#folder.path, 'log')
  }

  async #begin(): Promise<void> {
    await this.carrier.start()
    const program = this.#programAt(this.database.port)
    const key = await furnish(program, this.carrier)
    const { keys, plans } = await furnishPlans(program, this.carrier, this.#random)
    this.#keys = [key, ...keys]
    this.plans = plans
    await this.#ask(WATCH_CLAIMS)
    if (this.options.hasPooler) this.#pooler = await PgBouncer.start(this.database.port)
    for (let n = 1; n <= SERVERS; n++) {
      const network = await CuttingProxy.start(this.#pooler?.port ?? this.database.port)
      this.#networks.push(network)
      this.#places.push(new Place(`server ${n}`, this.#programAt(network.port), this.#log))
    }
    await this.#open()
    this.clients.start(CLIENTS)
    this.#crowd.start()
  }

  #programAt(port: number) {
    return programIn(this.#folder.path, {
      WATCHWORD_DATABASE_URL: `postgres://postgres@127.0.0.1:${port}/postgres`,
      WATCHWORD_DATABASE_POOL: '8',
      WATCHWORD_SECRET: 'the secret of servers that are tortured',
      WATCHWORD_PROVIDER_TIMEOUT_MS: String(PROVIDER_TIMEOUT_MS),
      WATCHWORD_LIMIT_ISSUES_PER_PHONE_10_MIN: String(PER_PHONE),
      WATCHWORD_LIMIT_REQUESTS_PER_KEY_PER_MIN: '1000000',
      WATCHWORD_LIMIT_REFUSALS_PER_MIN: '1000000',
    })
  }

  #open(): Promise<unknown> {
    for (const place of this.#places) place.open()
    return Promise.all(this.#places.map((place) => place.listening()))
  }

  #anyServer(): string | undefined {
    const urls = this.#places.flatMap(({ url }) => (url === undefined ? [] : [url]))
    return urls.length === 0 ? undefined : this.#random.pick(urls)
  }

  async #post(path: string, body: object, app: number) {
    const url = this.#anyServer()
    if (url === undefined) throw new Error('There is no server')
    const answer = await postTo(url, this.#keys[app] ?? '', path, body, AbortSignal.timeout(CLIENT_PATIENCE_MS))
    if (answer.status === 503 && performance.now() < this.#forgetfulUntil) throw new Error('It may have been stored')
    return answer
  }

  /** Each once, in any order. */
  #shuffledEvents(): Event[] {
    return [...EVENTS, ...this.database.blows]
      .map((event) => ({ event, place: this.#random.fraction() }))
      .sort((a, b) => a.place - b.place)
      .map(({ event }) => event)
  }

  async #happen(event: Event): Promise<void> {
    const { below, pick } = this.#random
    const at = below(SERVERS)
    const [place, network] = [this.#places[at] as Place, this.#networks[at] as CuttingProxy]
    const note = (more: string) =>
      void this.#story.push(`${Math.round(performance.now() - this.#begunAt)} ms: ${event} (${more})`)
    const server = `server ${at + 1}`
    this.#counts[event] = (this.#counts[event] ?? 0) + 1
    switch (event) {
      case 'a server is killed':
        note(server)
        this.#causes.push({ from: Date.now(), to: Date.now() })
        return place.kill()
      case 'a server is drained':
        note(server)
        return this.#goOn(place.drain())
      case 'some connections are ended by the database':
      case 'all connections are ended by the database': {
        const share = event.startsWith('all') ? 1 : 0.3
        const ended = await this.#ask(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'watchword' AND random() < ${share}`,
        )
        return note(`${ended.length}`)
      }
      case 'a network is cut':
        note(server)
        return network.cut()
      case 'questions are held up':
      case 'answers are held up': {
        const [forMs, isCut] = [below(HELD_UP_MS), this.#random.chance(0.5)]
        note(`${server}, for ${forMs} ms${isCut ? ', then cut' : ''}`)
        network.stall(event === 'questions are held up' ? 'questions' : 'answers')
        return this.#goOn(
          Bun.sleep(forMs).then(() => {
            if (isCut) network.cut()
            network.flow()
          }),
        )
      }
      case 'commits go unheard':
        for (const each of this.#networks) each.loseCommits(() => (this.#random.chance(0.3) ? pick(LOSSES) : undefined))
        await this.#loseSome(this.#lostCommits + LOST_AT_LEAST)
        for (const each of this.#networks) each.loseCommits(() => undefined)
        return note(`${this.#lostCommits} so far`)
      case 'jobs are taken':
        return note(`${await this.#takeJobs()}`)
      default: {
        const forMs = below(1_500)
        note(event === 'the database crashes' ? `for ${forMs} ms` : '')
        return this.#befall(event, forMs)
      }
    }
  }

  async #loseSome(most: number): Promise<void> {
    const begunAt = performance.now()
    const isOver = () => {
      const passedMs = performance.now() - begunAt
      return passedMs > LOST_WITHIN_MS || (passedMs > LOSING_MS && this.#lostCommits >= most)
    }
    while (!isOver()) await Bun.sleep(100)
  }

  #goOn(event: Promise<void>): void {
    const going = event.finally(() => this.#ongoing.delete(going))
    this.#ongoing.add(going)
  }

  /** As a server that claims what others hold and then hangs: they hold it no more. */
  async #takeJobs(): Promise<number> {
    const stolen: Stolen[] = (
      await this.#ask(
        `UPDATE jobs SET run_at = clock_ms() + ${STOLEN_MS}, attempt = attempt + 1, leased_by = 'the test'
         WHERE leased AND kind = 'deliver'
         RETURNING job_id, attempt, subject_id, (SELECT leg FROM issues WHERE issue_id = subject_id)`,
      )
    ).map(([jobId, attempt, issueId, leg]) => ({
      ...{ jobId: Number(jobId), attempt: Number(attempt) },
      ...{ issueId: String(issueId).replaceAll('-', ''), leg: String(leg) },
    }))
    for (const { issueId } of stolen) this.#stolen.add(issueId)
    const until = performance.now() + STOLEN_MS
    await Bun.sleep(LOOKED_AT_AFTER_MS)
    // A machine that is slow has looked too late.
    await this.#look((file) => (performance.now() < until ? takenBack(file, stolen) : []))
    return stolen.length
  }

  async #befall(blow: Blow, forMs: number): Promise<void> {
    const begunAt = Date.now()
    if (isForgetful(blow)) this.#forgetfulUntil = Number.POSITIVE_INFINITY
    await this.database.befall(blow, forMs, (port) => {
      this.#pooler?.aim(port)
      for (const network of this.#networks) network.aim(this.#pooler?.port ?? port)
    })
    if (!isForgetful(blow)) return
    this.#forgetfulUntil = performance.now() + FORGETFUL_MS
    this.#causes.push({ from: begunAt, to: Date.now() + FORGETFUL_MS })
  }

  /** What must hold at any moment, of a copy of this one. */
  #checkMeanwhile(): Promise<void> {
    return this.#look((file, now) => [
      ...brokenPromises(file, this.carrier, this),
      ...tooManyPerPhone(file),
      ...stuck(file, now),
      ...this.carrier.found,
      ...this.clients.found,
      ...this.#crowd.found,
    ])
  }

  /** No more faults: clients end what they began, carriers take and report everything, leases end. */
  async #becomeQuiet(): Promise<void> {
    this.carrier.calm()
    await Promise.all(this.#ongoing)
    await Promise.all(this.#places.map((place) => place.listening()))
    await this.#crowd.finish()
    await this.clients.finish()
    await this.clients.replayAll()
    await this.#drainAll()
    if (this.options.leases === 'end')
      await this.#ask("UPDATE jobs SET run_at = 0 WHERE leased AND kind <> 'await-report'")
    await this.#open()
    await this.#until(
      "SELECT kind, run_at, leased FROM jobs WHERE kind <> 'await-report'",
      'everything to be sent and settled',
    )
    await this.#drainAll()
    await this.#checkAll()
  }

  /** What nobody reports is charged a day later; then nothing is left. */
  async #passADay(): Promise<void> {
    await this.#ask(`UPDATE issues SET expires_at = expires_at - ${DAY_MS}`)
    await this.#ask(`UPDATE attempts SET awaited_at = awaited_at - ${DAY_MS} WHERE awaited_at IS NOT NULL`)
    await this.#ask(`UPDATE jobs SET run_at = run_at - ${DAY_MS}`)
    const sent = this.carrier.requests.length
    await this.#open()
    await this.#until('SELECT kind, run_at, leased FROM jobs', 'every job to be done')
    await this.#until("SELECT issue_id FROM issues WHERE verification_status = 'issued'", 'every code to expire')
    await this.#drainAll()
    this.#check(this.carrier.requests.length === sent ? [] : ['something was sent a day later'])
    await this.#checkAll({ isOver: true })
  }

  async #drainAll(): Promise<void> {
    await Promise.all(this.#places.map((place) => place.close('drain')))
    this.#check(this.#places.flatMap(({ found }) => found))
  }

  async #checkAll({ isOver = false } = {}): Promise<void> {
    const [[twice] = []] = await this.#ask('SELECT count(*) FROM claimed_twice')
    this.#check(Number(twice) === 0 ? [] : [`${twice} jobs were claimed that another server held`])
    return this.#look((file) => [
      ...findingsIn(file, this, { isOver, elsewhere: this.#crowd.issued }),
      ...tooManyPerPhone(file),
      ...falselyInterrupted(file, { spans: this.#causes, stolen: this.#stolen, begunAt: this.#startedAt }),
      ...this.#crowd.found,
    ])
  }

  async #look(findings: (file: string, now: number) => string[]): Promise<void> {
    const { path, remove } = newFolder()
    try {
      const file = join(path, 'copy.db')
      const now = Date.now()
      await snapshot(this.database.url(), file)
      this.#check(findings(file, now))
    } finally {
      remove()
    }
  }

  /** Beside the servers, by a connection of its own. */
  async #ask(query: string): Promise<unknown[][]> {
    const sql = new SQL(this.database.url(), { max: 1 })
    try {
      return await sql.unsafe(query).values()
    } catch (error) {
      if (!isDeadlock(error)) throw error
    } finally {
      await sql.close()
    }
    return this.#ask(query)
  }

  /** Waits until no row is left, and no report. */
  async #until(rows: string, what: string): Promise<void> {
    const left = async () => (await this.#ask(`${rows} LIMIT 3`)).map((row) => JSON.stringify(row))
    try {
      await until(async () => this.carrier.reportsLeft === 0 && (await left()).length === 0, what)
    } catch (error) {
      throw this.#failure([`${error}: ${await left()}, ${this.carrier.reportsLeft} reports`])
    }
  }

  #check(found: readonly string[]): void {
    if (found.length > 0) throw this.#failure(found)
  }

  #failure(found: readonly string[]): NodesFailure {
    const complained = complaints(readFileSync(this.#log, 'utf8'), this.#startedAt)
    return new NodesFailure(this.options, found, [...this.#story.slice(-20), ...complained.slice(-40)])
  }

  get #lostCommits(): number {
    return this.#networks.reduce((sum, { lost }) => sum + lost, 0)
  }

  #hasSeenEnough(): boolean {
    const { atLeast } = this.options
    if (!atLeast) return true
    const { issues, unanswered, unavailable } = this.clients
    return (
      issues.length >= atLeast.issues &&
      issues.filter(({ isVerified }) => isVerified).length >= atLeast.verified &&
      this.#lostCommits >= atLeast.lostCommits &&
      unanswered + unavailable >= atLeast.lostRequests &&
      this.carrier.laterLegs >= atLeast.laterLegs
    )
  }

  #told(): NodesTortured {
    const { issues, unanswered, unavailable } = this.clients
    return {
      events: this.#counts,
      issues: issues.length,
      requests: this.carrier.requests.length,
      verified: issues.filter(({ isVerified }) => isVerified).length,
      takeovers: this.database.takeovers,
      lostCommits: this.#lostCommits,
      stolenJobs: this.#stolen.size,
      laterLegs: this.carrier.laterLegs,
      unanswered,
      unavailable,
      rounds: this.#crowd.rounds,
    }
  }
}
