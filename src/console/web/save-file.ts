/** Files made in the browser, of what it has been shown. */
export function saveFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

type CsvCell = string | number | undefined

/** What a spreadsheet would run as a formula becomes text; numbers of ours stay numbers. */
function cellOf(value: CsvCell): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const harmless = /^[\s]*[=+\-@|%]|^[\t\r\n]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** Tables for spreadsheets, as RFC 4180 has them. */
const csv = (rows: readonly (readonly CsvCell[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')

/** Spreadsheets take text for UTF-8 only where it begins so. */
const BYTE_ORDER_MARK = '\uFEFF'

export const saveCsv = (name: string, rows: readonly (readonly CsvCell[])[]): void =>
  saveFile(name, 'text/csv;charset=utf-8', BYTE_ORDER_MARK + csv(rows))
