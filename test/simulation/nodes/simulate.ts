/**
 * Deterministic simulation of several servers over one PostgreSQL. The database is a real one, driven one statement at a
 * time; who comes next, what is lost on the way, who is killed and whose clock is wrong is drawn from a seed. The same seed
 * tells the same story, so a failure is its seed.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EVENT_TYPES } from '../../../contract/event'
import { HOUR_MS } from '../../../src/domain/shared/value'
import * as administer from '../../../src/usecases/administer'
import { VirtualClock } from '../../support/clock'
import { Copy } from '../../support/copy'
import { VENDOR_URL } from '../../support/polled-vendor'
import type { Database } from '../../support/postgres'
import { type SeededRandom, seededRandom } from '../../support/random'
import { BACKUP_URL, type Furnished, KAKAO_URL, REPORT_SECRET, SMS_URL, START, WIRES } from '../../support/world'
import { Invariants } from '../invariants'
import { SimulationFailure } from '../simulate'
import { Attacker, CAP } from './attacker'
import { type Ask, Clients, type Said, type Stored } from './clients'
import { Crowd } from './crowd'
import { Engine } from './engine'
import { brokenBetweenNodes } from './invariants'
import type { LaidOut } from './laid-out'
import { Outside, type Sent } from './outside'
import type { Plant } from './plants'
import { Scheduler } from './scheduler'
import { Server } from './server'
import { SetClock } from './set-clock'

const STEPS = 45
/** Calls of clients at a time. */
const AT_ONCE = 6
const CHECKED_EVERY = 9
/** When it matters most. */
const MOMENTS = [/^COMMIT$/, /^WITH due AS MATERIALIZED/, /^delete from "jobs"/, /^insert into "attempts"/]
/** Whoever waits longer asks somebody else. */
const PATIENCE_MS = 25_000
/** Asked of servers that nothing keeps from answering. */
const MOST_IN_VAIN = 60
/** A revocation holds everywhere after so long. */
const REVOKED_WITHIN_MS = 2_000
const LEASE_MS = 30_000
/** Every so manieth story has an attacker. */
const ATTACKED_EVERY = 5
/** A carrier that has to be asked what became of a message. */
const POLLED = {
  type: 'solapi',
  config: {
    ...{ apiKey: 'key', apiSecret: 'secret', from: '0212345678' },
    ...{ apiBase: VENDOR_URL, reportSecret: REPORT_SECRET },
  },
}

/** `database`: laid out, and nobody else's. Answers what happened, in order. */
export async function simulate(seed: number, database: Database, plant: Plant = {}): Promise<string[]> {
  const story = new Story(seed, database, plant)
  try {
    await story.tell()
    return story.trace
  } finally {
    await story.end()
  }
}

/** What the first seed says that tells of a broken promise. */
export async function firstFailure(
  { database }: LaidOut,
  seeds: readonly number[],
  plant: Plant = {},
): Promise<unknown> {
  for (const seed of seeds) {
    try {
      await simulate(seed, database, plant)
    } catch (failure) {
      return failure
    }
  }
  return undefined
}

/** A key that may be revoked, with the moment from which on nobody may take it any more. */
interface Spare {
  keyId: string
  key: string
  refusedFrom: number
}

interface Attacked {
  appId: string
  key: string
}

/** Two weeks in which four of five codes were verified, four in each hour. */
const usualHours = (until: number) =>
  Array.from({ length: 14 * 24 }, (_, n) => ({
    hour: Math.floor(until / HOUR_MS - 26 - n) * HOUR_MS,
    ...{ sent: 5, credits: 5, verified: 4, unverified: 1 },
  }))

