/** Charts over the period, by days or months. */
import { LineChart } from '@mantine/charts'
import { SimpleGrid } from '@mantine/core'
import { useFormats } from '../../i18n/format'
import { frameWords } from '../../i18n/frame'
import { useWords } from '../../i18n/words'
import { CountBars, PLAIN, QUIET, WHOLE } from '../../parts/charts'
import { ChartPanel } from './chart-panel'
import { conversion, deliveryRate, type ReportTableRow } from './rates'
import { chartStep, type ReportPeriod, stepsOf } from './report-period'
import { usageWords } from './words'

const HEIGHT = 260
const LABELLED = { axisLabel: { fill: 'var(--mantine-color-text)' } }
/** Room for the name of the axis. */
const SPACED = { ...QUIET, margin: { left: 20, bottom: 30 } }
const NOTHING = { issued: 0, sent: 0, delivered: 0, failed: 0, verified: 0 }

export function UsageCharts({ rows, period }: { rows: readonly ReportTableRow[]; period: ReportPeriod }) {
  const say = useWords(usageWords)
  const common = useWords(frameWords)
  const formats = useFormats()
  const step = chartStep(period)
  const known = new Map(rows.map((row) => [row[step], row]))
  const points = stepsOf(period).map((name) => {
    const { issued, sent, delivered, failed, verified } = known.get(name) ?? NOTHING
    const counts = { issued, sent, delivered, failed, verified }
    const rates = { deliveryRate: deliveryRate(counts) ?? null, conversion: conversion(counts) ?? null }
    return { time: step === 'day' ? name.slice(5) : name, ...counts, ...rates }
  })
  const shared = { h: HEIGHT, data: points, dataKey: 'time', xAxisLabel: say.steps[step], styles: LABELLED }
  const summary = (what: string, values: readonly (number | null)[], write: (value: number) => string) => {
    const shown = values.filter((value) => value !== null)
    return shown.length === 0
      ? `${what}: ${common.none}`
      : say.chartOf(what, write(Math.min(...shown)), write(Math.max(...shown)))
  }
  const percent = (rate: number | null) => (rate === null ? common.none : formats.percent(rate))
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <ChartPanel
        title={say.issues}
        summary={summary(
          say.issues,
          points.map(({ issued }) => issued),
          formats.number,
        )}
        chart={
          <CountBars
            {...shared}
            barChartProps={SPACED}
            yAxisLabel={say.codes}
            valueFormatter={formats.number}
            yAxisProps={{ ...WHOLE, tickFormatter: formats.short }}
            series={[
              { name: 'issued', label: say.issued, color: 'indigo.6' },
              { name: 'verified', label: say.verified, color: 'teal.6' },
            ]}
          />
        }
        table={{
          headers: [say.steps[step], say.issued, say.sent, say.delivered, say.failed, say.verified],
          rows: points.map(({ time, issued, sent, delivered, failed, verified }) => ({
            key: time,
            cells: [time, ...[issued, sent, delivered, failed, verified].map(formats.number)],
          })),
        }}
      />
      <ChartPanel
        title={say.rates}
        summary={summary(
          say.rates,
          points.flatMap((point) => [point.deliveryRate, point.conversion]),
          formats.percent,
        )}
        chart={
          <LineChart
            {...shared}
            {...PLAIN}
            lineChartProps={SPACED}
            curveType="linear"
            connectNulls
            valueFormatter={formats.percent}
            yAxisLabel={say.share}
            yAxisProps={{ domain: [0, 1] }}
            series={[
              { name: 'deliveryRate', label: say.deliveryRate, color: 'indigo.6' },
              { name: 'conversion', label: say.conversion, color: 'teal.6', strokeDasharray: '5 3' },
            ]}
          />
        }
        table={{
          headers: [say.steps[step], say.deliveryRate, say.conversion],
          rows: points.map(({ time, deliveryRate, conversion }) => ({
            key: time,
            cells: [time, percent(deliveryRate), percent(conversion)],
          })),
        }}
      />
    </SimpleGrid>
  )
}
