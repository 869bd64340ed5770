/** Buttons that save all rows of a table as a file, not only those that are shown. */
import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { CsvCell } from '../../../domain/shared/csv'
import { isoAt } from '../../../domain/shared/time-zone'
import { inWords, useWords } from '../i18n/words'
import { saveCsv, saveXlsx } from '../save-file'
import { timeZone } from '../time-zone'
import { tellProblem } from './tell'

const words = inWords({
  en: { csv: 'CSV', xlsx: 'Excel', save: (what: string, kind: string) => `${kind}: ${what}` },
  ko: { csv: 'CSV', xlsx: '엑셀', save: (what, kind) => `${kind}: ${what}` },
})

export interface ExportColumn<Row> {
  header: string
  value(row: Row): CsvCell
}

export interface ExportButtonsProps<Row> {
  /** Accessible name of what is saved. */
  what: string
  /** Name of the file, without its ending. */
  fileName: string
  /** Missing: every field of the rows, as the console's interface names it. */
  columns?: readonly ExportColumn<Row>[]
  /** Below a table, where they are not what people come for. */
  isQuiet?: boolean
  /** All rows, in as many pages as there are. */
  pages(): AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>
}

export function ExportButtons<Row>({ what, fileName, columns, isQuiet = false, pages }: ExportButtonsProps<Row>) {
  const say = useWords(words)
  const save = useMutation({
    async mutationFn(kind: 'csv' | 'xlsx') {
      const rows: Row[] = []
      for await (const page of pages()) rows.push(...page)
      const saved = columns ?? fieldsOf(rows)
      const table = [saved.map(({ header }) => header), ...rows.map((row) => saved.map(({ value }) => value(row)))]
      const name = `${fileName.replace(/[^\p{L}\p{N}_-]+/gu, '-')}.${kind}`
      if (kind === 'csv') saveCsv(name, table)
      else await saveXlsx(name, table)
    },
    onError: tellProblem,
    gcTime: 0,
  })
  return (
    <Button.Group>
      {(['csv', 'xlsx'] as const).map((kind) => (
        <Button
          key={kind}
          variant={isQuiet ? 'subtle' : 'default'}
          color="gray"
          size={isQuiet ? 'compact-xs' : 'xs'}
          aria-label={say.save(what, say[kind])}
          leftSection={<IconDownload size={14} aria-hidden />}
          loading={save.isPending && save.variables === kind}
          onClick={() => save.mutate(kind)}
        >
          {say[kind]}
        </Button>
      ))}
    </Button.Group>
  )
}

function fieldsOf<Row>(rows: readonly Row[]): ExportColumn<Row>[] {
  const names = new Set(rows.flatMap((row) => Object.keys(Object(row))))
  return [...names].map((header) => ({ header, value: (row) => cellOf(header, Reflect.get(Object(row), header)) }))
}

function cellOf(field: string, value: unknown): CsvCell {
  if (value === undefined || typeof value === 'string') return value
  if (typeof value === 'number') return /^at$|At$/.test(field) ? isoAt(value, timeZone()) : value
  return JSON.stringify(value)
}

/** Every page of a list, one after the other. */
export async function* allPages<Row>(
  load: (after: string | undefined) => Promise<{ rows: readonly Row[]; next?: string | undefined }>,
): AsyncGenerator<readonly Row[]> {
  let after: string | undefined
  do {
    const { rows, next } = await load(after)
    yield rows
    after = next
  } while (after !== undefined)
}
