/**
 * A deploy under load: one server after the other is told to stop, and another build starts in its place when it has ended.
 * Clients issue, verify and replay all the while and retry as the typed client does, carriers take their time. Nothing is killed: so
 * no request fails for good, no call is broken off, and what was queued is sent soon, whoever does it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Clients } from '../../../src/conformance/clients'
import { type SeededRandom, seededRandom } from '../../support/random'
import { until } from '../../support/until'
import { fromSource, newFolder } from '../support'
import { type Plan, TortureCarrier } from '../torture/carrier'
import { findingsIn, leaks } from '../torture/findings'
import { furnish } from '../torture/furnish'
import { complaints, falselyInterrupted } from '../torture/nodes/findings'
import { Place } from '../torture/nodes/place'
import type { Build } from './build'
import { late } from './findings'
import { Front, isReady } from './front'
import { Pulse } from './pulse'
import type { Storage } from './storage'

export interface Step {
  build: Build
  /** How many servers are replaced; all, when omitted. */
  servers?: number
}

export interface DeployOptions {
  storage: Storage
  /** What is at work, and what comes in its place. */
  first: Build
  steps: readonly Step[]
  seed: number
  /** How many codes are issued, and as many other requests made, before the next server is replaced. */
  issuesEach: number
  tell?: (line: string) => void
}

export interface Deployed {
  replaced: number
  issues: number
  beats: number
  verified: number
  requests: number
  waited: number
  refused: number
  unavailable: number
  lost: number
  /** Of servers that were at work at the same time. */
  together: string[]
}

export class DeployFailure extends Error {
  override name = 'DeployFailure'
  constructor(seed: number, found: readonly string[], story: readonly string[]) {
    super(
      [`seed ${seed}: ${found.length} found`, ...found.slice(0, 10).map((line) => `- ${line}`), ...story].join('\n'),
    )
  }
}

export async function deploy(options: DeployOptions): Promise<Deployed> {
  const story = new Story(options)
  try {
    return await story.tellAll()
  } finally {
    await story.end()
  }
}

const CLIENTS = 12
/** None for which a carrier is given a rest: nothing else than the deploy keeps messages waiting. */
const PLANS: readonly Plan[] = [...Array<Plan>(8).fill('accept'), 'slow', 'slow', 'busy', 'refuse']

class Story {
  readonly #random: SeededRandom
  readonly #folder = newFolder()
  readonly #places: Place[] = []
  readonly #front: Front
  readonly carrier: TortureCarrier
  readonly clients: Clients
  readonly #pulse: Pulse
  readonly #story: string[] = []
  readonly #together = new Set<string>()
  readonly #begunAt = Date.now()
  /** What was deployed last as a whole. */
  #before: Build
  #replaced = 0
  #key = ''

