/** Statements on a connection, which prepares each when it is first used. */
import type { Changes, Database, Statement as Prepared, SQLQueryBindings } from 'bun:sqlite'
import { SQLITE } from '../../dialect'
import type { Later, Querying, Reads, Session } from '../../session'
import type { Statement, Values } from '../../statement'
import { readFailure } from './failure'
import type { ReadGroup } from './read-group'
import type { TransactionState } from './transaction-state'

class StatementsOfConnection {
  readonly dialect = SQLITE
  readonly #prepared = new Map<Statement, Prepared<unknown, SQLQueryBindings[]>>()

  constructor(private readonly db: Database) {}

  all<Row>(statement: Statement<Row>, values: Values = {}): Row[] {
    return this.#rows(statement, values).map(statement.read)
  }

  get<Row>(statement: Statement<Row>, values: Values = {}): Row | undefined {
    const row = this.#rows(statement, values)[0]
    return row && statement.read(row)
  }

  /** RETURNING would cost more, because SQLite collects its rows in a temporary table. */
  change(statement: Statement, values: Values = {}): number {
    return (this.#of(statement).run(bound(statement, values)) as Changes).changes
  }

  #rows(statement: Statement, values: Values): unknown[][] {
    return this.#of(statement).values(bound(statement, values))
  }

  #of(statement: Statement): Prepared<unknown, SQLQueryBindings[]> {
    const known = this.#prepared.get(statement) ?? this.db.prepare<unknown, SQLQueryBindings[]>(statement.text)
    this.#prepared.set(statement, known)
    return known
  }
}

/** Values are passed as one array, which Bun's types do not know: separate ones Bun would collect into an array again. */
const bound = (statement: Statement, values: Values) => statement.bind(values) as unknown as SQLQueryBindings

/** The writer's connection, which runs one transaction at a time: all of them share this session. */
export class WritingSession extends StatementsOfConnection implements Session {
  constructor(
    db: Database,
    private readonly current: TransactionState,
  ) {
    super(db)
  }

  get now(): number {
    return this.current.now
  }

  opened(): void {}

  run(statement: Statement, values?: Values): void {
    this.change(statement, values)
  }

  /** There is only one writer. */
  lock(): void {}

  settingsChanged(): void {
    this.current.settingsChanged()
  }

  afterCommit(effect: () => void): void {
    this.current.afterCommit(effect)
  }
}

/** Reads at the end of the event loop's turn, together with those that others have asked for. */
class GroupedReads implements Querying {
  readonly dialect = SQLITE
  readonly #connection: StatementsOfConnection

  constructor(
    db: Database,
    private readonly group: ReadGroup,
  ) {
    this.#connection = new StatementsOfConnection(db)
  }

  get<Row>(statement: Statement<Row>, values?: Values): Later<Row | undefined> {
    return this.#read(() => this.#connection.get(statement, values))
  }

  all<Row>(statement: Statement<Row>, values?: Values): Later<Row[]> {
    return this.#read(() => this.#connection.all(statement, values))
  }

  async #read<T>(look: () => T): Promise<T> {
    try {
      return await this.group.read(look)
    } catch (error) {
      throw readFailure(error)
    }
  }
}

export interface ReadConnections {
  reading: { db: Database; group: ReadGroup }
  scanning: { db: Database; group: ReadGroup }
}

export const readsOf = ({ reading, scanning }: ReadConnections): Reads =>
  Object.assign(new GroupedReads(reading.db, reading.group), {
    scanning: new GroupedReads(scanning.db, scanning.group),
  })
