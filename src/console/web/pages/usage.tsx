/** How much, how well, how fast and for what price; in words, as charts and as tables. */
import { Button, Paper, SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { IconChartBar } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { api } from '../api'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import { EmptyState } from '../parts/empty-state'
import { PageHeader } from '../parts/page-header'
import { ProblemNote } from '../parts/problem-note'
import { useAppScope } from '../scope'
import { UsageCharts } from './usage/charts'
import { UsageFilters } from './usage/filters'
import { UsageGroups } from './usage/groups'
import { before, periodOf, useMinute } from './usage/period'
import { usageSearch } from './usage/search'
import { UsageSummary } from './usage/summary'
import { usageWords } from './usage/words'

export default function UsagePage() {
  const say = useWords(usageWords)
  const common = useWords(frameWords)
  const { appId, mode } = useAppScope()
  // The router lets through what `validateSearch` leaves out.
  const search = usageSearch({ ...useSearch({ from: '/inside/usage' }) })
  const group = search.group ?? 'channel'
  const period = periodOf(search, useMinute())
  const { from, to, by } = period
  const live = { placeholderData: keepPreviousData, refetchInterval: 5_000 }
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
