/**
 * A table that pages by cursor.
 *
 *     const issues = useInfiniteQuery(
 *       api.issues.list.infiniteOptions({ input: (after: string | undefined) => ({ appId, mode, after }), ...paging }),
 *     )
 *     <DataTable {...fromPages(issues)} label={say.title} keyOf={(row) => row.issueId} columns={[…]} empty={<EmptyState … />} />
 */
import { Button, Center, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFormats } from '../i18n/format'
import { frameWords } from '../i18n/frame'
import { inWords, useWords } from '../i18n/words'
import { allPages, ExportButtons } from './export-buttons'
import { ProblemNote } from './problem-note'
import { StackingTable, type StackingTableProps, type TableColumn } from './stacking-table'

export type { TableColumn }

interface Pages<Row> {
  rows: readonly Row[] | undefined
  failure: unknown
  onRetry?: () => void
  /** Loads more rows; undefined if there are none. */
  onMore?: (() => void) | undefined
  isLoadingMore?: boolean
  /** Label of the button, if “load more” would promise too much. */
  more?: string
}

export interface DataTableProps<Row> extends Pages<Row>, Omit<StackingTableProps<Row>, 'rows' | 'isLow'> {
  empty: ReactNode
  /** Lets people save the table. Without `load` its rows are all there are. */
  file?: {
    name: string
    load?(after: string | undefined): Promise<{ rows: readonly Row[]; next?: string | undefined }>
  }
}

const words = inWords({
  en: { more: 'Load more', shown: (count: string) => `${count} shown`, all: (count: string) => `${count}, all shown` },
  ko: { more: '더 보기', shown: (count) => `${count}개 표시`, all: (count) => `전체 ${count}개` },
})

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, failure, onRetry, onMore, isLoadingMore, more, empty, file, ...table } = props
  const say = useWords(words)
  const common = useWords(frameWords)
  const formats = useFormats()
  if (failure !== null && failure !== undefined && rows === undefined)
    return (
      <ProblemNote failure={failure}>
        {onRetry && (
          <Button variant="default" size="xs" onClick={onRetry}>
            {common.retry}
          </Button>
        )}
      </ProblemNote>
    )
  if (rows?.length === 0) return empty
  return (
    <Stack gap="sm">
      <StackingTable {...table} rows={rows} />
      {rows && (
        <Center>
          <Stack gap={4} align="center">
            {onMore && (
              <Button variant="default" size="xs" onClick={onMore} loading={isLoadingMore ?? false}>
                {more ?? say.more}
              </Button>
            )}
            <Group gap="sm" justify="center">
              <Text size="xs" c="dimmed" role="status">
                {onMore ? say.shown(formats.number(rows.length)) : say.all(formats.number(rows.length))}
              </Text>
              {file && (
                <ExportButtons
                  isQuiet
                  what={table.label}
                  fileName={file.name}
                  pages={() => (file.load ? allPages(file.load) : [rows])}
                />
              )}
            </Group>
          </Stack>
        </Center>
      )}
      {failure !== null && failure !== undefined && <ProblemNote failure={failure} />}
    </Stack>
  )
}

interface PagedQuery<Row> {
  data: { pages: readonly { rows: readonly Row[] }[] } | undefined
  error: unknown
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage(): unknown
  refetch(): unknown
}

/** Adapts an infinite query to the table. */
export const fromPages = <Row,>(query: PagedQuery<Row>): Pages<Row> => ({
  rows: query.data?.pages.flatMap(({ rows }) => rows),
  failure: query.error,
  onRetry: () => query.refetch(),
  onMore: query.hasNextPage ? () => query.fetchNextPage() : undefined,
  isLoadingMore: query.isFetchingNextPage,
})

/** Adapts a complete list to the table. */
export const fromList = <Row,>(
  rows: readonly Row[] | undefined,
  query: { error: unknown; refetch(): unknown },
): Pages<Row> => ({ rows, failure: query.error, onRetry: () => query.refetch() })
