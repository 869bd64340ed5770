import { BYTE_ORDER_MARK, type CsvCell, csv } from '../../domain/shared/csv'

/** Downloads a file that is built in the browser. */
export function saveFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

export const saveCsv = (name: string, rows: readonly (readonly CsvCell[])[]): void =>
  saveFile(name, 'text/csv;charset=utf-8', BYTE_ORDER_MARK + csv(rows))
