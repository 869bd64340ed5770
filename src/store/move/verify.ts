/** Whether the target has all that the source has: counts, ledgers, and rows that are looked up in both. */
import { MoveError } from '../moved'
import { keyOf, type Side, unsound } from './side'
import { TABLES, type Table } from './tables'

/** Of each table; all of a small one. */
const SAMPLE = 300

/** Answers how many rows were compared. Throws `MoveError`. */
export async function verify(source: Side, target: Side): Promise<number> {
  for (const table of TABLES) await sameCount(source, target, table)
  const unbalanced = await target.unbalanced()
  if (unbalanced) throw unsound(target, unbalanced)
  let compared = 0
  for (const table of TABLES) compared += await sameRows(source, target, table)
  return compared
}

async function sameCount(source: Side, target: Side, table: Table): Promise<void> {
  const [is, should] = [await target.count(table), await source.count(table)]
  if (is !== should) throw different(target, `${table.name} has ${is} rows instead of ${should}`)
}

async function sameRows(source: Side, target: Side, table: Table): Promise<number> {
  const rows = await source.sample(table, SAMPLE)
  for (const row of rows) {
    const key = keyOf(table, row)
    const found = await target.find(table, key)
    if (!found) throw different(target, `${table.name} lacks the row ${key.join(' ')}`)
    const column = table.columns.find((_, at) => found[at] !== row[at])
    if (column) throw different(target, `${table.name} has another ${column.name} in the row ${key.join(' ')}`)
  }
  return rows.length
}

const different = (target: Side, what: string) =>
  new MoveError(
    'not_the_same',
    `${target.name} has not become what it should: ${what}. Empty it, undo the move and move anew.`,
  )
