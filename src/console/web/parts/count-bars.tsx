/** Counts as bars, on axes of whole numbers; and what all charts have in common. */
import { BarChart } from '@mantine/charts'

/** Beside every chart stands a table: that is what keyboards and screen readers use. */
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
