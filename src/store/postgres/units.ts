/** Runs units: again where they lost against another one, once and for all where the answer to a commit was lost. */
import type { ReservedSQL, SQL } from 'bun'
import { tooLittleCredit } from '../../domain/wallet'
import type { Clock } from '../../ports/clock'
import type { PoolUsage, Tx } from '../../ports/store'
import type { StoreTelemetry } from '../../ports/telemetry'
import { openUnit } from '../ended'
import { cannotWrite } from '../failure'
import { followClock } from './clock'
import { ClockSetError, type ClockWatch, SetBackError } from './clock-watch'
import { CommitLostError, isPassing, isUnbegun, lostRace, noCreditIn } from './failure'
import { end, SILENT_MS, wireOf } from './pool'
import { plain } from './statement'
import { type DoorDependencies, doorsOf } from './transaction'
import { TIMELINE, type Time, Unit } from './unit'

/** Who loses so often is told to come back. */
const MAX_RUNS = 12
const PAUSE_MS = 5
/** How long a commit whose answer was lost may still be under way. */
const OUTCOME_WITHIN_MS = 10_000
const ASK_AGAIN_MS = 100
/** What wallets set aside is in so many parts. */
const SLOTS = 16

const PROBE = plain(
  `INSERT INTO facts (name, value) VALUES ('room', decode(repeat('00', 65536), 'hex'))
   ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  () => [],
)

export class Units {
  /** Whom it tells how it works. */
  telemetry: StoreTelemetry | undefined
  #begun = 0
  #running = 0
  /** Of those that run, how many have a connection. */
  #connected = 0
  #isClosed = false
  #following: Promise<void> | undefined

  constructor(
    private readonly sql: SQL,
    private readonly deps: DoorDependencies & {
      time: Time
      watch: ClockWatch
      clock: Pick<Clock, 'elapsed' | 'after'>
    },
    private readonly settingsChanged: () => void,
  ) {}

  /** What the unit answered, once it is stored. Throws what the unit throws, or `unavailable`. */
  run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#run(this.deps.watch, async (unit) => {
      const { tx, end } = openUnit(doorsOf(unit, this.deps))
      try {
        return await work(tx)
      } finally {
        end()
      }
    })
  }

  async #run<T>(watch: ClockWatch | undefined, work: (unit: Unit) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw cannotWrite(undefined)
    this.#running++
    try {
      for (let run = 1; ; run++) {
        const outcome = await this.#once(watch, work)
        if ('effects' in outcome) {
          if (outcome.changesSettings) this.settingsChanged()
          for (const effect of outcome.effects) tell(effect)
          return outcome.answer
        }
        this.telemetry?.uncommitted('again')
        if (run === MAX_RUNS) throw cannotWrite(outcome.lost)
        if (outcome.lost instanceof SetBackError) await this.#followClock()
        // Not all at the same moment.
        else await this.#pause(PAUSE_MS * run * (1 + (this.#begun % SLOTS) / SLOTS))
      }
    } finally {
      this.#running--
    }
  }

  usage(): Pick<PoolUsage, 'busy' | 'waiting'> {
    return { busy: this.#connected, waiting: this.#running - this.#connected }
  }

  /** Writes more than any request does. */
  assertWritable(): Promise<void> {
    return this.#run(this.deps.watch, async (unit) => unit.run(PROBE))
  }

  /** Once for all who have run into it. */
  #followClock(): Promise<void> {
    const follow = (unit: Unit) => followClock(unit, this.deps)
    this.#following ??= this.#run(undefined, follow).finally(() => {
      this.#following = undefined
    })
    return this.#following
  }

  /** Lets what runs finish, then takes nothing more. */
  async close(): Promise<void> {
    this.#isClosed = true
    while (this.#running > 0) await this.#pause(PAUSE_MS)
  }

  async #once<T>(
    watch: ClockWatch | undefined,
    work: (unit: Unit) => Promise<T>,
  ): Promise<Stored<T> | { lost: unknown }> {
    const askedAt = this.deps.clock.elapsed()
    const connection = await this.#reserve()
    const waitedMs = this.deps.clock.elapsed() - askedAt
    this.#connected++
    const unit = new Unit(wireOf(connection), this.#begun++ % SLOTS, { ...this.deps, watch })
    const cancel = this.deps.clock.after(SILENT_MS, () => end(connection))
    try {
      const answer = await work(unit)
      const commitAt = this.deps.clock.elapsed()
      try {
        const effects = await unit.commit()
        this.telemetry?.committed(1, waitedMs, this.deps.clock.elapsed() - commitAt)
        return stored(unit, answer, effects)
      } catch (error) {
        if (error instanceof CommitLostError) return await this.#whatBecameOf(unit, answer, error)
        throw error
      }
    } catch (error) {
      await unit.rollback()
      if (isToRunAgain(error) || (await beginsLife(connection, error))) return { lost: error }
      if (isPassing(error)) this.telemetry?.uncommitted('failed')
      throw translated(error)
    } finally {
      cancel()
      this.#connected--
      connection.release()
    }
  }

  /** The database knows by the transaction's number, unless another one has taken its place. */
  async #whatBecameOf<T>(unit: Unit, answer: T, lost: CommitLostError): Promise<Stored<T> | { lost: unknown }> {
    const { elapsed } = this.deps.clock
    const until = elapsed() + OUTCOME_WITHIN_MS
    while (elapsed() < until) {
      const outcome = await this.#outcomeOf(unit).catch((error) => void beginsLife(this.sql, error))
      if (outcome === 'committed') return stored(unit, answer, unit.effects)
      if (outcome === 'aborted') return { lost }
      if (outcome === 'unknown') break
      await this.#pause(ASK_AGAIN_MS)
    }
    throw cannotWrite(lost)
  }

  /** Undefined while it is under way, or nobody can be asked. */
  async #outcomeOf({ identity }: Unit): Promise<'committed' | 'aborted' | 'unknown' | undefined> {
    if (!identity) return 'unknown'
    const [row] = await this.sql
      .unsafe(`SELECT outcome_of($1::text::xid8, $2::text::bigint), ${TIMELINE}`, [identity.transaction, identity.life])
      .values()
    const [status, timeline] = row ?? []
    if (timeline !== identity.timeline) return 'unknown'
    return status === 'in progress' ? undefined : (status ?? 'unknown')
  }

  #pause(ms: number): Promise<void> {
    return new Promise((goOn) => void this.deps.clock.after(ms, goOn))
  }

  async #reserve(): Promise<ReservedSQL> {
    try {
      return await this.sql.reserve()
    } catch (error) {
      throw cannotWrite(error)
    }
  }
}

const isToRunAgain = (error: unknown) =>
  lostRace(error) || error instanceof SetBackError || error instanceof ClockSetError

/** Whether that was all that was missing. A unit does it on its own connection: others may all be waiting for one, too. */
async function beginsLife(sql: SQL, error: unknown): Promise<boolean> {
  if (!isUnbegun(error)) return false
  await sql.unsafe('SELECT begin_life()').catch(() => {})
  return true
}

interface Stored<T> {
  answer: T
  effects: ReadonlyArray<() => void>
  changesSettings: boolean
}

const stored = <T>({ changesSettings }: Unit, answer: T, effects: ReadonlyArray<() => void>): Stored<T> => ({
  ...{ answer, effects, changesSettings },
})

function translated(error: unknown): unknown {
  const noCredit = noCreditIn(error)
  if (noCredit) return tooLittleCredit(noCredit)
  return isPassing(error) ? cannotWrite(error) : error
}

/** An effect must not keep the others from their answers, nor go unseen. */
function tell(effect: () => void): void {
  try {
    effect()
  } catch (defect) {
    queueMicrotask(() => {
      throw defect
    })
  }
}
