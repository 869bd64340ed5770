/**
 * An optimization: all works without it, and `WATCHWORD_DATABASE_BATCHING=false` turns it off. It is used for codes that are
 * issued, delivered and verified at the same moment over PostgreSQL, and quarters what a code costs the database.
 *
 * Several units share one transaction: what they ask at a time is asked in one statement, and what they add is added in one. They are kept apart nevertheless: a row that one of them has
 * locked is for no other, and what one has written no other sees, since all of it goes out at the end. Whoever asks what
 * cannot be asked that way leaves, and runs alone; so do all of them where anything goes wrong in the database.
 */
import type { PipelinedTransaction } from '../connection/pipelined-transaction'
import type { Statement, StatementValues } from '../connection/statement'
import { type BoundStatement, Transaction } from '../connection/transaction'
import { addedBySeveral, askedBySeveral } from './batch-sql'
import { inCreditOrder } from './credit-order'

/** It is to run alone: it has asked for what one of several cannot have. */
export class RunAloneError extends Error {
  override name = 'LeftError'
}

interface BatchedQuery {
  member: Participant
  values: StatementValues
  bound: unknown[]
  answer: PromiseWithResolvers<unknown[]>
}

interface BatchDependencies {
  slot: number
  /** Whether an app had too little credit lately: where it has again, all of them fail. */
  isSpent: (appId: string) => boolean
}

export class BatchedTransaction {
  /** What is asked next, in the order of the first who does. */
  #questions = new Map<Statement<unknown>, BatchedQuery[]>()
  /** Questions under way. */
  #asked = 0
  readonly #members: Participant[] = []
  /** Who has what is locked. */
  readonly #holders = new Map<string, Participant>()

  constructor(
    private readonly block: PipelinedTransaction,
    private readonly deps: BatchDependencies,
  ) {}

  join(): Participant {
    const member = new Participant(this, this.block, this.deps.slot)
    this.#members.push(member)
    return member
  }

  isSpent(appId: string): boolean {
    return this.deps.isSpent(appId)
  }

  ask<Row>(member: Participant, statement: Statement<Row>, values: StatementValues): Promise<Row[]> {
    // Once everybody has said what they want to know: they wait for it anyway.
    if (this.#questions.size === 0) setImmediate(() => this.#askAll())
    const answer = Promise.withResolvers<unknown[]>()
    const question = { member, values, bound: statement.bind(values), answer }
    const others = this.#questions.get(statement)
    if (others) others.push(question)
    else this.#questions.set(statement, [question])
    return answer.promise as Promise<Row[]>
  }

  /** Writes what they want written, each in its order; new rows of a kind together. */
  write(members: readonly Participant[]): void {
    const left = members.map(({ writes }) => [...writes])
    while (left.some((writes) => writes.length > 0)) {
      for (const writes of left) this.#sendChanges(writes)
      this.#sendAdditions(left.flatMap(takeAdditions))
    }
    this.#sendLast(members.flatMap(({ lastWrites }) => lastWrites))
  }

  /** Those of a kind that follow each other together. */
  #sendLast(writes: BoundStatement[]): void {
    const left = inCreditOrder(writes)
    while (left.length > 0) {
      const { statement } = left[0] as BoundStatement
      const end = left.findIndex((write) => write.statement !== statement)
      const alike = left.splice(0, statement.shared ? (end < 0 ? left.length : end) : 1)
      const bound = alike.flatMap(({ values }) => statement.bind(values))
      this.block.send(alike.length > 1 ? askedBySeveral(statement, alike.length) : statement.text, bound)
    }
  }

