/** Usage of an app: volume, conversion, latency and cost, as text, charts and tables. */
import { Button, Group, Paper, SegmentedControl, SimpleGrid, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { IconChartBar } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { api } from '../api'
import { type Formats, useFormats } from '../i18n/format'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import { safetyNet } from '../live'
import { EmptyState } from '../parts/empty-state'
import { PageHeader } from '../parts/page-header'
import { ProblemNote } from '../parts/problem-note'
import { useAppScope } from '../scope'
import { USAGE_RANGES, type UsageSearch, usageSearch } from './search-params'
import { UsageCharts, UsageGroups } from './usage/charts'
import { before, dayText, type Period, periodOf, useMinute } from './usage/period'
import { conversion, deliveryRate, type UsageTotals } from './usage/rates'
import { usageWords } from './usage/words'

export default function UsagePage() {
  const say = useWords(usageWords)
  const common = useWords(frameWords)
  const { appId, mode } = useAppScope()
  // The router passes parameters that `validateSearch` did not return, so they are validated again.
  const search = usageSearch({ ...useSearch({ from: '/inside/usage' }) })
  const group = search.group ?? 'channel'
  const period = periodOf(search, useMinute())
  const { from, to, by } = period
  const live = { placeholderData: keepPreviousData, refetchInterval: safetyNet }
  const usage = useQuery(api.usage.show.queryOptions({ input: { appId, mode, from, to, by, groupBy: group }, ...live }))
  const earlier = before(period)
  const previous = useQuery(
    api.usage.show.queryOptions({
      input: { appId, mode, from: earlier.from, to: earlier.to, by },
      placeholderData: keepPreviousData,
      staleTime: 60_000,
    }),
  )
  return (
    <>
      <PageHeader title={common.pages.usage} about={say.about} />
      <Stack gap="lg">
        <UsageFilters search={search} period={period} />
        {usage.isError && <ProblemNote failure={usage.error} />}
        {usage.isPending && (
          <SimpleGrid cols={{ base: 1, lg: 2 }} aria-hidden>
            {['a', 'b', 'c', 'd'].map((place) => (
              <Skeleton key={place} height={300} radius="md" />
            ))}
          </SimpleGrid>
        )}
        {usage.data?.total.issued === 0 && (
          <Paper withBorder>
            <EmptyState icon={IconChartBar} title={say.emptyTitle} next={say.emptyNext[mode]}>
              {mode === 'test' && (
                <Button component={Link} to="/try-it">
                  {say.tryIt}
                </Button>
              )}
            </EmptyState>
          </Paper>
        )}
        {usage.data !== undefined && usage.data.total.issued > 0 && (
          <>
            <UsageSummary total={usage.data.total} previous={previous.data?.total} />
            <UsageCharts series={usage.data.series} by={by} />
            <UsageGroups groups={usage.data.groups} by={group} />
          </>
        )}
      </Stack>
    </>
  )
}

/** Choice of the period and its interval. */
function UsageFilters({ search, period }: { search: UsageSearch; period: Period }) {
  const say = useWords(usageWords)
  const navigate = useNavigate({ from: '/usage' })
  const choose = (changes: UsageSearch) =>
    navigate({ search: (known: UsageSearch) => ({ ...known, ...changes }), replace: true, resetScroll: false })
  const range = search.range ?? '24h'
  const from = dayText(period.from)
  const to = dayText(period.to - 1)
  return (
    <Group align="flex-end" gap="sm">
      <SegmentedControl
        aria-label={say.range}
        value={range}
        data={USAGE_RANGES.map((value) => ({ value, label: say.ranges[value] }))}
        onChange={(value) => {
          const chosen = value as typeof range
          choose({ range: chosen, ...(chosen === 'custom' && { from, to, by: period.by }) })
        }}
      />
      {period.only === undefined && (
        <SegmentedControl
          aria-label={say.step}
          value={period.by}
          data={(['hour', 'day'] as const).map((value) => ({ value, label: say.steps[value] }))}
          onChange={(value) => choose({ by: value as Period['by'] })}
        />
      )}
      {range === 'custom' && (
        <>
          <TextInput
            type="date"
            label={say.from}
            value={from}
            max={to}
            onChange={(event) => event.currentTarget.value && choose({ from: event.currentTarget.value })}
          />
          <TextInput
            type="date"
            label={say.to}
            value={to}
            min={from}
            onChange={(event) => event.currentTarget.value && choose({ to: event.currentTarget.value })}
          />
        </>
      )}
    </Group>
  )
}

type Say = (typeof usageWords)['en']

interface UsageSummaryProps {
  total: UsageTotals
  /** Missing while loading. */
  previous: UsageTotals | undefined
}

/** The period in words, compared with the previous period, and its main figures. */
function UsageSummary({ total, previous }: UsageSummaryProps) {
  const say = useWords(usageWords)
  const common = useWords(frameWords)
  const formats = useFormats()
  const rate = deliveryRate(total)
  const verified = conversion(total)
  const { p50Ms, p95Ms } = total
  const sentences = [
    `${[say.issuedWords(total.issued, formats.number(total.issued)), ...amountCompared(say, formats, total, previous)].join(', ')}.`,
    ...(rate === undefined
      ? []
      : [sentence(say.deliveredWords(formats.percent(rate)), say, formats, rate, previous && deliveryRate(previous))]),
    ...(verified === undefined
      ? []
      : [
          sentence(
            say.verifiedWords(formats.percent(verified)),
            say,
            formats,
            verified,
            previous && conversion(previous),
          ),
        ]),
    ...(p50Ms === undefined || p95Ms === undefined
      ? []
      : [say.latencyWords(formats.milliseconds(p50Ms), formats.milliseconds(p95Ms))]),
  ]
  const shown = (share: number | undefined) => (share === undefined ? common.none : formats.percent(share))
  const ms = (value: number | undefined) => (value === undefined ? common.none : formats.milliseconds(value))
  return (
    <Stack component="section" aria-label={say.summary}>
      <Text>{sentences.join(' ')}</Text>
      <SimpleGrid component="dl" cols={{ base: 2, sm: 3, xl: 6 }}>
        <Figure name={say.issued} value={formats.number(total.issued)} />
        <Figure name={say.deliveryRate} value={shown(rate)} />
        <Figure name={say.conversion} value={shown(verified)} />
        <Figure name={`${say.latency}, ${say.p50}`} value={ms(p50Ms)} />
        <Figure name={`${say.latency}, ${say.p95}`} value={ms(p95Ms)} />
        <Figure name={say.spent} value={formats.number(total.spent)} />
      </SimpleGrid>
      <Text size="xs" c="dimmed">
        {say.rateNote}
      </Text>
    </Stack>
  )
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <Paper withBorder p="sm">
      <Text component="dt" size="xs" c="dimmed">
        {name}
      </Text>
      <Text component="dd" size="xl" fw={600}>
        {value}
      </Text>
    </Paper>
  )
}

function amountCompared(say: Say, formats: Formats, total: UsageTotals, previous: UsageTotals | undefined): string[] {
  if (previous === undefined) return []
  if (previous.issued === 0) return [say.first]
  const change = total.issued / previous.issued - 1
  if (change === 0) return [say.same]
  return [change > 0 ? say.more(formats.percent(change)) : say.fewer(formats.percent(-change))]
}

function sentence(words: string, say: Say, formats: Formats, now: number, then: number | undefined): string {
  if (then === undefined) return `${words}.`
  const points = Math.round((now - then) * 1_000) / 10
  const by = say.points(formats.number(Math.abs(points)))
  return `${words} (${points === 0 ? say.unchanged : points > 0 ? say.up(by) : say.down(by)}).`
}
