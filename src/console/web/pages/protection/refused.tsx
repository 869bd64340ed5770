/** Codes that rules refused, or would have, and what became of those that were sent. */
import { SegmentedControl, Skeleton, Stack } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { api } from '../../api'
import { useWords } from '../../i18n/words'
import { safetyNet } from '../../live'
import { ProblemNote } from '../../parts/problem-note'
import { Section } from '../../parts/section'
import { useAppScope } from '../../scope'
import { PROTECTION_RANGES, type ProtectionSearch, protectionSearch } from '../search-params'
import { periodOf, useMinute } from '../usage/period'
import { HistoryView } from './history'
import type { State } from './place'
import { protectionWords } from './words'

export function Refused({ blocks }: { blocks: State['blocks'] | undefined }) {
  const say = useWords(protectionWords)
  const { appId } = useAppScope()
  // The router passes parameters that `validateSearch` did not return, so they are validated again.
  const search = protectionSearch({ ...useSearch({ from: '/inside/protection' }) })
  const { range = '24h', group = 'country' } = search
  const navigate = useNavigate({ from: '/protection' })
  const { from, to, by } = periodOf({ range }, useMinute())
  const history = useQuery(
    api.protection.show.queryOptions({
      input: { appId, from, to, by },
      placeholderData: keepPreviousData,
      refetchInterval: safetyNet,
    }),
  )
  const ranges = (
    <SegmentedControl
      size="xs"
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
  )
  return (
    <Stack gap="lg">
      <Section title={say.history} about={say.aboutRefused} actions={ranges}>
        {history.isError && <ProblemNote failure={history.error} />}
        {history.isPending && <Skeleton height={300} radius="md" />}
      </Section>
      {history.data && <HistoryView history={history.data} by={by} group={group} blocks={blocks} />}
    </Stack>
  )
}
