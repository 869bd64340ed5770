/**
 * Rows under headers. On phones each row is a card; roles keep it a table for those who cannot see that. Behind
 * `DataTable`, and alone where all rows are at hand.
 */
import { Group, Skeleton, Table, UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import type { LinkProps } from '@tanstack/react-router'
import type { PropsWithChildren, ReactNode } from 'react'
import { useDensity } from './density'
import styles from './stacking-table.module.css'
import { RowLink } from './text'

export interface TableColumn<Row> {
  /** Unique in its table. */
  key: string
  header: ReactNode
  cell(row: Row): ReactNode
  isHeading?: boolean
  /** Right-aligned numbers. */
  isNumber?: boolean
  /** Never wraps. */
  isUnbroken?: boolean
  /** Hidden on phones. */
  isMinor?: boolean
  /** At the end of its line, where rows are lines on phones. */
  isAtEnd?: boolean
  /** For columns that the rows can be sorted by. */
  sort?: { isAscending: boolean | undefined; onToggle(): void }
}

export interface StackingTableProps<Row> {
  /** Accessible name of the table. */
  label: string
  /** `false` or undefined leaves a column out, such as that of actions which the role does not allow. */
  columns: readonly (TableColumn<Row> | false | undefined)[]
  /** Missing while they are loaded. */
  rows: readonly Row[] | undefined
  keyOf(row: Row): string
  /** Target of a row: its first cell becomes a link, which the whole row opens. */
  linkOf?: ((row: Row) => LinkProps) | undefined
  /** Limits the height to that of a chart; the table scrolls. */
  isLow?: boolean
  /** On phones the cells of a row stand in lines without labels, instead of one below the other. */
  isInLines?: boolean
}

export function StackingTable<Row>(props: StackingTableProps<Row>) {
  const { label, rows, keyOf, linkOf, isLow = false, isInLines = false } = props
  const columns = props.columns.filter((column) => column !== false && column !== undefined)
  const density = useDensity()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.frame} aria-label={label} tabIndex={0} data-low={isLow || undefined}>
      <Table
        role="table"
        className={styles.table}
        mod={{ density, lines: isInLines, linked: linkOf !== undefined }}
        verticalSpacing={density === 'dense' ? 2 : 'xs'}
        horizontalSpacing={density === 'dense' ? 'xs' : 'sm'}
        highlightOnHover
        stickyHeader={isLow}
        aria-busy={rows === undefined}
      >
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map((column) => (
              <Table.Th
                key={column.key}
                role="columnheader"
                scope="col"
                aria-sort={column.sort && orderOf(column.sort)}
                {...placed(column)}
              >
                {column.sort && <SortButton {...column.sort}>{column.header}</SortButton>}
                <span className={column.sort && styles.spokenHeader}>{column.header}</span>
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
                    <Table.Td
                      key={column.key}
                      role={column.isHeading ? 'rowheader' : 'cell'}
                      data-label={labelOf(column)}
                      {...placed(column)}
                    >
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
  )
}

type Sort = NonNullable<TableColumn<never>['sort']>

const orderOf = ({ isAscending }: Sort) =>
  isAscending === undefined ? 'none' : isAscending ? 'ascending' : 'descending'

/** A header may be one character of Korean, which alone is too small to hit. */
const TARGET_PX = 24

const SortButton = ({ isAscending, onToggle, children }: PropsWithChildren<Sort>) => (
  <UnstyledButton fz="inherit" fw="inherit" miw={TARGET_PX} onClick={onToggle}>
    <Group component="span" gap={4} wrap="nowrap">
      {children}
      {isAscending === true && <IconArrowUp size={14} aria-hidden />}
      {isAscending === false && <IconArrowDown size={14} aria-hidden />}
    </Group>
  </UnstyledButton>
)

const SKELETON_ROWS = ['a', 'b', 'c', 'd', 'e']

/** Label of a value in a card, which has no header row. */
const labelOf = ({ header }: Pick<TableColumn<never>, 'header'>) => (typeof header === 'string' ? header : undefined)

const placed = ({ isNumber, isUnbroken, isMinor, isAtEnd }: Omit<TableColumn<never>, 'cell'>) => ({
  mod: { number: isNumber, unbroken: isUnbroken, minor: isMinor, end: isAtEnd },
})
