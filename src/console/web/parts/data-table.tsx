/**
 * A table that pages by cursor. On phones each row is a card; roles keep it a table for those who cannot see that.
 *
 *     const issues = useInfiniteQuery(
 *       api.issues.list.infiniteOptions({ input: (after: string | undefined) => ({ appId, mode, after }), ...paging }),
 *     )
 *     <DataTable {...fromPages(issues)} label={say.title} keyOf={(row) => row.issueId} columns={[…]} empty={<EmptyState … />} />
 */
import { Button, Center, Skeleton, Stack, Table, Text } from '@mantine/core'
import type { LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useFormats } from '../i18n/format'
import { frameWords } from '../i18n/frame'
import { inWords, useWords } from '../i18n/words'
import styles from './data-table.module.css'
import { ProblemNote } from './problem-note'
import { RowLink } from './row-link'

export interface Column<Row> {
  /** Unique in its table. */
  key: string
  header: ReactNode
  cell(row: Row): ReactNode
  /** Numbers stand on the right. */
  isNumber?: boolean
  /** On one line, however narrow the table. */
  isUnbroken?: boolean
  /** Left out on phones. */
  isMinor?: boolean
}

interface Pages<Row> {
  rows: readonly Row[] | undefined
  failure: unknown
  onRetry?: () => void
  /** There are more: how to get them. */
  onMore?: (() => void) | undefined
  isLoadingMore?: boolean
  /** The word for it, where “load more” would promise too much. */
  more?: string
}

export interface DataTableProps<Row> extends Pages<Row> {
  /** What the table is of, for those who cannot see the heading above. */
  label: string
  columns: readonly Column<Row>[]
  keyOf(row: Row): string
  /** Where a row leads: its first cell becomes the link. */
  linkOf?(row: Row): LinkProps
  empty: ReactNode
}

const words = inWords({
  en: { more: 'Load more', shown: (count: string) => `${count} shown`, all: (count: string) => `${count}, all shown` },
  ko: { more: '더 보기', shown: (count) => `${count}개 표시`, all: (count) => `전체 ${count}개` },
})

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, failure, onRetry, onMore, isLoadingMore, more, label, columns, keyOf, linkOf, empty } = props
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={styles.frame} aria-label={label} tabIndex={0}>
        <Table role="table" className={styles.table} highlightOnHover aria-busy={rows === undefined}>
          <Table.Thead role="rowgroup">
            <Table.Tr role="row">
              {columns.map((column) => (
                <Table.Th key={column.key} role="columnheader" scope="col" {...placed(column)}>
                  {column.header}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody role="rowgroup">
            {rows === undefined
              ? SKELETON_ROWS.map((row) => (
                  <Table.Tr key={row} aria-hidden>
                    {columns.map((column) => (
                      <Table.Td key={column.key} {...placed(column)}>
                        <Skeleton height={14} my={4} />
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))
              : rows.map((row) => (
                  <Table.Tr key={keyOf(row)} role="row">
                    {columns.map((column, index) => (
                      <Table.Td key={column.key} role="cell" data-label={labelOf(column)} {...placed(column)}>
                        {linkOf && index === 0 ? (
                          <RowLink {...linkOf(row)}>{column.cell(row)}</RowLink>
                        ) : (
                          column.cell(row)
                        )}
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))}
          </Table.Tbody>
        </Table>
      </section>
      {rows && (
        <Center>
          <Stack gap={4} align="center">
            {onMore && (
              <Button variant="default" size="xs" onClick={onMore} loading={isLoadingMore ?? false}>
                {more ?? say.more}
              </Button>
            )}
            <Text size="xs" c="dimmed" role="status">
              {onMore ? say.shown(formats.number(rows.length)) : say.all(formats.number(rows.length))}
            </Text>
          </Stack>
        </Center>
      )}
      {failure !== null && failure !== undefined && <ProblemNote failure={failure} />}
    </Stack>
  )
}

const SKELETON_ROWS = ['a', 'b', 'c', 'd', 'e']

/** What stands before a value where there is no row of headers. */
const labelOf = ({ header }: Pick<Column<never>, 'header'>) => (typeof header === 'string' ? header : undefined)

const placed = ({ isNumber, isUnbroken, isMinor }: Omit<Column<never>, 'cell'>) => ({
  mod: { number: isNumber, unbroken: isUnbroken, minor: isMinor },
})

interface PagedQuery<Row> {
  data: { pages: readonly { rows: readonly Row[] }[] } | undefined
  error: unknown
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage(): unknown
  refetch(): unknown
}

/** What a table needs of an infinite query. */
export const fromPages = <Row,>(query: PagedQuery<Row>): Pages<Row> => ({
  rows: query.data?.pages.flatMap(({ rows }) => rows),
  failure: query.error,
  onRetry: () => query.refetch(),
  onMore: query.hasNextPage ? () => query.fetchNextPage() : undefined,
  isLoadingMore: query.isFetchingNextPage,
})

/** The same of a list that comes whole. */
export const fromList = <Row,>(
  rows: readonly Row[] | undefined,
  query: { error: unknown; refetch(): unknown },
): Pages<Row> => ({ rows, failure: query.error, onRetry: () => query.refetch() })