  constructor(private readonly options: DeployOptions) {
    this.#random = seededRandom(options.seed)
    this.#before = options.first
    this.#front = new Front(
      () => this.#places.flatMap(({ url }) => url ?? []),
      () => this.#key,
      () => this.#before.isAbrupt ?? false,
    )
    this.carrier = new TortureCarrier(this.#random, () => this.#front.next(), PLANS)
    this.clients = new Clients(this.#random, this.#front, this.carrier)
    this.#pulse = new Pulse(this.#random, this.#front)
  }

  async tellAll(): Promise<Deployed> {
    await this.#begin()
    for (const { build, servers = this.#places.length } of this.options.steps) {
      for (let at = 0; at < servers; at++) {
        await this.#work()
        await this.#replace(at, build)
      }
      this.#before = build
    }
    await this.#work()
    await this.#becomeQuiet()
    await this.#check()
    return this.#told()
  }

  async #work(): Promise<void> {
    const { issuesEach } = this.options
    const [issues, beats] = [this.clients.issues.length + issuesEach, this.#pulse.beats + issuesEach]
    await until(() => this.clients.issues.length >= issues && this.#pulse.beats >= beats, 'codes to be issued')
  }

  async end(): Promise<void> {
    await Promise.all(this.#places.map((place) => place.close('kill')))
    // Those of a story that failed ask on.
    this.clients.giveUp()
    await Promise.all([this.carrier.stop(), this.#front.stop(), this.#pulse.finish()])
    this.#folder.remove()
  }

  async #begin(): Promise<void> {
    const { first, storage } = this.options
    await this.carrier.start()
    this.#key = await furnish(this.#programOf(first), this.carrier)
    for (let at = 0; at < storage.servers; at++) this.#places.push(this.#place(at, first))
    await Promise.all(this.#places.map((place) => place.listening()))
    this.clients.start(CLIENTS)
    this.#pulse.start()
    this.#note(`${first.version} is at work`)
  }

  #place(at: number, build: Build): Place {
    const place = new Place(`server ${at + 1} (${build.version})`, this.#programOf(build), this.#log)
    place.open()
    return place
  }

  #programOf({ tree }: Build) {
    return fromSource(
      this.#folder.path,
      {
        ...this.options.storage.env,
        WATCHWORD_LIMIT_REQUESTS_PER_KEY_PER_MIN: '1000000',
        WATCHWORD_LIMIT_REFUSALS_PER_MIN: '1000000',
      },
      tree,
    )
  }

  get #log(): string {
    return join(this.#folder.path, 'log')
  }

  /** As docs/several-servers.md says it. */
  async #replace(at: number, build: Build): Promise<void> {
    const before = this.#places[at] as Place
    const { waited } = this.#front
    const begunAt = performance.now()
    await before.close('drain')
    const drainedAt = performance.now()
    // A deploy that nobody waits for proves nothing.
    if (this.options.storage.servers === 1) await until(() => this.#front.waited > waited, 'a request to wait')
    const after = this.#place(at, build)
    this.#places[at] = after
    await after.listening()
    await until(() => after.url !== undefined && isReady(after.url), `${build.version} to be ready`)
    this.#replaced++
    this.#note(
      `server ${at + 1} drained within ${Math.round(drainedAt - begunAt)} ms, ${build.version} there within ${Math.round(performance.now() - drainedAt)} ms`,
    )
    this.#fail([...before.found, ...this.#failed])
    if (this.options.storage.servers > 1) await this.#lookWhoIsThere()
  }

  /** Requests that no retry has cured. */
  get #failed(): string[] {
    return [...this.#front.found, ...this.#pulse.found]
  }

  async #lookWhoIsThere(): Promise<void> {
    const versions = (await this.options.storage.rows('SELECT DISTINCT version FROM nodes ORDER BY version')).flat()
    this.#together.add(versions.join(' and '))
  }

  /** Clients end what they began, carriers take and report everything. */
  async #becomeQuiet(): Promise<void> {
    this.carrier.calm()
    await this.#pulse.finish()
    await this.clients.finish()
    await this.clients.replayAll()
    const left = () =>
      this.options.storage.rows("SELECT kind, run_at, leased FROM jobs WHERE kind <> 'await-report' LIMIT 3")
    try {
      await until(
        async () => this.carrier.reportsLeft === 0 && (await left()).length === 0,
        'everything to be sent and settled',
      )
    } catch (error) {
      this.#fail([`${error}: ${JSON.stringify(await left())}, ${this.carrier.reportsLeft} reports`])
    }
    await Promise.all(this.#places.map((place) => place.close('drain')))
  }

  async #check(): Promise<void> {
    const file = join(this.#folder.path, 'copy.db')
    await this.options.storage.copy(file)
    this.#fail([
      ...this.#places.flatMap(({ found }) => found),
      ...this.#failed,
      ...findingsIn(file, this),
      ...falselyInterrupted(file, { spans: [], stolen: new Set(), begunAt: this.#begunAt }),
      ...late(file),
      ...leaks(readFileSync(this.#log, 'utf8'), this.carrier),
    ])
  }

  #fail(found: readonly string[]): void {
    if (found.length === 0) return
    const complained = complaints(readFileSync(this.#log, 'utf8'), this.#begunAt)
    throw new DeployFailure(this.options.seed, found, [...this.#story, ...complained.slice(-20)])
  }

  #note(line: string): void {
    const told = `${Date.now() - this.#begunAt} ms: ${line}, ${this.clients.issues.length} issues`
    this.#story.push(told)
    this.options.tell?.(told)
  }

  #told(): Deployed {
    const { issues } = this.clients
    return {
      replaced: this.#replaced,
      issues: issues.length,
      beats: this.#pulse.beats,
      verified: issues.filter(({ isVerified }) => isVerified).length,
      requests: this.carrier.requests.length,
      waited: this.#front.waited,
      refused: this.#front.refused,
      unavailable: this.#front.unavailable,
      lost: this.#front.lost,
      together: [...this.#together],
    }
  }
}
