/**
 * An optimization: everything works without it, and `WATCHWORD_DATABASE_BATCHING=false` turns it off. It is used when codes are
 * issued, delivered and verified at the same moment over PostgreSQL. It cuts what a code costs the database to a quarter.
 *
 * Several transactions (participants) share one database transaction. Queries that they make at the same time run as one
 * statement, and so do their inserts. They stay isolated: only one participant may hold a row lock, and no participant sees
 * another's writes, because all writes go out at the end. A participant that asks for something that cannot be batched leaves
 * and runs alone. If anything fails in the database, all of them run again alone.
 */
import type { PipelinedTransaction } from '../connection/pipelined-transaction'
import type { BoundStatement, Statement, StatementValues } from '../connection/statement'
import { Transaction } from '../connection/transaction'
import { batchedInsert, batchedQuery } from './batch-sql'
import { inCreditOrder } from './credit-order'

/** The participant asked for something that cannot be batched: its transaction runs again alone. */
export class RunAloneError extends Error {
  override name = 'LeftError'
}

interface BatchedQuery {
  participant: Participant
  values: StatementValues
  bound: unknown[]
  answer: PromiseWithResolvers<unknown[]>
}

interface BatchDependencies {
  slot: number
  /** Whether the app lacked credit lately: if it lacks credit again, the whole batch fails. */
  lacksCredit: (appId: string) => boolean
}

export class BatchedTransaction {
  /** The next queries by statement, in the order in which each statement was first asked. */
  #queries = new Map<Statement<unknown>, BatchedQuery[]>()
  /** Statements sent and not yet answered. */
  #pending = 0
  readonly #participants: Participant[] = []
  readonly #lockHolders = new Map<string, Participant>()

  constructor(
    private readonly pipeline: PipelinedTransaction,
    private readonly deps: BatchDependencies,
  ) {}

  join(): Participant {
    const participant = new Participant(this, this.pipeline, this.deps.slot)
    this.#participants.push(participant)
    return participant
  }

  lacksCredit(appId: string): boolean {
    return this.deps.lacksCredit(appId)
  }

  ask<Row>(participant: Participant, statement: Statement<Row>, values: StatementValues): Promise<Row[]> {
    // Deferred to the end of the event loop's turn, so that every participant has made its query.
    if (this.#queries.size === 0) setImmediate(() => this.#sendQueries())
    const answer = Promise.withResolvers<unknown[]>()
    const query = { participant, values, bound: statement.bind(values), answer }
    const others = this.#queries.get(statement)
    if (others) others.push(query)
    else this.#queries.set(statement, [query])
    return answer.promise as Promise<Row[]>
  }

  /** Sends the writes of the participants, those of each in their order; inserts into the same table are one statement. */
  write(participants: readonly Participant[]): void {
    const left = participants.map(({ writes }) => [...writes])
    while (left.some((writes) => writes.length > 0)) {
      for (const writes of left) this.#sendChanges(writes)
      this.#sendAdditions(left.flatMap(takeAdditions))
    }
    this.#sendLast(participants.flatMap(({ lastWrites }) => lastWrites))
  }

  /** Consecutive writes of the same statement are sent as one. */
  #sendLast(writes: BoundStatement[]): void {
    const left = inCreditOrder(writes)
    while (left.length > 0) {
      const { statement } = left[0] as BoundStatement
      const end = left.findIndex((write) => write.statement !== statement)
      const alike = left.splice(0, statement.shared ? (end < 0 ? left.length : end) : 1)
      const bound = alike.flatMap(({ values }) => statement.bind(values))
      this.pipeline.send(alike.length > 1 ? batchedQuery(statement, alike.length) : statement.text, bound)
    }
  }

