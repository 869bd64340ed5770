/** Numbers under each other. */
import { Table } from '@mantine/core'
import styles from './plain-table.module.css'

export interface PlainTableProps {
  label: string
  /** The first one is of what each row is about. */
  headers: readonly string[]
  rows: readonly { key: string; cells: readonly string[] }[]
}

export function PlainTable({ label, headers: [about = '', ...numbers], rows }: PlainTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.frame} aria-label={label} tabIndex={0}>
      <Table highlightOnHover stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{about}</Table.Th>
            {numbers.map((header) => (
              <Table.Th key={header} scope="col" ta="right">
                {header}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ key, cells: [name = '', ...values] }) => (
            <Table.Tr key={key}>
              <Table.Th scope="row" fw={400}>
                {name}
              </Table.Th>
              {values.map((value, index) => (
                <Table.Td key={numbers[index]} ta="right">
                  {value}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  )
}
