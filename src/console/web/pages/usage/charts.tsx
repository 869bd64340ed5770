/** Charts over the period, and breakdowns by group. */
import { LineChart } from '@mantine/charts'
import { Grid, Group, Paper, SegmentedControl, SimpleGrid, Title } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useFormats } from '../../i18n/format'
import { frameWords } from '../../i18n/frame'
import { channelWords, countryName } from '../../i18n/names'
import { useLanguage, useWords } from '../../i18n/words'
import { CountBars, NameBars, PLAIN, QUIET, WHOLE } from '../../parts/charts'
import { USAGE_GROUPS, type UsageGroup, type UsageSearch } from '../search-params'
import { ChartPanel, NumberTable } from './chart-panel'
import { useStepNames } from './period'
import { conversion, deliveryRate, type ShownUsage } from './rates'
import { usageWords } from './words'

const HEIGHT = 240
/** `12,345 ms` on one line. */
const MS_WIDTH = 84

export function UsageCharts({ series, by }: { series: ShownUsage['series']; by: 'hour' | 'day' }) {
  const say = useWords(usageWords)
  const common = useWords(frameWords)
  const formats = useFormats()
  const nameOf = useStepNames(by)
  const percent = (share: number | undefined) => (share === undefined ? common.none : formats.percent(share))
  const ms = (value: number | undefined) => (value === undefined ? common.none : formats.milliseconds(value))
  const points = series.map((counts) => ({
    ...counts,
    time: nameOf(counts.at),
    deliveryRate: deliveryRate(counts) ?? null,
    conversion: conversion(counts) ?? null,
    p50Ms: counts.p50Ms ?? null,
    p95Ms: counts.p95Ms ?? null,
  }))
  const shared = { h: HEIGHT, data: points, dataKey: 'time' }
  const bars = { ...shared, valueFormatter: formats.number, yAxisProps: { ...WHOLE, tickFormatter: formats.short } }
  const lines = { ...shared, ...PLAIN, lineChartProps: QUIET, curveType: 'monotone' as const, connectNulls: true }
  const summary = (what: string, values: (number | null)[], write: (value: number) => string) => {
    const known = values.filter((value) => value !== null)
    return known.length === 0
      ? `${what}: ${common.none}`
      : say.chartOf(what, write(Math.min(...known)), write(Math.max(...known)))
  }
  const rowsOf = (cells: (counts: ShownUsage['series'][number]) => string[]) =>
    series.map((counts) => ({ key: String(counts.at), cells: [nameOf(counts.at), ...cells(counts)] }))
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
            {...bars}
            series={[
              { name: 'issued', label: say.issued, color: 'indigo.6' },
              { name: 'verified', label: say.verified, color: 'teal.6' },
            ]}
          />
        }
        table={{
          headers: [say.time, say.issued, say.delivered, say.failed, say.verified],
          rows: rowsOf(({ issued, delivered, failed, verified }) =>
            [issued, delivered, failed, verified].map(formats.number),
          ),
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
            {...lines}
            valueFormatter={formats.percent}
            yAxisProps={{ domain: [0, 1] }}
            series={[
              { name: 'deliveryRate', label: say.deliveryRate, color: 'indigo.6' },
              { name: 'conversion', label: say.conversion, color: 'teal.6', strokeDasharray: '5 3' },
            ]}
          />
        }
        table={{
          headers: [say.time, say.deliveryRate, say.conversion],
          rows: rowsOf((counts) => [percent(deliveryRate(counts)), percent(conversion(counts))]),
        }}
      />
      <ChartPanel
        title={say.latency}
        summary={summary(
          say.latency,
          points.flatMap(({ p50Ms, p95Ms }) => [p50Ms, p95Ms]),
          formats.milliseconds,
        )}
        chart={
          <LineChart
            {...lines}
            valueFormatter={formats.milliseconds}
            yAxisProps={{ width: MS_WIDTH }}
            series={[
              { name: 'p50Ms', label: say.p50, color: 'indigo.6' },
              { name: 'p95Ms', label: say.p95, color: 'orange.6', strokeDasharray: '5 3' },
            ]}
          />
        }
        table={{ headers: [say.time, say.p50, say.p95], rows: rowsOf(({ p50Ms, p95Ms }) => [ms(p50Ms), ms(p95Ms)]) }}
      />
      <ChartPanel
        title={say.spent}
        summary={summary(
          say.spent,
          points.map(({ spent }) => spent),
          formats.number,
        )}
        chart={<CountBars {...bars} series={[{ name: 'spent', label: say.spent, color: 'indigo.6' }]} />}
        table={{ headers: [say.time, say.spent], rows: rowsOf(({ spent }) => [formats.number(spent)]) }}
      />
    </SimpleGrid>
  )
}

/** Breakdown by channel, carrier, country or purpose. */
export function UsageGroups({ groups, by }: { groups: ShownUsage['groups']; by: UsageGroup }) {
  const say = useWords(usageWords)
  const common = useWords(frameWords)
  const formats = useFormats()
  const nameOf = useGroupNames(by)
  const navigate = useNavigate({ from: '/usage' })
  const percent = (share: number | undefined) => (share === undefined ? common.none : formats.percent(share))
  const ms = (value: number | undefined) => (value === undefined ? common.none : formats.milliseconds(value))
  return (
    <Paper component="section" withBorder p="md" aria-label={say.group}>
      <Group justify="space-between" mb="md">
        <Title order={2}>{say.group}</Title>
        <SegmentedControl
          size="xs"
          aria-label={say.group}
          value={by}
          data={USAGE_GROUPS.map((value) => ({ value, label: say.groups[value] }))}
          onChange={(value) =>
            navigate({
              search: (known: UsageSearch) => ({ ...known, group: value as UsageGroup }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      </Group>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, xl: 4 }}>
          <NameBars
            rows={groups.map(({ name, issued, verified }) => ({ name: nameOf(name), counts: [issued, verified] }))}
            series={[
              { label: say.issued, color: 'indigo.6' },
              { label: say.verified, color: 'teal.6' },
            ]}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, xl: 8 }}>
          <NumberTable
            label={say.groups[by]}
            headers={[say.groups[by], say.issued, say.deliveryRate, say.conversion, say.p50, say.p95, say.spent]}
            rows={groups.map((group) => ({
              key: group.name,
              cells: [
                nameOf(group.name),
                formats.number(group.issued),
                percent(deliveryRate(group)),
                percent(conversion(group)),
                ms(group.p50Ms),
                ms(group.p95Ms),
                formats.number(group.spent),
              ],
            }))}
          />
        </Grid.Col>
      </Grid>
    </Paper>
  )
}

function useGroupNames(by: UsageGroup): (name: string) => string {
  const say = useWords(usageWords)
  const channels = useWords(channelWords)
  const language = useLanguage()
  return (name) => {
    if (by === 'channel') return channels[name as keyof typeof channels] ?? name
    if (by === 'provider') return name || say.noProvider
    if (by === 'country') return name === '' || name === 'ZZ' ? say.noCountry : countryName(name, language)
    // Names of relays begin with a space where they are counted.
    return name.startsWith(' ') ? say.relay(name.trim()) : name
  }
}
