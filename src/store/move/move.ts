/**
 * Moves an installation from one kind of database to the other while its servers are stopped. The target is filled in
 * one transaction, so a move that was killed leaves it empty and is simply repeated.
 */
import type { Vault } from '../../ports/vault'
import { WrongSecretError } from '../failure'
import { MOVED_FROM, MOVED_TO, MoveError } from '../moved'
import type { Side } from './side'
import { TABLES } from './tables'

export interface MoveOptions {
  vault: Vault
  /** Id of a new move; a repeated one keeps its own. */
  id: string
  /** Called after each batch, and before the target is verified. */
  report: (progress: MoveProgress) => void
}

/** How many rows of a table are written, out of `of`; `verifying` once all tables are. */
export type MoveProgress = { table: string; rows: number; of: number } | 'verifying'

export interface Moved {
  from: string
  to: string
  /** Rows of each table. */
  tables: Record<string, number>
}

/**
 * Undefined where the move was done before. Throws `WrongSecretError`, and `MoveError` where a database is in use, the
 * target is not empty, or the target differs from the source in the end.
 */
export async function move(source: Side, target: Side, { vault, id, report }: MoveOptions): Promise<Moved | undefined> {
  const left = await source.mark(MOVED_TO)
  const arrived = await target.mark(MOVED_FROM)
  await assertOpens(source, vault)
  if (left && arrived?.id === left.id) {
    if (!left.isDone) await source.markMoving({ ...left, isDone: true })
    return undefined
  }
  if (left && (left.isDone || left.to !== target.name))
    throw conflict(
      `${source.name} was moved to ${left.to}. To move it anew: \`watchword move --undo --from '${source.name}'\`.`,
    )
  const mark = { id: left?.id ?? id, from: source.name, to: target.name }
  await source.assertIdle()
  await target.lock({ isExclusive: true })
  await assertMovable(source, target, vault)
  // Marked before the target has any rows: from here on no server starts on the source, and none finds an incomplete
  // target.
  await source.markMoving(mark)
  const tables = await copy(source, target, report)
  report('verifying')
  await verify(target, tables)
  await target.finish(await source.lastNumbers(), mark)
  await source.markMoved({ ...mark, isDone: true })
  return { from: source.name, to: target.name, tables }
}

/** Makes a source usable again, with its data as of the move. */
export async function undoMove(source: Side, vault: Vault): Promise<void> {
  await assertOpens(source, vault)
  if (!(await source.unmark())) throw conflict(`${source.name} has not been moved anywhere.`)
}

/** Throws `WrongSecretError`. */
async function assertOpens(side: Side, vault: Vault): Promise<void> {
  if (!vault.ring.adopt(await side.keyRing())) throw new WrongSecretError()
}

async function assertMovable(source: Side, target: Side, vault: Vault): Promise<void> {
  await target.assertIdle()
  const filled = await target.filledTable()
  if (filled) throw conflict(`${target.name} is not empty: there are rows in ${filled}. Name an empty one.`)
  await assertBalanced(source)
  // An empty database that a server has started on has keys of its own, which are replaced.
  if ((await target.keyRing()).length > 0) await assertOpens(target, vault)
}

const conflict = (message: string) => new MoveError('conflict', message)

async function assertBalanced(side: Side): Promise<void> {
  const appId = await side.unbalanced()
  if (appId !== undefined)
    throw new MoveError('damaged_database', `In ${side.name} the ledger of ${appId} does not add up to its balance.`)
}

/** Answers the number of rows of each table of the source. */
async function copy(source: Side, target: Side, report: MoveOptions['report']): Promise<Record<string, number>> {
  await target.clear()
  const counts: Record<string, number> = {}
  for (const table of TABLES) {
    const of = await source.count(table)
    counts[table.name] = of
    let rows = 0
    for await (const batch of source.rowsOf(table)) {
      await target.insert(table, batch)
      rows += batch.length
      report({ table: table.name, rows, of })
    }
  }
  return counts
}

/** Throws `MoveError` unless the target has as many rows of each table, and ledgers that add up. */
async function verify(target: Side, counts: Readonly<Record<string, number>>): Promise<void> {
  for (const table of TABLES) {
    const [is, should] = [await target.count(table), counts[table.name]]
    if (is === should) continue
    throw new MoveError(
      'not_the_same',
      `${table.name} would have ${is} rows instead of ${should} in ${target.name}, which is as empty as before. Undo the move, or repeat it.`,
    )
  }
  await assertBalanced(target)
}
