/** The abuse protection of an app: rules, results and immediate actions. */
import { Group, SegmentedControl, Skeleton, Stack, Title } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { api } from '../api'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import { safetyNet } from '../live'
import { PageHeader } from '../parts/page-header'
import { ProblemNote } from '../parts/problem-note'
import { useAppScope, useApps } from '../scope'
import { HistoryView } from './protection/history'
import { Incidents } from './protection/incidents'
import { Now } from './protection/now'
import { protectionWords } from './protection/words'
import { PROTECTION_RANGES, type ProtectionSearch, protectionSearch } from './search-params'
import { periodOf, useMinute } from './usage/period'

export default function ProtectionPage() {
  const say = useWords(protectionWords)
  const common = useWords(frameWords)
  const { appId } = useAppScope()
  const app = useApps().find((one) => one.appId === appId)
  // The router passes parameters that `validateSearch` did not return, so they are validated again.
  const { range = '24h', group = 'country' } = protectionSearch({ ...useSearch({ from: '/inside/protection' }) })
  const navigate = useNavigate({ from: '/protection' })
  const { from, to, by } = periodOf({ range }, useMinute())
  const state = useQuery(api.protection.state.queryOptions({ input: { appId }, refetchInterval: safetyNet }))
  const history = useQuery(
    api.protection.show.queryOptions({
      input: { appId, from, to, by },
      placeholderData: keepPreviousData,
      refetchInterval: safetyNet,
    }),
  )
  const blocks = state.data?.blocks
  return (
    <>
      <PageHeader title={common.pages.protection} about={say.about} />
      <Stack gap="lg">
        <Incidents blocks={blocks} />
        {state.isError && <ProblemNote failure={state.error} />}
        {app && !state.isError && <Now app={app} state={state.data} />}
        <Group justify="space-between" gap="sm">
          <Title order={2}>{say.came}</Title>
          <SegmentedControl
            aria-label={say.range}
            value={range}
            data={PROTECTION_RANGES.map((value) => ({ value, label: say.ranges[value] }))}
            onChange={(value) =>
              navigate({
                search: (known: ProtectionSearch) => ({ ...known, range: value as typeof range }),
                replace: true,
                resetScroll: false,
              })
            }
          />
        </Group>
        {history.isError && <ProblemNote failure={history.error} />}
        {history.isPending && <Skeleton height={300} radius="md" />}
        {history.data && <HistoryView history={history.data} by={by} group={group} blocks={blocks} />}
      </Stack>
    </>
  )
}
