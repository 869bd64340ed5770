/** Numbers under each other, each row about one thing. */
import { StackingTable, type TableColumn } from '../../parts/stacking-table'

export interface NumberTableProps {
  label: string
  /** The first one is of what each row is about. */
  headers: readonly string[]
  rows: readonly NumberRow[]
  /** No higher than a chart. */
  isLow?: boolean
}

interface NumberRow {
  key: string
  cells: readonly string[]
}

export function NumberTable({ headers, ...table }: NumberTableProps) {
  const columns = headers.map((header, index): TableColumn<NumberRow> => {
    const cell = ({ cells }: NumberRow) => cells[index]
    return { key: header, header, cell, ...(index === 0 ? { isHeading: true } : { isNumber: true, isUnbroken: true }) }
  })
  return <StackingTable columns={columns} keyOf={({ key }) => key} {...table} />
}
