/** Usage of one app or of all: where users are lost, what it costs, and sums by any groups, as a table and as a file. */
import { Button, Chip, Group, Paper, Skeleton, Stack, Text } from '@mantine/core'
import { IconChartBar, IconCoin } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { dayAt } from '../../../domain/shared/time-zone'
import { api } from '../api'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import { safetyNet } from '../live'
import { DayRangeInputs } from '../parts/day-range'
import { EmptyState } from '../parts/empty-state'
import { PageHeader } from '../parts/page-header'
import { ProblemNote } from '../parts/problem-note'
import { useScope } from '../scope'
import { useSession } from '../session'
import { useTimeZone } from '../time-zone'
import { USAGE_RANGES, type UsageSearch, usageSearch } from './search-params'
import { UsageCharts } from './usage/charts'
import { UsageFunnel } from './usage/funnel'
import { useMinute } from './usage/period'
import { openPrices } from './usage/prices'
import { chartStep, periodBefore, type ReportPeriod, reportPeriod } from './usage/report-period'
import { UsageSums } from './usage/sums'
import { usageWords } from './usage/words'

export default function UsagePage() {
  const say = useWords(usageWords)
  const common = useWords(frameWords)
  const seesAllApps = useSession().operator?.appIds === undefined
  const { app, isAll, mode } = useScope()
  const timeZone = useTimeZone()
  // The router passes parameters that `validateSearch` did not return, so they are validated again.
  const search = usageSearch({ ...useSearch({ from: '/inside/usage' }) })
  const period = reportPeriod(search, dayAt(useMinute(), timeZone))
  const asked = { mode, timeZone, ...(!isAll && app && { appId: app.appId }) }
  const usage = useQuery(
    api.usage.report.queryOptions({
      input: { ...asked, ...period, groupBy: [chartStep(period)] },
      placeholderData: keepPreviousData,
      refetchInterval: safetyNet,
    }),
  )
  const earlier = useQuery(
    api.usage.report.queryOptions({
      input: { ...asked, ...periodBefore(search, period), groupBy: [], limit: 1 },
      placeholderData: keepPreviousData,
      staleTime: 60_000,
    }),
  )
  return (
    <>
      <PageHeader title={common.pages.usage} about={say.about(timeZone)}>
        {seesAllApps && (
          <Button variant="default" leftSection={<IconCoin size={16} aria-hidden />} onClick={openPrices}>
            {say.prices}
          </Button>
        )}
      </PageHeader>
      <Stack gap="lg">
        <PeriodChoice search={search} period={period} />
        {usage.isError && <ProblemNote failure={usage.error} />}
        {usage.isPending && (
          <Stack aria-hidden>
            <Skeleton height={132} radius="md" />
            <Skeleton height={300} radius="md" />
          </Stack>
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
            <UsageFunnel total={usage.data.total} before={earlier.data?.total} />
            <UsageSums asked={asked} period={period} search={search} total={usage.data.total} />
            <UsageCharts rows={usage.data.rows} period={period} />
          </>
        )}
      </Stack>
    </>
  )
}

function PeriodChoice({ search, period }: { search: UsageSearch; period: ReportPeriod }) {
  const say = useWords(usageWords)
  const navigate = useNavigate({ from: '/usage' })
  const choose = (changes: UsageSearch) =>
    navigate({ search: (known: UsageSearch) => ({ ...known, ...changes }), replace: true, resetScroll: false })
  const { range = 'month' } = search
  const before = periodBefore(search, period)
  return (
    <Stack gap="xs">
      <Group gap={6} role="group" aria-label={say.range}>
        <Chip.Group
          value={range}
          onChange={(value) => {
            const chosen = value as typeof range
            choose(chosen === 'custom' ? { range: chosen, ...period } : { range: chosen })
          }}
        >
          {USAGE_RANGES.map((value) => (
            <Chip key={value} value={value} size="xs">
              {say.ranges[value]}
            </Chip>
          ))}
        </Chip.Group>
        <Text size="sm" c="dimmed">
          {say.days(period.from, period.to)}, {say.comparedWith(say.days(before.from, before.to))}
        </Text>
      </Group>
      {range === 'custom' && (
        <Group align="flex-end" gap="sm">
          <DayRangeInputs range={period} onChange={choose} />
        </Group>
      )}
    </Stack>
  )
}
