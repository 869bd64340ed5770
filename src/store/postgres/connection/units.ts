/** Runs units: again where they lost against another one, once and for all where the answer to a commit was lost. */
import type { ReservedSQL, SQL } from 'bun'
import { Refusal } from '../../../domain/shared/error'
import { tooLittleCredit } from '../../../domain/wallet/wallet'
import type { Clock } from '../../../ports/clock'
import type { TransactionOptions, Tx } from '../../../ports/store'
import type { PoolUsage, StoreTelemetry } from '../../../ports/telemetry'
import { openUnit } from '../../ended-transaction'
import { cannotWrite } from '../../failure'
import { LeftError, type Member, Party } from '../batching/batched-transaction'
import { followClock } from '../clock'
import { Alone } from './alone'
import { ClockSetError, type ClockWatch, SetBackError } from './clock-watch'
import { CommitLostError, isPassing, isUnbegun, lostRace, noCreditIn } from './failure'
import { type Identity, PipelinedTransaction, TIMELINE, type Time } from './pipelined-transaction'
import { end, SILENT_MS, wireOf } from './pool'
import { plain } from './statement'
import { type DoorDependencies, doorsOf } from './transaction'
import type { Unit } from './unit'

/** Who loses so often is told to come back. */
const MAX_RUNS = 12
const PAUSE_MS = 5
/** How long a commit whose answer was lost may still be under way. */
const OUTCOME_WITHIN_MS = 10_000
const ASK_AGAIN_MS = 100
/** What wallets set aside is in so many parts. */
const SLOTS = 16
/** So many units share a transaction at most: where one of them goes wrong, all of them have to run again. */
const AT_MOST = 8
/** For each of those that run at a time there are so many connections: the more wait meanwhile, the less each of them costs. */
const CONNECTIONS_EACH = 4
/** An app that had too little credit is not among others for so long: they would all fail with it. */
const SPENT_MS = 10_000

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
  /** Of those that run alone, how many wait for a connection. */
  #reserving = 0
  /** Connections in use. */
  #connected = 0
  #isClosed = false
  #following: Promise<void> | undefined
  /** Who will share a transaction, in the order in which they came. */
  readonly #waiting: Passenger[] = []
  /** Transactions for several that are under way, or wait for a connection. */
  #parties = 0
  /** Apps that had too little credit, and until when that counts. */
  readonly #spent = new Map<string, number>()

  constructor(
    private readonly sql: SQL,
    private readonly deps: DoorDependencies & {
      /** Connections there are. */
      size: number
      /** Whether units share a transaction that may. */
      batches: boolean
      time: Time
      watch: ClockWatch
      clock: Pick<Clock, 'elapsed' | 'after'>
    },
    private readonly settingsChanged: () => void,
  ) {}

  /** What the unit answered, once it is stored. Throws what the unit throws, or `unavailable`. */
  run<T>(work: (tx: Tx) => Promise<T>, { mayShare = false }: TransactionOptions = {}): Promise<T> {
    const inUnit = async (unit: Unit) => {
      const { tx, end } = openUnit(doorsOf(unit, this.deps))
      try {
        return await work(tx)
      } finally {
        end()
      }
    }
    return this.#run((run) =>
      mayShare && this.deps.batches && run === 1 ? this.#amongOthers(inUnit) : this.#once(this.deps.watch, inUnit),
    )
  }

  async #run<T>(once: (run: number) => Promise<TransactionOutcome<T>>): Promise<T> {
    if (this.#isClosed) throw cannotWrite(undefined)
    this.#running++
    try {
      for (let run = 1; ; run++) {
        const outcome = await once(run)
        if ('effects' in outcome) {
          if (outcome.changesSettings) this.settingsChanged()
          for (const effect of outcome.effects) tell(effect)
          return outcome.answer
        }
        if (outcome.lost instanceof LeftError) continue
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
    return { busy: this.#connected, waiting: this.#reserving + this.#waiting.length }
  }

  /** Writes more than any request does. */
  assertWritable(): Promise<void> {
    return this.#run(() => this.#once(this.deps.watch, async (unit) => unit.run(PROBE)))
  }

  /** Once for all who have run into it. */
  #followClock(): Promise<void> {
    const follow = (unit: Unit) => followClock(unit, this.deps)
    this.#following ??= this.#run(() => this.#once(undefined, follow)).finally(() => {
      this.#following = undefined
    })
    return this.#following
  }

  /** Lets what runs finish, then takes nothing more. */
  async close(): Promise<void> {
    this.#isClosed = true
    while (this.#running > 0) await this.#pause(PAUSE_MS)
  }

  async #once<T>(watch: ClockWatch | undefined, work: TransactionWork<T>): Promise<TransactionOutcome<T>> {
    const askedAt = this.deps.clock.elapsed()
    this.#reserving++
    const connection = await this.#reserve().finally(() => {
      this.#reserving--
    })
    return this.#on(connection, (block) => this.#alone(connection, block, work, askedAt), { watch })
  }

  /** In the next transaction that is for several, with whoever else waits for it. */
  #amongOthers<T>(work: TransactionWork<T>): Promise<TransactionOutcome<T>> {
    const outcome = Promise.withResolvers<TransactionOutcome<T>>()
    this.#waiting.push({ work, outcome: outcome as PromiseWithResolvers<TransactionOutcome<unknown>> })
    if (this.#parties < Math.max(1, Math.floor(this.deps.size / CONNECTIONS_EACH))) void this.#gather()
    return outcome.promise
  }

  /** Those who have come until there is a connection. */
  async #gather(): Promise<void> {
    this.#parties++
    const askedAt = this.deps.clock.elapsed()
    let gathered: Passenger[] = []
    try {
      const connection = await this.#reserve()
      gathered = this.#waiting.splice(0, AT_MOST)
      await this.#carry(connection, gathered, askedAt)
    } catch (error) {
      for (const { outcome } of gathered.length > 0 ? gathered : this.#waiting.splice(0)) outcome.reject(error)
    } finally {
      this.#parties--
      if (this.#waiting.length > 0) void this.#gather()
    }
  }

  /** Whoever is alone is spared what several need. */
  async #carry(connection: ReservedSQL, gathered: readonly Passenger[], askedAt: number): Promise<void> {
    const { watch } = this.deps
    const [first, ...others] = gathered
    if (!first) connection.release()
    else if (others.length > 0)
      await this.#on(connection, (block) => this.#together(block, gathered, askedAt), { watch, isImpatient: true })
    else
      first.outcome.resolve(
        await this.#on(connection, (block) => this.#alone(connection, block, first.work, askedAt), { watch }),
      )
  }

  async #on<T>(
    connection: ReservedSQL,
    use: (block: PipelinedTransaction) => Promise<T>,
    { watch, isImpatient = false }: { watch: ClockWatch | undefined; isImpatient?: boolean },
  ): Promise<T> {
    this.#connected++
    const cancel = this.deps.clock.after(SILENT_MS, () => end(connection))
    try {
      return await use(new PipelinedTransaction(wireOf(connection), { ...this.deps, watch }, { isImpatient }))
    } finally {
      cancel()
      this.#connected--
      connection.release()
    }
  }

  async #alone<T>(
    connection: ReservedSQL,
    block: PipelinedTransaction,
    work: TransactionWork<T>,
    askedAt: number,
  ): Promise<TransactionOutcome<T>> {
    const { elapsed } = this.deps.clock
    const waitedMs = elapsed() - askedAt
    const unit = new Alone(block, this.#nextSlot())
    try {
      const answer = await work(unit)
      const commitAt = elapsed()
      await this.#surely(unit.commit(), block)
      this.telemetry?.committed(1, waitedMs, elapsed() - commitAt)
      return stored(unit, answer)
    } catch (error) {
      await block.rollback()
      if (isToRunAgain(error) || (await beginsLife(connection, error))) return { lost: error }
      if (isPassing(error instanceof Refusal ? error.cause : error)) this.telemetry?.uncommitted('failed')
      if (noCreditIn(error)) this.#noteSpent(unit)
      throw translated(error)
    }
  }

  /** Whoever refuses is heard at once, and who has nothing to store; the others once all of it is stored. */
  async #together(block: PipelinedTransaction, gathered: readonly Passenger[], askedAt: number): Promise<void> {
    const { elapsed } = this.deps.clock
    const waitedMs = elapsed() - askedAt
    const party = new Party(block, { slot: this.#nextSlot(), isSpent: (appId) => this.#isSpent(appId) })
    const done = await Promise.all(gathered.map((passenger) => finished(passenger, party.join(), block)))
    const writing = done.filter((one) => one !== undefined)
    try {
      const commitAt = elapsed()
      party.write(writing.map(({ member }) => member))
      await this.#surely(block.commit(writing.length > 0), block)
      if (writing.length > 0) this.telemetry?.committed(writing.length, waitedMs, elapsed() - commitAt)
      for (const { outcome, member, answer } of writing) outcome.resolve(stored(member, answer))
    } catch (error) {
      await block.rollback()
      // Each finds out for itself what it was; where nobody knows whether it is stored, nothing runs again.
      const mayBeStored = error instanceof Refusal
      for (const { outcome } of writing) mayBeStored ? outcome.reject(error) : outcome.resolve({ lost: error })
    }
  }

  /** A commit whose answer was lost: the database knows by the transaction's number, unless another one has taken its place. */
  async #surely(commit: Promise<void>, block: PipelinedTransaction): Promise<void> {
    try {
      await commit
    } catch (lost) {
      if (!(lost instanceof CommitLostError)) throw lost
      const { elapsed } = this.deps.clock
      const until = elapsed() + OUTCOME_WITHIN_MS
      while (elapsed() < until) {
        const outcome = await this.#outcomeOf(block.identity).catch((error) => void beginsLife(this.sql, error))
        if (outcome === 'committed') return
        if (outcome === 'aborted') throw lost
        if (outcome === 'unknown') break
        await this.#pause(ASK_AGAIN_MS)
      }
      throw cannotWrite(lost)
    }
  }

  /** Undefined while it is under way, or nobody can be asked. */
  async #outcomeOf(identity: Identity | undefined): Promise<'committed' | 'aborted' | 'unknown' | undefined> {
    if (!identity) return 'unknown'
    const [row] = await this.sql
      .unsafe(`SELECT outcome_of($1::text::xid8, $2::text::bigint), ${TIMELINE}`, [identity.transaction, identity.life])
      .values()
    const [status, timeline] = row ?? []
    if (timeline !== identity.timeline) return 'unknown'
    return status === 'in progress' ? undefined : (status ?? 'unknown')
  }

  #nextSlot(): number {
    return this.#begun++ % SLOTS
  }

  #noteSpent({ lastWrites }: Unit): void {
    for (const { values } of lastWrites) this.#spent.set(String(values.appId), this.deps.clock.elapsed() + SPENT_MS)
  }

  #isSpent(appId: string): boolean {
    const until = this.#spent.get(appId)
    if (until === undefined) return false
    if (until > this.deps.clock.elapsed()) return true
    this.#spent.delete(appId)
    return false
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
  lostRace(error) || [SetBackError, ClockSetError, CommitLostError].some((kind) => error instanceof kind)

