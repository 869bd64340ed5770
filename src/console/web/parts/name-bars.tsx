/** Counts of named things as bars, one under the other, the most first. */
import { useFormats } from '../i18n/format'
import { ChartFrame } from './chart-frame'
import { CountBars, WHOLE } from './count-bars'

/** As many as a chart can show; a table beside it has all of them. */
const MOST_BARS = 12
const BAR_HEIGHT = 36
const AXIS_HEIGHT = 60
/** Beside the bars; the table has the whole name. */
const LONGEST_NAME = 12
const NAMES_WIDTH = 112

const short = (name: string) => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name)

export interface NameBarsProps {
  rows: readonly { name: string; counts: readonly number[] }[]
  /** What each of the counts is; the first one is what a bar is read out as. */
  series: readonly { label: string; color: string }[]
}

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
