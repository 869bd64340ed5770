/** A panel that shows its data as a chart or as an accessible table. */
import { Group, Paper, SegmentedControl, Title } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useWords } from '../../i18n/words'
import { ChartFrame } from '../../parts/figure'
import { StackingTable, type TableColumn } from '../../parts/stacking-table'
import { usageWords } from './words'

interface ChartPanelProps {
  title: string
  /** The chart in a sentence, for screen readers. */
  summary: string
  chart: ReactNode
  table: Omit<NumberTableProps, 'label'>
}

export function ChartPanel({ title, summary, chart, table }: ChartPanelProps) {
  const say = useWords(usageWords)
  const [shown, setShown] = useState('chart')
  return (
    <Paper component="section" withBorder p="md" aria-label={title} miw={0}>
      <Group justify="space-between" mb="sm" gap="xs">
        <Title order={2}>{title}</Title>
        <SegmentedControl
          size="xs"
          aria-label={say.shownAs(title)}
          value={shown}
          data={[
            { value: 'chart', label: say.asChart },
            { value: 'table', label: say.asTable },
          ]}
          onChange={setShown}
        />
      </Group>
      {shown === 'chart' ? (
        <ChartFrame label={summary}>{chart}</ChartFrame>
      ) : (
        <NumberTable label={`${title}: ${say.asTable}`} isLow {...table} />
      )}
    </Paper>
  )
}

interface NumberTableProps {
  label: string
  /** The first header names the rows. */
  headers: readonly string[]
  rows: readonly NumberRow[]
  /** Limits the height to that of a chart. */
  isLow?: boolean
}

interface NumberRow {
  key: string
  cells: readonly string[]
}

/** Table of numbers with one heading per row. */
function NumberTable({ headers, ...table }: NumberTableProps) {
  const columns = headers.map((header, index): TableColumn<NumberRow> => {
    const cell = ({ cells }: NumberRow) => cells[index]
    return { key: header, header, cell, ...(index === 0 ? { isHeading: true } : { isNumber: true, isUnbroken: true }) }
  })
  return <StackingTable columns={columns} keyOf={({ key }) => key} {...table} />
}
