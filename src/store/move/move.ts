/**
 * Moves an installation from one kind of database to the other, with its servers stopped. What has been written and how far
 * it has come are stored together, so a move that was killed goes on where it was.
 */
import type { Vault } from '../../ports/vault'
import { type Mark, MOVED_FROM, MOVED_TO, MOVING, MoveError, type Place } from '../moved'
import { WrongSecretError } from '../secret'
import { keyOf, type Side, unsound } from './side'
import { TABLES, type Table } from './tables'
import { verify } from './verify'

const BATCH = 1_000

export interface MoveOptions {
  vault: Vault
  /** Of this move, where it is a new one. */
  id: string
  /** Told after each batch, and before the two are compared. */
  report: (progress: Progress) => void
}

/** So many rows of a table have been written, of so many; or all are, and are being compared. */
export type Progress = { table: string; rows: number; of: number } | 'verifying'

export interface Moved {
  from: string
  to: string
  /** Rows of each table. */
  tables: Record<string, number>
  /** How many were looked up on both sides and compared. */
  compared: number
}

/**
 * Undefined where it had been done before. Throws `WrongSecretError`, and `MoveError` where one of them is in use, where the
 * target is not empty, and where the two are not the same in the end.
 */
export async function move(source: Side, target: Side, { vault, id, report }: MoveOptions): Promise<Moved | undefined> {
  const begun = await markOf(source, target, id)
  await assertOpens(source, vault)
  if (begun === 'done') return undefined
  await Promise.all([source, target].map((side) => side.assertIdle()))
  const { mark, at, isNew } = begun
  if (isNew) await assertMovable(source, target, vault)
  await source.leave(mark)
  if (isNew) await target.begin(mark)
  const tables = await copy(source, target, { mark, at, report })
  report('verifying')
  const compared = await verify(source, target)
  await target.finish(await source.lastNumbers(), mark)
  await source.left({ ...mark, isDone: true })
  return { from: source.name, to: target.name, tables, compared }
}

/** A database that was left can be worked on again, as it was then. */
export async function undoMove(source: Side, vault: Vault): Promise<void> {
  await assertOpens(source, vault)
  if (!(await source.comeBack())) throw new MoveError('conflict', `${source.name} has not been moved anywhere.`)
}

/** Throws `WrongSecretError`. */
async function assertOpens(side: Side, vault: Vault): Promise<void> {
  if (!vault.ring.adopt(await side.ring())) throw new WrongSecretError()
}

interface Begun {
  mark: Mark
  /** How far it has come. */
  at: Place | undefined
  isNew: boolean
}

/** Where the move begins: anew, or where it was when it ended too early. */
async function markOf(source: Side, target: Side, newId: string): Promise<Begun | 'done'> {
  const half = await source.mark(MOVING)
  if (half) throw conflict(`${source.name} is itself half of a move, from ${half.from}: finish that first.`)
  const left = await source.mark(MOVED_TO)
  const begun = await target.mark(MOVING)
  const done = await target.mark(MOVED_FROM)
  if (left && done?.id === left.id) return 'done'
  if (begun && begun.id !== left?.id) {
    throw conflict(`${target.name} is half of another move, from ${begun.from}: empty it, or name another one.`)
  }
  const mark = { id: left?.id ?? newId, from: source.name, to: target.name }
  if (begun) return { mark, at: begun.at, isNew: false }
  if (left && (left.isDone || left.to !== target.name)) {
    throw conflict(
      `${source.name} was moved to ${left.to}. To move it anew: \`watchword move --undo --from '${source.name}'\`.`,
    )
  }
  return { mark, at: undefined, isNew: true }
}

async function assertMovable(source: Side, target: Side, vault: Vault): Promise<void> {
  const filled = await target.filledTable()
  if (filled) throw conflict(`${target.name} is not empty: there are rows in ${filled}. Name an empty one.`)
  const unbalanced = await source.unbalanced()
  if (unbalanced) throw unsound(source, unbalanced)
  // An empty database that a server has begun has keys of its own, which give way.
  if ((await target.ring()).length > 0) await assertOpens(target, vault)
}

const conflict = (message: string) => new MoveError('conflict', message)

interface Copying extends Pick<MoveOptions, 'report'> {
  mark: Mark
  at: Place | undefined
}

/** Answers how many rows each table has. */
async function copy(source: Side, target: Side, { mark, at, report }: Copying): Promise<Record<string, number>> {
  const first = TABLES.findIndex(({ name }) => name === at?.table)
  const counts: Record<string, number> = {}
  for (const [n, table] of TABLES.entries()) {
    const of = await source.count(table)
    counts[table.name] = of
    if (n < first) continue
    const after = n === first ? at?.after : undefined
    let rows = after ? await target.count(table) : 0
    for await (const written of batches(source, target, { table, after, mark })) {
      rows += written
      report({ table: table.name, rows, of })
    }
  }
  return counts
}

interface Batches {
  table: Table
  after: readonly string[] | undefined
  mark: Mark
}

/** While one batch is written, the next one is read. */
async function* batches(source: Side, target: Side, { table, after, mark }: Batches): AsyncGenerator<number> {
  let page = await source.page(table, after, BATCH)
  for (let last = page.at(-1); last; last = page.at(-1)) {
    const key = keyOf(table, last)
    const at = { table: table.name, after: key }
    const [, next] = await Promise.all([target.add(table, page, { ...mark, at }), source.page(table, key, BATCH)])
    yield page.length
    page = next
  }
}
