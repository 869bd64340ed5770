import { BYTE_ORDER_MARK, type CsvCell, csv } from '../../domain/shared/csv'

/** Downloads a file that is built in the browser. */
export const saveFile = (name: string, type: string, text: string): void => saveBlob(name, new Blob([text], { type }))

function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

export const saveCsv = (name: string, rows: readonly (readonly CsvCell[])[]): void =>
  saveFile(name, 'text/csv;charset=utf-8', BYTE_ORDER_MARK + csv(rows))

/** Table as a workbook, by a library that is loaded for it. Text is never a formula there. */
export async function saveXlsx(name: string, rows: readonly (readonly CsvCell[])[]): Promise<void> {
  const { default: write } = await import('write-excel-file/universal')
  const cells = rows.map((row) => row.map((value) => value ?? null))
  saveBlob(name, await write(cells, { stickyRowsCount: 1 }).toBlob())
}