/** Whether that was all that was missing. A unit does it on its own connection: others may all be waiting for one, too. */
async function beginsLife(sql: SQL, error: unknown): Promise<boolean> {
  if (!isUnbegun(error)) return false
  await sql.unsafe('SELECT begin_life()').catch(() => {})
  return true
}

type TransactionWork<T> = (unit: Unit) => Promise<T>

interface Stored<T> {
  answer: T
  effects: ReadonlyArray<() => void>
  changesSettings: boolean
}

/** `lost`: it is to run again. */
type TransactionOutcome<T> = Stored<T> | { lost: unknown }

/** A unit that waits for others to share its transaction with. */
interface Passenger {
  work: TransactionWork<unknown>
  outcome: PromiseWithResolvers<TransactionOutcome<unknown>>
}

const stored = <T>({ changesSettings, effects }: Unit, answer: T): Stored<T> => ({ answer, effects, changesSettings })

/** What one of several has come to, where it is still to be stored. */
async function finished({ work, outcome }: Passenger, member: Member, block: PipelinedTransaction) {
  try {
    const answer = await work(member).finally(() => {
      member.hasEnded = true
    })
    await block.opened()
    if (member.left) throw member.left
    if (member.hasWritten) return { outcome, member, answer }
    outcome.resolve(stored(member, answer))
  } catch (error) {
    // What went wrong in the database went wrong for all.
    if (member.left || block.failure !== undefined || isToRunAgain(error))
      outcome.resolve({ lost: member.left ?? error })
    else outcome.reject(error)
  }
}

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
