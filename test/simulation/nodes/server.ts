/** One of several servers: the real app over its own way to the database, with a clock of its own, which may be killed. */
import type { Clock } from '../../../src/ports/clock'
import type { Transport } from '../../../src/ports/network'
import { openStore } from '../../../src/store/postgres/open'
import { type ClockSighting, databaseClock } from '../../../src/system/clock'
import type { VirtualClock } from '../../support/clock'
import type { OpenedStore, Opening, Place } from '../../support/place'
import type { SeededRandom } from '../../support/random'
import { START, World } from '../../support/world'
import type { Engine, Question } from './engine'
import { Link } from './network'
import type { Outside } from './outside'
import type { Plant } from './plants'

/** Connections for transactions; reads have half as many. */
const CONNECTIONS = 3

interface Surroundings {
  seed: number
  engine: Engine
  /** Time, and the database's clock. */
  clock: VirtualClock
  random: SeededRandom
  outside: Outside
  env: Record<string, string>
  plant: Plant
}

export class Server implements Place {
  readonly link: Link
  #world: World | undefined
  #isAlive = true
  readonly #death = Promise.withResolvers<'died'>()
  /** What its timers would have done while it stood still. */
  #held: Array<() => void> | undefined
  /** By how much its own clock is wrong. */
  #wrongByMs: number
  /** Its clock that never steps began some time ago. */
  readonly #upSinceMs: number

  constructor(
    readonly name: string,
    private readonly around: Surroundings,
  ) {
    const { random, engine, clock, plant } = around
    this.#wrongByMs = random.pick([0, -90_000, -3_000, 4_000, 75_000, 400_000])
    this.#upSinceMs = random.below(1_000_000)
    const twist = (question: Omit<Question, 'isOfValues'>) =>
      plant.twist?.(question, { now: this.#own.now }) ?? question
    this.link = new Link(name, { engine, random, elapsed: clock.elapsed, twist })
  }

  get world(): World {
    if (!this.#world) throw new Error(`${this.name} has not started`)
    return this.#world
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  get isFrozen(): boolean {
    return this.#held !== undefined
  }

  /** Nothing keeps it from its database. */
  get isWell(): boolean {
    return this.#isAlive && !this.link.isStalled && !this.link.isCut
  }

  /** Settles when it dies: who waits for it then waits no more. */
  get death(): Promise<'died'> {
    return this.#death.promise
  }

  async start(): Promise<void> {
    const { seed, clock, outside, env, plant } = this.around
    const { carriers, receivers: hooks } = outside
    const mortal = (transport: Transport): Transport => ({
      request: (request) => (this.#isAlive ? transport.request(request) : new Promise(() => {})),
    })
    const lead = databaseClock(this.#own)
    this.#see = lead.see
    this.#world = await World.open({
      ...{ seed, clock, processClock: lead.clock, carriers, env, place: this, hooks },
      wrapStore: (store) => plant.store?.(store) ?? store,
      wrapTransport: (transport) => {
        const reached = outside.over(transport)
        return mortal(plant.transport?.(reached) ?? reached)
      },
    })
    await this.#world.app.start()
    this.#world.app.warmUp()
  }

  /** From one moment to the next. */
  kill(): void {
    this.#isAlive = false
    this.#held = undefined
    this.link.die()
    this.#death.resolve('died')
  }

  /** SIGTERM. */
  async stop(): Promise<void> {
    await this.world.app.stop()
    this.kill()
  }

  /** It does nothing, and does not notice: a machine that is moved, or swaps. */
  freeze(): void {
    this.#held ??= []
    this.link.isStalled = true
  }

  goOn(): void {
    const held = this.#held ?? []
    this.#held = undefined
    this.link.isStalled = false
    if (this.#isAlive) for (const callback of held) callback()
  }

  /** Somebody sets its clock. */
  setClock(byMs: number): void {
    this.#wrongByMs += byMs
  }

  // ── as a place: the database that all share ────────────────────────────────────────────────────

  async open({ vault }: Opening): Promise<OpenedStore> {
    const time = (sighting: ClockSighting) => {
      this.#see(sighting)
      return sighting.stamped
    }
    const { url } = this.around.engine.database
    const { connect } = this.link
    return openStore({ url, size: CONNECTIONS, clock: this.#own, vault, node: this.name, time, connect })
  }

  async rows<T>(sql: string): Promise<T[]> {
    return this.around.engine.beside.unsafe(sql)
  }

  async write(sql: string): Promise<void> {
    await this.around.engine.beside.unsafe(sql)
  }

  dump(): Promise<string> {
    throw new Error('Nobody looks at the disk here')
  }

  async remove(): Promise<void> {}

  #see: (sighting: ClockSighting) => void = () => {}

  get #own(): Clock {
    const { elapsed, after } = this.around.clock
    return {
      now: () => START + elapsed() + this.#wrongByMs,
      elapsed: () => this.#upSinceMs + elapsed(),
      after: (ms, callback) =>
        after(Math.ceil(ms), () => {
          if (!this.#isAlive) return
          if (this.#held) this.#held.push(callback)
          else callback()
        }),
    }
  }
}
