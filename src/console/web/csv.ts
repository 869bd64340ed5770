/** Tables for spreadsheets, as RFC 4180 has them. */
import { saveFile } from './save-file'

export type CsvCell = string | number | undefined

/** What a spreadsheet would run as a formula becomes text; numbers of ours stay numbers. */
function cellOf(value: CsvCell): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const harmless = /^[\s]*[=+\-@|%]|^[\t\r\n]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

export const csv = (rows: readonly (readonly CsvCell[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')

/** Spreadsheets take text for UTF-8 only where it begins so. */
const BYTE_ORDER_MARK = '\uFEFF'

export const saveCsv = (name: string, rows: readonly (readonly CsvCell[])[]): void =>
  saveFile(name, 'text/csv;charset=utf-8', BYTE_ORDER_MARK + csv(rows))
