/** Tables for spreadsheets, as RFC 4180 has them. */

export type Cell = string | number | undefined

/** What a spreadsheet would run as a formula becomes text; numbers of ours stay numbers. */
function cellOf(value: Cell): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const harmless = /^[\s]*[=+\-@|%]|^[\t\r\n]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

export const csv = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')

/** Spreadsheets take text for UTF-8 only where it begins so. */
const BYTE_ORDER_MARK = '\uFEFF'

/** Gives the browser a file to keep. */
export function saveCsv(name: string, rows: readonly (readonly Cell[])[]): void {
  const url = URL.createObjectURL(new Blob([BYTE_ORDER_MARK + csv(rows)], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
