/** Tables as CSV, by RFC 4180. */

export type CsvCell = string | number | undefined

/** Quotes text that a spreadsheet would run as a formula (CSV injection). Numbers stay numbers. */
function cellOf(value: CsvCell): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const harmless = /^[\s]*[=+\-@|%]|^[\t\r\n]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

export const csv = (rows: readonly (readonly CsvCell[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')

/** Spreadsheets recognize UTF-8 only by this mark. */
export const BYTE_ORDER_MARK = '\uFEFF'
