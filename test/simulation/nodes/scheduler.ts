/** Says from the seed what is next: a statement, an answer, or time. Nothing else moves meanwhile, so a seed tells one story. */
import type { VirtualClock } from '../../support/clock'
import type { SeededRandom } from '../../support/random'
import type { Happening, Link } from './network'

/** How often time passes though something could happen, and how much of it. */
const DELAY_CHANCE = 0.02
const DELAYED_MS = 300
/** Whatever is waited for has come by then, or never will. */
const ENDLESS_MS = 3_600_000

export class Scheduler {
  readonly links: Link[] = []

  constructor(private readonly deps: { clock: VirtualClock; random: SeededRandom; note: (line: string) => void }) {}

  /** Lets things happen until `work` is done. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false
    const done = () => {
      isDone = true
    }
    work.then(done, done)
    const until = this.deps.clock.elapsed() + ENDLESS_MS
    for (;;) {
      await allIsQuiet()
      if (isDone) return work
      if (this.deps.clock.elapsed() > until) throw new Error('Somebody waits for what never comes')
      await this.#next(60_000)
    }
  }

  /** So many things. */
  async go(steps: number): Promise<void> {
    for (let step = 0; step < steps; step++) {
      await allIsQuiet()
      await this.#next(1_000)
    }
    await allIsQuiet()
  }

  /** Lets time pass, with all that can happen in it. */
  async pass(ms: number): Promise<void> {
    const { clock } = this.deps
    const until = clock.elapsed() + ms
    for (;;) {
      await allIsQuiet()
      const left = until - clock.elapsed()
      if (left <= 0 && this.#happenings().length === 0) return
      await this.#next(Math.max(0, left))
    }
  }

  /** Time passes in which no machine does anything. */
  async leap(ms: number): Promise<void> {
    this.deps.clock.leap(ms)
    // What timers have begun comes before whatever the story does next, however long the database takes to hear of the time.
    await allIsQuiet()
    await this.#timeHasPassed()
    await allIsQuiet()
  }

  #happenings(): Happening[] {
    return this.links.flatMap((link) => link.happenings())
  }

  async #next(withinMs: number): Promise<void> {
    const { clock, random, note } = this.deps
    const possible = this.#happenings()
    const isDelayed = withinMs > 0 && random.chance(DELAY_CHANCE)
    if (possible.length > 0 && !isDelayed) {
      const { name, happen } = random.pick(possible)
      note(name())
      await happen()
      return
    }
    const { passedMs } = clock.fireNext(possible.length > 0 ? Math.min(withinMs, random.below(DELAYED_MS)) : withinMs)
    if (passedMs > 0) await this.#timeHasPassed()
  }

  async #timeHasPassed(): Promise<void> {
    for (const link of this.links) await link.timePasses()
  }
}

/** What servers do by themselves is done: from here on they wait for an answer, or for time. */
async function allIsQuiet(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
}
