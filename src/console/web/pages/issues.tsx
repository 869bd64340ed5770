/** Live list of the issues of an app, with search, filters and views. */
import { Button } from '@mantine/core'
import { IconMessages, IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { HOUR_MS, MINUTE_MS } from '../../../domain/shared/value'
import { api, client, paging } from '../api'
import { timesOf } from '../days'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import { safetyNetWhileShort } from '../live'
import { DataTable, fromPages } from '../parts/data-table'
import { EmptyState } from '../parts/empty-state'
import { PageHeader } from '../parts/page-header'
import { type ScopeSearch, useAppScope } from '../scope'
import { useTimeZone } from '../time-zone'
import { TableMenu, useIssueColumns } from './issues/columns'
import { IssueFilterFields } from './issues/filters'
import { IssueViews } from './issues/views'
import { issueWords } from './issues/words'
import { type IssueFilters, issueFilters, LAST_HOURS } from './search-params'
import { useMinute } from './usage/period'

export default function Issues() {
  const say = useWords(issueWords)
  const common = useWords(frameWords)
  const { mode } = useAppScope()
  const filters = issueFilters({ ...useSearch({ from: '/inside/issues' }) })
  const navigate = useNavigate({ from: '/issues' })
  const asked = useAsked(filters)
  const issues = useIssues(asked)
  const narrow = (next: IssueFilters) =>
    navigate({ search: ({ app, mode }: ScopeSearch) => ({ app, mode, ...next }), replace: true, resetScroll: false })
  const columns = useIssueColumns({ filters, onChange: narrow })
  const { order, ...narrowing } = filters
  const isFiltered = Object.values(narrowing).some((value) => value !== undefined)
  const further = order === 'oldest' ? say.furtherNewer : say.further
  const pages = fromPages(issues)
  return (
    <>
      <PageHeader title={common.pages.issues} about={mode === 'test' ? `${say.about} ${say.aboutTest}` : say.about} />
      <IssueViews filters={filters} />
      <IssueFilterFields
        filters={filters}
        codes={pages.rows?.flatMap(({ outcomeCode = [] }) => outcomeCode) ?? []}
        onChange={narrow}
      >
        <TableMenu />
      </IssueFilterFields>
      <DataTable
        {...pages}
        {...(isFiltered && { more: further })}
        label={common.pages.issues}
        isInLines
        keyOf={({ issueId }) => issueId}
        file={{ name: 'issues', load: (after) => client.issues.list({ ...asked, after, limit: 200 }) }}
        linkOf={({ issueId }) => ({ to: '/issues/$issueId', params: { issueId }, search: filters })}
        columns={columns}
        empty={
          issues.hasNextPage ? (
            <EmptyState icon={IconSearch} title={say.nothingYet} next={say.nothingYetNext}>
              <Button onClick={() => issues.fetchNextPage()} loading={issues.isFetchingNextPage}>
                {further}
              </Button>
            </EmptyState>
          ) : isFiltered ? (
            <EmptyState icon={IconSearch} title={say.nothing} next={say.nothingNext} />
          ) : mode === 'test' ? (
            <EmptyState icon={IconMessages} title={say.emptyTest} next={say.emptyTestNext}>
              <Button component={Link} to="/try-it">
                {say.tryIt}
              </Button>
            </EmptyState>
          ) : (
            <EmptyState icon={IconMessages} title={say.emptyLive} next={say.emptyLiveNext}>
              <Button component={Link} to="/keys">
                {say.keys}
              </Button>
            </EmptyState>
          )
        }
      />
    </>
  )
}

function useAsked({ code: outcomeCode, hour, last, order, from, to, ...filters }: IssueFilters) {
  const { appId, mode } = useAppScope()
  const timeZone = useTimeZone()
  const minute = useMinute()
  return {
    ...{ appId, mode, outcomeCode, ...filters, isOldestFirst: order === 'oldest' },
    ...timesOf({ from, to }),
    ...(last && { from: minute - (minute % MINUTE_MS) - LAST_HOURS[last] * HOUR_MS }),
    ...(hour !== undefined && { hourOfDay: { hour, timeZone } }),
  }
}

const useIssues = (input: ReturnType<typeof useAsked>) =>
  useInfiniteQuery(
    api.issues.list.infiniteOptions({
      input: (after: string | undefined) => ({ ...input, after }),
      ...paging,
      refetchInterval: safetyNetWhileShort,
      placeholderData: keepPreviousData,
    }),
  )
