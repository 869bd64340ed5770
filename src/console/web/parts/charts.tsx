/** Bar charts of counts, and options shared by all charts. */
import { BarChart } from '@mantine/charts'
import { useFormats } from '../i18n/format'
import { ChartFrame } from './figure'

/** Keyboards and screen readers use the table beside each chart. */
export const QUIET = { accessibilityLayer: false }

export const PLAIN = {
  withLegend: true,
  // Every hour or day, every second, every third …: as many as there is room for, at equal distances.
  xAxisProps: { interval: 'equidistantPreserveStart' },
  // In the order of the series.
  legendProps: { itemSorter: null },
  tickLine: 'none',
} as const

export const WHOLE = { allowDecimals: false }

export const CountBars = BarChart.withProps({ ...PLAIN, barChartProps: QUIET, yAxisProps: WHOLE })

/** Maximum of bars; the table beside the chart has all of them. */
const MOST_BARS = 12
const BAR_HEIGHT = 36
const AXIS_HEIGHT = 60
/** Width of a label; the table has the full name. */
const LONGEST_NAME = 12
const NAMES_WIDTH = 112

const short = (name: string) => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name)

interface NameBarsProps {
  rows: readonly { name: string; counts: readonly number[] }[]
  /** Names of the series; the first one is read out for a bar. */
  series: readonly { label: string; color: string }[]
}

/** Horizontal bars of named counts, largest first. */
export function NameBars({ rows, series }: NameBarsProps) {
  const formats = useFormats()
  const bars = rows.slice(0, MOST_BARS)
  return (
    <ChartFrame label={bars.map(({ name, counts: [first = 0] }) => `${name}: ${formats.number(first)}`).join(', ')}>
      <CountBars
        h={bars.length * BAR_HEIGHT + AXIS_HEIGHT}
        data={bars.map(({ name, counts }) => ({ name, ...counts }))}
        dataKey="name"
        orientation="vertical"
        gridAxis="none"
        yAxisProps={{ width: NAMES_WIDTH, tickFormatter: short }}
        xAxisProps={{ ...WHOLE, tickFormatter: formats.short }}
        valueFormatter={formats.number}
        series={series.map(({ label, color }, place) => ({ name: String(place), label, color }))}
      />
    </ChartFrame>
  )
}
