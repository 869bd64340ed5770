/** A unit that has its transaction for itself. New rows wait for what follows them. */
import { Additions } from '../batching/additions'
import { inCreditOrder } from '../batching/credit-order'
import type { Statement, StatementValues } from './statement'
import { type BoundStatement, Transaction } from './transaction'

export class SingleTransaction extends Transaction {
  readonly #additions = new Additions()

  async all<Row>(statement: Statement<Row>, values: StatementValues = {}): Promise<Row[]> {
    this.#sendAdditions()
    const rows = await this.block.ask(statement.text, statement.bind(values))
    return rows.map((row) => statement.read(row))
  }

  /** Throws what went wrong, or `CommitLostError`. */
  async commit(): Promise<void> {
    // What has asked for nothing has not heard yet that it may not be stored.
    await this.opened()
    for (const write of inCreditOrder(this.lastWrites)) this.write(write)
    this.#sendAdditions()
    await this.block.commit(this.hasWritten)
  }

  protected write({ statement, values }: BoundStatement): void {
    if (statement.isAddition) {
      this.#additions.add(statement, values)
      if (this.#additions.isFull) this.#sendAdditions()
    } else {
      this.#sendAdditions()
      this.block.send(statement.text, statement.bind(values))
    }
  }

  protected async writeNew<Row>(statement: Statement<Row>, values: StatementValues): Promise<Row> {
    const [row] = await this.all(statement, values)
    return row as Row
  }

  #sendAdditions(): void {
    const added = this.#additions.take()
    if (added) this.block.send(added.text, added.values)
  }
}
