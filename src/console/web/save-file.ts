/** Downloads a file that is built in the browser. */
export function saveFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

type CsvCell = string | number | undefined

/** Quotes text that a spreadsheet would run as a formula (CSV injection). Numbers stay numbers. */
function cellOf(value: CsvCell): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const harmless = /^[\s]*[=+\-@|%]|^[\t\r\n]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** Table as CSV, by RFC 4180. */
const csv = (rows: readonly (readonly CsvCell[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')

/** Spreadsheets recognize UTF-8 only by this mark. */
const BYTE_ORDER_MARK = '\uFEFF'

export const saveCsv = (name: string, rows: readonly (readonly CsvCell[])[]): void =>
  saveFile(name, 'text/csv;charset=utf-8', BYTE_ORDER_MARK + csv(rows))