  /** Once nobody is to be answered, who has not ended waits for what it has added: that comes with the commit, which waits for it. */
  lookWhoWaits(): void {
    setImmediate(() => {
      if (this.#asked > 0 || this.#questions.size > 0) return
      for (const member of this.#members) member.leaveIfWaiting()
    })
  }

  #askAll(): void {
    const asked = this.#questions
    this.#questions = new Map()
    // What one looks at without a lock of its own is as it is under the locks it has asked for.
    const locksFirst = [...asked].toSorted(([one], [other]) => Number(isLooking(one)) - Number(isLooking(other)))
    for (const [statement, questions] of locksFirst) this.#askFor(statement, questions)
  }

  #askFor(statement: Statement<unknown>, questions: BatchedQuery[]): void {
    // In one order, so that two parties do not wait for each other.
    if (statement.shared?.holds) questions.sort((a, b) => inOrder(nameOf(a.bound), nameOf(b.bound)))
    const text = askedBySeveral(statement, questions.length)
    const bound = questions.flatMap((question) => question.bound)
    this.#asked++
    this.block
      .ask(text, bound)
      .then((rows) => this.#answer(statement, questions, rows))
      .catch((error) => {
        for (const { answer } of questions) answer.reject(error)
      })
      .finally(() => {
        this.#asked--
        this.lookWhoWaits()
      })
  }

  #answer(statement: Statement<unknown>, questions: readonly BatchedQuery[], rows: readonly unknown[][]): void {
    const found = Map.groupBy(rows, ([unit]) => Number(unit))
    questions.forEach(({ member, values, answer }, n) => {
      try {
        const own = (found.get(n) ?? []).map(([_, ...row]) => statement.read(row))
        const names = own.map((row) => statement.shared?.holds?.(row, values)).filter((name) => name !== undefined)
        if (names.every((name) => this.#hold(name, member))) answer.resolve(own)
        else answer.reject(member.leave())
      } catch (defect) {
        answer.reject(defect)
      }
    })
  }

  #hold(name: string, member: Participant): boolean {
    const holder = this.#holders.get(name) ?? member
    this.#holders.set(name, holder)
    return holder === member
  }

  #sendChanges(writes: BoundStatement[]): void {
    for (let next = writes[0]; next && !isNew(next); next = writes[0]) {
      writes.shift()
      this.block.send(next.statement.text, next.statement.bind(next.values))
    }
  }

  #sendAdditions(writes: readonly NewRow[]): void {
    for (const [statement, rows] of Map.groupBy(writes, ({ statement }) => statement)) {
      const text = addedBySeveral(statement, rows.length)
      const bound = rows.flatMap(({ values }) => statement.bind(values))
      if (rows.every(({ made }) => !made)) this.block.send(text, bound)
      else
        this.block
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

/** A row that is to be new, and who waits for what the database makes of it. */
interface NewRow extends BoundStatement {
  made?: PromiseWithResolvers<unknown>
}

const isNew = ({ statement, made }: NewRow) => statement.isAddition || made !== undefined

/** Those that come before anything else. */
function takeAdditions(writes: NewRow[]): NewRow[] {
  const end = writes.findIndex((write) => !isNew(write))
  return writes.splice(0, end < 0 ? writes.length : end)
}

const isLooking = ({ shared }: Statement<unknown>) => shared?.holds === undefined
const inOrder = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const nameOf = (bound: readonly unknown[]) =>
  bound.map((value) => (value instanceof Uint8Array ? value.toHex() : String(value))).join('/')

/** One of several. */
export class Participant extends Transaction {
  readonly writes: NewRow[] = []
  /** Whether it asks and writes no more. */
  hasEnded = false
  #left: RunAloneError | undefined

  constructor(
    private readonly party: BatchedTransaction,
    block: PipelinedTransaction,
    slot: number,
  ) {
    super(block, slot)
  }

  /** Whether what it does counts for nothing: it runs again. */
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
    // It would not see what it has written.
    if (!statement.shared || this.writes.length > 0) throw this.leave()
    this.#assertIn()
    return this.party.ask(this, statement, values)
  }

  override last(statement: Statement<unknown>, values: StatementValues = {}): void {
    if (this.party.isSpent(String(values.appId))) throw this.leave()
    super.last(statement, values)
  }

  protected write(write: BoundStatement): void {
    this.#assertIn()
    if (write.statement.leavesNoTrace) this.block.send(write.statement.text, write.statement.bind(write.values))
    else this.writes.push(write)
  }

  protected writeNew<Row>(statement: Statement<Row>, values: StatementValues): Promise<Row> {
    this.#assertIn()
    const made = Promise.withResolvers<unknown>()
    // Who waits for it hears of a failure, if anybody does.
    made.promise.catch(() => {})
    this.writes.push({ statement, values, made })
    this.party.lookWhoWaits()
    return made.promise as Promise<Row>
  }

  #assertIn(): void {
    if (this.#left) throw this.#left
  }
}
