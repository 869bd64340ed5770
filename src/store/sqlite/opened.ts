/** A transaction that is open, as its methods see it: they are shared, and each transaction has its own `now` and effects. */
import type { Tx } from '../../ports'

export interface Effects {
  afterCommit: Array<() => void>
  changedConfiguration: boolean
}

export type OpenTx = Tx & { opened: { now: number; effects: Effects } }

/** Some of what a transaction can do. */
export type TxPart<Names extends keyof Tx> = Pick<Tx, Names> & ThisType<OpenTx>
