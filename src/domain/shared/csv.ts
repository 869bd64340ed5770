/** Tables as CSV, by RFC 4180. */

export type CsvCell = string | number | undefined

/**
 * Disarms text that a spreadsheet would run as a formula (CSV injection), also in the full width of East Asia, and quotes every
 * text: one that splits at semicolons or tabs would find a formula behind them. Numbers stay numbers.
 */
function cellOf(value: CsvCell): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const harmless = /^\s*[=+\-@|%;＝＋－＠]|^[\t\r\n]/.test(value) ? `'${value}` : value
  return `"${harmless.replaceAll('"', '""')}"`
}

export const csv = (rows: readonly (readonly CsvCell[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')

/** Spreadsheets recognize UTF-8 only by this mark. */
export const BYTE_ORDER_MARK = '\uFEFF'