  /**
   * Once no query is open, a participant that has not ended awaits a row it has added. That row comes with the commit, and the
   * commit waits for the participant: such a deadlock is broken by making it leave.
   */
  breakDeadlock(): void {
    setImmediate(() => {
      if (this.#pending > 0 || this.#queries.size > 0) return
      for (const participant of this.#participants) participant.leaveIfWaiting()
    })
  }

  #sendQueries(): void {
    const queries = this.#queries
    this.#queries = new Map()
    // A read without a lock must see the state under the locks that its participant has asked for at the same time.
    const locksFirst = [...queries].toSorted(([one], [other]) => Number(isUnlocked(one)) - Number(isUnlocked(other)))
    for (const [statement, queries] of locksFirst) this.#sendQuery(statement, queries)
  }

  #sendQuery(statement: Statement<unknown>, queries: BatchedQuery[]): void {
    // All batches lock in the same order, so that two of them cannot deadlock.
    if (statement.shared?.holds) queries.sort((a, b) => inOrder(nameOf(a.bound), nameOf(b.bound)))
    const text = batchedQuery(statement, queries.length)
    const bound = queries.flatMap((query) => query.bound)
    this.#pending++
    this.pipeline
      .ask(text, bound)
      .then((rows) => this.#answer(statement, queries, rows))
      .catch((error) => {
        for (const { answer } of queries) answer.reject(error)
      })
      .finally(() => {
        this.#pending--
        this.breakDeadlock()
      })
  }

  #answer(statement: Statement<unknown>, queries: readonly BatchedQuery[], rows: readonly unknown[][]): void {
    const found = Map.groupBy(rows, ([participant]) => Number(participant))
    queries.forEach(({ participant, values, answer }, n) => {
      try {
        const own = (found.get(n) ?? []).map(([_, ...row]) => statement.read(row))
        const names = own.map((row) => statement.shared?.holds?.(row, values)).filter((name) => name !== undefined)
        if (names.every((name) => this.#holdLock(name, participant))) answer.resolve(own)
        else answer.reject(participant.leave())
      } catch (defect) {
        answer.reject(defect)
      }
    })
  }

  #holdLock(name: string, participant: Participant): boolean {
    const holder = this.#lockHolders.get(name) ?? participant
    this.#lockHolders.set(name, holder)
    return holder === participant
  }

  #sendChanges(writes: BoundStatement[]): void {
    for (let next = writes[0]; next && !isNew(next); next = writes[0]) {
      writes.shift()
      this.pipeline.send(next.statement.text, next.statement.bind(next.values))
    }
  }

  #sendAdditions(writes: readonly NewRow[]): void {
    for (const [statement, rows] of Map.groupBy(writes, ({ statement }) => statement)) {
      const text = batchedInsert(statement, rows.length)
      const bound = rows.flatMap(({ values }) => statement.bind(values))
      if (rows.every(({ made }) => !made)) this.pipeline.send(text, bound)
      else
        this.pipeline
          .ask(text, bound)
          .then((answers) => {
            rows.forEach(({ made }, n) => {
              made?.resolve(statement.read(answers[n] ?? []))
            })
          })
          .catch((error) => {
            for (const { made } of rows) made?.reject(error)
          })
    }
  }
}

/** A write; `made` is present where the code that adds a row awaits it as the database has stored it. */
interface NewRow extends BoundStatement {
  made?: PromiseWithResolvers<unknown>
}

const isNew = ({ statement, made }: NewRow) => statement.isAddition || made !== undefined

/** Takes the inserts before the first other write. */
function takeAdditions(writes: NewRow[]): NewRow[] {
  const end = writes.findIndex((write) => !isNew(write))
  return writes.splice(0, end < 0 ? writes.length : end)
}

const isUnlocked = ({ shared }: Statement<unknown>) => shared?.holds === undefined
const inOrder = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const nameOf = (bound: readonly unknown[]) =>
  bound.map((value) => (value instanceof Uint8Array ? value.toHex() : String(value))).join('/')

/** One transaction of the batch. */
export class Participant extends Transaction {
  readonly writes: NewRow[] = []
  /** Whether its function has returned or thrown. */
  hasEnded = false
  #left: RunAloneError | undefined

  constructor(
    private readonly batch: BatchedTransaction,
    pipeline: PipelinedTransaction,
    slot: number,
  ) {
    super(pipeline, slot)
  }

  /** Set once it has left: nothing it does is stored, and its transaction runs again alone. */
  get left(): RunAloneError | undefined {
    return this.#left
  }

  leave(): RunAloneError {
    this.#left ??= new RunAloneError()
    return this.#left
  }

  leaveIfWaiting(): void {
    if (!this.hasEnded) for (const { made } of this.writes) made?.reject(this.leave())
  }

  async all<Row>(statement: Statement<Row>, values: StatementValues = {}): Promise<Row[]> {
    // Writes go out at the end, so a query after them would not see them.
    if (!statement.shared || this.writes.length > 0) throw this.leave()
    this.#assertNotLeft()
    return this.batch.ask(this, statement, values)
  }

  override last(statement: Statement<unknown>, values: StatementValues = {}): void {
    if (this.batch.lacksCredit(String(values.appId))) throw this.leave()
    super.last(statement, values)
  }

  protected write(write: BoundStatement): void {
    this.#assertNotLeft()
    if (write.statement.leavesNoTrace) this.pipeline.send(write.statement.text, write.statement.bind(write.values))
    else this.writes.push(write)
  }

  protected writeNew<Row>(statement: Statement<Row>, values: StatementValues): Promise<Row> {
    this.#assertNotLeft()
    const made = Promise.withResolvers<unknown>()
    // The row may have no one awaiting it; avoid an unhandled rejection.
    made.promise.catch(() => {})
    this.writes.push({ statement, values, made })
    this.batch.breakDeadlock()
    return made.promise as Promise<Row>
  }

  #assertNotLeft(): void {
    if (this.#left) throw this.#left
  }
}