class Story {
  readonly trace: string[] = []
  readonly #random: SeededRandom
  readonly #clock = new VirtualClock(START)
  readonly #setClock = new SetClock(this.#clock)
  readonly #engine: Engine
  readonly #scheduler: Scheduler
  readonly #outside: Outside
  readonly #clients: Clients
  readonly #crowd: Crowd
  readonly #attacker: Attacker | undefined
  readonly #copy: Copy
  readonly #folder = mkdtempSync(join(tmpdir(), 'watchword-nodes-'))
  readonly #invariants: Invariants
  readonly #underWay = new Set<Promise<unknown>>()
  /** The first promise that was seen broken while something else went on. */
  #found: string | undefined
  /** Those that take requests. */
  #servers: Server[] = []
  readonly #everybody: Server[] = []
  #named = 0
  #keys!: Furnished
  /** Of the apps that are attacked. */
  #attacked!: Record<'capped' | 'known' | 'guessed', Attacked>
  readonly #spare: Spare[] = []
  #codes = new Map<string, string>()
  /** No server is killed or cut off, and no clock set forward, so no call of a carrier is left without its answer. */
  readonly #isCalm: boolean
  readonly #perPhone: number
  readonly #env: Record<string, string>
  #stopClock = () => {}

  constructor(
    readonly seed: number,
    database: Database,
    private readonly plant: Plant,
  ) {
    const random = seededRandom(seed)
    this.#random = random
    this.#isCalm = random.chance(0.3)
    this.#perPhone = random.pick([3, 1_000])
    // Of a thousand that there are.
    const price = random.pick(['1', '1', '120'])
    this.#env = {
      ...{ WATCHWORD_PRICE_SMS: price, WATCHWORD_PRICE_ALIMTALK: price },
      WATCHWORD_LIMIT_ISSUES_PER_PHONE_10_MIN: String(this.#perPhone),
      WATCHWORD_LIMIT_ISSUES_PER_PHONE_DAY: '1000',
    }
    const clock = this.#clock
    const note = (line: string) => void this.trace.push(`${clock.elapsed()} ${line}`)
    this.#engine = Engine.on(database)
    this.#scheduler = new Scheduler({ clock, random, note })
    this.#outside = new Outside({
      ...{ clock, random, report: (...what) => this.#report(...what) },
      callback: (...what) => this.#callback(...what),
    })
    this.#clients = new Clients({
      ...{ ask: this.#ask, random, clock: this.#setClock, note },
      codeOf: (issueId) => this.#codes.get(issueId),
    })
    this.#crowd = new Crowd({
      ...{ random, clock: this.#setClock, note },
      countedTwice: (since) =>
        this.#everybody
          .flatMap(({ link }) => link.countedTwice.filter(({ at }) => at >= since))
          .reduce((sum, { requests }) => sum + requests, 0),
      ask: (...what) => this.#askWith(this.#keys.test, ...what),
    })
    if (seed % ATTACKED_EVERY === 0)
      this.#attacker = new Attacker({
        ...{ random, clock: this.#setClock, note, wait: (ms: number) => this.#wait(ms) },
        asks: {
          capped: (...what) => this.#askWith(this.#attacked.capped.key, ...what),
          known: (...what) => this.#askWith(this.#attacked.known.key, ...what),
          guessed: (...what) => this.#askWith(this.#attacked.guessed.key, ...what),
        },
      })
    const file = join(this.#folder, 'copy.db')
    this.#copy = new Copy(this.#engine.beside, file)
    this.#invariants = new Invariants(file, Object.values(this.#outside.carriers))
  }

  async tell(): Promise<void> {
    this.#stopClock = await this.#engine.database.goBy(this.#clock)
    await this.#engine.empty()
    const first = await this.#scheduler.run(this.#startServer())
    await this.#scheduler.run(this.#furnish(first))
    if (this.#attacker) await this.#scheduler.run(this.#furnishAttacked(first))
    await this.#scheduler.run(this.#startServer())
    if (this.#attacker) this.#begin(this.#attacker.come())
    if (this.#random.chance(0.5)) await this.#scheduler.run(this.#startServer())
    for (let step = 1; step <= STEPS; step++) {
      await this.#step()
      if (step % CHECKED_EVERY === 0) await this.#check()
    }
    await this.#finish()
  }

  async end(): Promise<void> {
    for (const server of this.#everybody) server.kill()
    this.#stopClock()
    this.#invariants.close()
    this.#copy.close()
    await this.#engine.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  // ── what happens ───────────────────────────────────────────────────────────────────────────────

  async #step(): Promise<void> {
    const { chance, below } = this.#random
    if (this.#underWay.size >= AT_ONCE) await this.#scheduler.run(Promise.race(this.#underWay))
    if (chance(0.75)) await this.#act()
    if (chance(0.4)) this.#disturb()
    await this.#scheduler.go(below(40))
    if (chance(0.15)) await this.#scheduler.pass(below(2_000))
    if (!this.#isCalm && chance(0.05)) await this.#scheduler.leap(below(90_000))
    if (this.#found) throw this.#failure(this.#found)
  }

  async #act(): Promise<void> {
    const { chance } = this.#random
    if (chance(0.3)) return this.#begin(this.#clients.issue())
    if (chance(0.1)) return this.#begin(this.#clients.issueMany())
    if (chance(0.015)) return this.#begin(this.#crowd.come())
    if (chance(0.55)) {
      await this.#readPhones()
      return this.#begin(this.#clients.verify())
    }
    if (chance(0.3)) return this.#begin(this.#clients.replay())
    if (chance(0.2)) return this.#begin(this.#clients.status())
    if (chance(0.5)) return this.#begin(this.#revoke())
    const spare = this.#random.pick(this.#spare)
    if (spare) this.#begin(this.#useEverywhere(spare))
  }

  /** Goes on beside the others; what it finds broken ends the story. */
  #begin(work: Promise<string | undefined>): void {
    const noted = work.then(
      (found) => {
        this.#found ??= found
      },
      (error) => {
        this.#found ??= error instanceof Error ? `${error.stack}` : String(error)
      },
    )
    const underWay = noted.finally(() => this.#underWay.delete(underWay))
    this.#underWay.add(underWay)
  }

  #disturb(): void {
    const { pick } = this.#random
    const server = pick(this.#servers)
    if (server) pick(this.#isCalm ? this.#troubles : [...this.#troubles, ...this.#accidents])(server)
  }

  /** What a server lives through without having to give up what it does. */
  readonly #troubles: Array<(server: Server) => void> = [
    (server) => {
      const byMs = this.#random.pick([-600_000, -2_000, 5_000, 45_000, 3_600_000])
      this.#note(`${server.name} has its clock set by ${byMs} ms`)
      server.setClock(byMs)
    },
    (server) => this.#begin(this.#changeRoute(server)),
    ({ name, link }) => {
      this.#note(`${name} waits long for an answer`)
      link.stallOne(this.#random.below(8_000))
    },
    ({ name, link }) => {
      this.#note(`${name} loses a connection`)
      link.cutOne()
    },
    ...[MOMENTS, MOMENTS, [/^COMMIT$/]].map((moments) => ({ name, link }: Server) => {
      this.#note(`${name} is about to lose a connection`)
      link.strike = { words: this.#random.pick(moments), strike: (connection) => connection.cut() }
    }),
    () => this.#setTheClock([-2_000, -5_000, -60_000, -3_600_000, -86_400_000]),
    (server) => {
      this.#note(`${server.name} is stopped`)
      this.#replace(server, () => this.#begin(this.#orItDies(server, server.stop()).then(() => undefined)))
    },
  ]

  /** What nobody is prepared for, now or when it matters most. */
  readonly #accidents: Array<(server: Server) => void> = [
    (server: Server) => {
      this.#note(`${server.name} is killed`)
      this.#replace(server, () => server.kill())
    },
    ({ name, link }: Server) => {
      this.#note(`${name} is cut off`)
      link.isCut = true
      link.cutAll()
      this.#clock.after(this.#random.below(15_000), () => {
        link.isCut = false
      })
    },
    (server: Server) => {
      this.#note(`${server.name} hears nothing`)
      server.link.isStalled = true
      this.#clock.after(this.#random.below(this.#random.pick([3_000, 30_000])), () => {
        if (!server.isFrozen) server.link.isStalled = false
      })
    },
    (server: Server) => {
      this.#note(`${server.name} stands still`)
      server.freeze()
      this.#clock.after(this.#random.pick([2_000, 12_000, 35_000]), () => server.goOn())
    },
    // Leases end at once, also of who lives.
    () => this.#setTheClock([2_000, 5_000, 60_000, 3_600_000, 86_400_000]),
  ].flatMap((accident) => [accident, this.#later(accident)])

  /** The database's: an operator does, or another machine has taken over. */
  #setTheClock(by: readonly number[]): void {
    const byMs = this.#random.pick(by)
    this.#note(`the clock is set by ${byMs} ms`)
    this.#setClock.set(byMs)
  }

  #later(accident: (server: Server) => void): (server: Server) => void {
    return (server) => {
      const strike = () => {
        if (server.isAlive) accident(server)
      }
      server.link.strike = { words: this.#random.pick(MOMENTS), strike }
    }
  }

  #replace(server: Server, end: () => void): void {
    this.#servers = this.#servers.filter((other) => other !== server)
    end()
    this.#begin(this.#startServer().then(() => undefined))
  }

  async #changeRoute(server: Server): Promise<string | undefined> {
    const carriers = this.#random.pick([['main', 'backup'], ['backup', 'main'], ['backup']])
    const route = { channel: 'sms', country: undefined, appId: undefined, carriers } as const
    const outcome = await this.#orItDies(server, administer.setRoute(server.world.admin, route))
    this.#note(`the route is ${carriers} now, says ${server.name}: ${outcome.kind}`)
    return undefined
  }

  /** Everybody knows the key before, and nobody takes it any more a while after. */
  async #revoke(): Promise<string | undefined> {
    const server = this.#random.pick(this.#servers)
    const spare = this.#random.pick(this.#spare.filter(({ refusedFrom }) => refusedFrom === Number.POSITIVE_INFINITY))
    if (!server || !spare) return undefined
    const before = await this.#useEverywhere(spare)
    const outcome = await this.#orItDies(server, administer.revokeKey(server.world.admin, spare.keyId))
    this.#note(`${spare.keyId} is revoked by ${server.name}: ${outcome.kind}`)
    if (outcome.kind !== 'done') return before
    spare.refusedFrom = this.#clock.elapsed() + REVOKED_WITHIN_MS
    await this.#wait(REVOKED_WITHIN_MS + this.#random.below(1_000))
    return before ?? (await this.#useEverywhere(spare))
  }

  async #useEverywhere(spare: Spare): Promise<string | undefined> {
    const found = await Promise.all(this.#servers.map((server) => this.#useSpareKey(server, spare)))
    return found.find((reason) => reason !== undefined)
  }

  /** One try. */
  async #useSpareKey(server: Server, { key, refusedFrom }: Spare): Promise<string | undefined> {
    const askedAt = this.#clock.elapsed()
    const call = server.world.call('rest', 'listIssues', { limit: 1 }, { key })
    const answer = await this.#orItDies(server, call, PATIENCE_MS)
    if (answer.kind !== 'done') return undefined
    const { status, body } = answer.value
    if (askedAt >= refusedFrom && ![401, 503].includes(status))
      return `${server.name} takes a key ${askedAt - refusedFrom + REVOKED_WITHIN_MS} ms after it was revoked: ${status}`
    return [200, 401, 503].includes(status) ? undefined : `a spare key is answered ${status} ${JSON.stringify(body)}`
  }

  // ── what clients and carriers need ─────────────────────────────────────────────────────────────

  readonly #ask: Ask = (...asked) => this.#askWith(this.#keys.live, ...asked)

  async #askWith(key: string, ...[operation, input, onAgain]: Parameters<Ask>): Promise<Said> {
    let inVain = 0
    for (let unknown = 0; inVain < MOST_IN_VAIN; unknown++) {
      if (unknown > 0) onAgain?.()
      const server = this.#random.pick(this.#servers)
      if (server) {
        const call = server.world.call(this.#random.pick(WIRES), operation, input, { key })
        const outcome = await this.#orItDies(server, call, PATIENCE_MS)
        if (outcome.kind === 'failed') throw outcome.error
        if (outcome.kind === 'done' && outcome.value.status !== 503) return { ...outcome.value, unknown }
        if (server.isWell) inVain++
      }
      await this.#wait(this.#random.below(1_500))
    }
    throw new Error('the service stays unavailable')
  }

  async #orItDies<T>(
    server: Server,
    work: Promise<T>,
    withinMs?: number,
  ): Promise<{ kind: 'done'; value: T } | { kind: 'failed'; error: unknown } | { kind: 'died' | 'late' }> {
    const outcome = work.then(
      (value) => ({ kind: 'done' as const, value }),
      (error: unknown) => ({ kind: 'failed' as const, error }),
    )
    const ends = [outcome, server.death.then((kind) => ({ kind }))]
    if (withinMs === undefined) return Promise.race(ends)
    return Promise.race([...ends, this.#wait(withinMs).then(() => ({ kind: 'late' as const }))])
  }

  #wait(ms: number): Promise<void> {
    return new Promise((goOn) => void this.#clock.after(ms, goOn))
  }

  #report(carrier: string, messageId: string, status: string): void {
    const server = this.#random.pick(this.#servers)
    if (server) void server.world.report(carrier, { messageId, status })
  }

  #callback(carrier: string, body: unknown): void {
    const server = this.#random.pick(this.#servers)
    if (server) void server.world.callback(carrier, body)
  }

  /** Users know which message is of which issue: what they asked for last. */
  async #readPhones(): Promise<void> {
    const rows: Array<{ message: string; issue: string }> = await this.#engine.beside.unsafe(
      'SELECT message_id::text AS message, issue_id::text AS issue FROM attempts',
    )
    for (const { message, issue } of rows) {
      const code = this.#outside.codes.get(message)
      if (code) this.#codes.set(issue, code)
    }
  }

  // ── the stage ──────────────────────────────────────────────────────────────────────────────────

  async #startServer(): Promise<Server> {
    for (;;) {
      const server = new Server(
        `${String.fromCharCode(65 + (this.#named % 26))}${Math.floor(this.#named++ / 26) || ''}`,
        {
          ...{ seed: this.seed * 1_000 + this.#named, engine: this.#engine, clock: this.#clock, random: this.#random },
          ...{ outside: this.#outside, env: this.#env, plant: this.plant },
        },
      )
      this.#scheduler.links.push(server.link)
      this.#everybody.push(server)
      try {
        await server.start()
        this.#servers.push(server)
        this.#note(`${server.name} has started`)
        return server
      } catch (error) {
        // What keeps running servers starts another one.
        this.#note(`${server.name} does not start: ${error}`)
        server.kill()
      }
    }
  }

  async #furnish(server: Server): Promise<void> {
    const { world } = server
    this.#keys = await world.furnish()
    const { appId } = this.#keys
    const reports = this.#random.chance(0.7)
    const telling = (url: string) => ({ type: 'http', config: { url, reports, reportSecret: REPORT_SECRET } })
    for (const carrier of [
      { name: 'main', channels: ['sms' as const], ...(this.#outside.isPolled ? POLLED : telling(SMS_URL)) },
      { name: 'backup', channels: ['sms' as const], ...telling(BACKUP_URL) },
      { name: 'kakao', channels: ['alimtalk' as const], ...telling(KAKAO_URL) },
    ])
      await administer.setCarrier(world.admin, carrier)
    const route = { channel: 'sms', country: undefined, appId: undefined, carriers: ['main', 'backup'] } as const
    await administer.setRoute(world.admin, route)
    for (let spare = 0; spare < 3; spare++) {
      const { key, stored } = await administer.createKey(world.admin, { appId, kind: 'sk', mode: 'live' })
      this.#spare.push({ keyId: stored.keyId, key, refusedFrom: Number.POSITIVE_INFINITY })
    }
    if (!this.#random.chance(0.3)) return
    const url = 'https://own.example/hooks'
    await administer.addEndpoint(world.admin, { appId, mode: 'live', url, events: EVENT_TYPES })
  }

  /** One with a cap, one whose usual traffic is known, and one that a phone is guessed at of. */
  async #furnishAttacked({ world }: Server): Promise<void> {
    const make = async (): Promise<Attacked> => {
      const { appId } = await administer.createApp(world.admin, { name: 'attacked' })
      await administer.addCredit(world.admin, { appId, amount: 100_000 })
      return { appId, key: await world.key({ appId, kind: 'sk', mode: 'live' }) }
    }
    const [capped, known, guessed] = [await make(), await make(), await make()]
    await administer.protectApp(world.admin, capped.appId, { caps: [CAP] })
    const hours = usualHours(START).map((hour) => ({ ...hour, kind: 'sk' as const, country: 'KR' }))
    await world.store.transaction((tx) => tx.traffic.saveHours(known.appId, hours))
    this.#attacked = { capped, known, guessed }
  }

  /** Faults stop, time runs, and nothing may be left unfinished. */
  async #finish(): Promise<void> {
    this.#note('faults end')
    this.#outside.hasFaults = false
    for (const server of this.#everybody) {
      server.link.strike = undefined
      server.goOn()
      server.link.isCut = false
    }
    await this.#scheduler.run(Promise.all(this.#underWay))
    if (this.#found) throw this.#failure(this.#found)
    await this.#passQuickly(LEASE_MS + 8_000)
    await this.#check(true)
    // Reports that never come are given up after a day.
    for (const ms of [700_000, 25 * 3_600_000]) {
      await this.#scheduler.leap(ms)
      await this.#passQuickly(14_000)
    }
    await this.#check(true)
    this.#assert(this.#invariants.unfinished())
    // Whoever has a clock that is set forward gives up early.
    if (this.#outside.isPolled && !this.#setClock.wasSet('forward')) await this.#checkFates(true)
    for (const { world } of this.#servers)
      this.#assert(world.violations.size > 0 ? `locks are taken in one order: ${[...world.violations]}` : undefined)
  }

  /** Every server looks now and then. */
  async #passQuickly(ms: number): Promise<void> {
    const until = this.#clock.elapsed() + ms
    while (this.#clock.elapsed() < until) {
      await this.#scheduler.leap(4_000)
      await this.#scheduler.pass(1_100)
    }
  }

  async #check(isOver = false): Promise<void> {
    await this.#copy.take()
    this.#assert(this.#invariants.broken())
    const { beside } = this.#engine
    const stored: Stored[] = await beside.unsafe(
      'SELECT issue_id::text AS "issueId", verification_status AS status, attempts_used AS used FROM issues',
    )
    this.#assert(this.#clients.forgotten(stored, isOver))
    if (this.#outside.isPolled) await this.#checkFates()
    this.#assert(await this.#attacker?.miscounted(beside, this.#attacked.guessed.appId))
    this.#assert(
      await brokenBetweenNodes(beside, {
        ...{ perPhone: this.#perPhone, isCalm: this.#isCalm, isOver, now: this.#clock.now() },
        setBackMs: this.#setClock.setBackMs(),
      }),
    )
  }

  async #checkFates(isTold = false): Promise<void> {
    const sent: Sent[] = await this.#engine.beside.unsafe(
      `SELECT attempts.message_id::text AS "messageId", coalesce(outcome = 'accepted', false) AS "isAccepted",
         delivery_status AS status FROM attempts JOIN issues USING (issue_id, leg)
       WHERE provider = 'main' AND coalesce(outcome <> 'refused', true)`,
    )
    this.#assert(this.#outside.contradicted(sent, isTold))
  }

  #note(line: string): void {
    this.trace.push(`${this.#clock.elapsed()} ── ${line}`)
  }

  #assert(reason: string | undefined): void {
    if (reason !== undefined) throw this.#failure(reason)
  }

  #failure(reason: string): SimulationFailure {
    return new SimulationFailure(this.seed, reason, this.trace)
  }
}
