/** Live list of the issues of an app, with search and filters. */
import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconMessages, IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { api, paging } from '../api'
import { timesOf } from '../days'
import { frameWords } from '../i18n/frame'
import { statusWords } from '../i18n/names'
import { inWords, useWords } from '../i18n/words'
import { safetyNetWhileShort } from '../live'
import { DataTable, fromPages } from '../parts/data-table'
import { DayRangeInputs } from '../parts/day-range'
import { EmptyState } from '../parts/empty-state'
import { PageHeader } from '../parts/page-header'
import { DeliveryMark, VerificationMark } from '../parts/status'
import { AsWritten, ShortId } from '../parts/text'
import { Time } from '../parts/time'
import { type ScopeSearch, useAppScope } from '../scope'
import { DELIVERIES, type IssueFilters, VERIFICATIONS } from './search-params'

const words = inWords({
  en: {
    about: 'Every issued code: whether it was delivered and verified. Phone numbers and codes are never shown.',
    aboutTest:
      'A test key takes magic numbers only, such as 010-0000-0000. A code for your own number is refused and not listed: it needs a live key.',
    issue: 'Issue',
    verification: 'Verification',
    delivery: 'Delivery',
    channel: 'Channel',
    wrong: (count: number) => (count === 1 ? 'One wrong code' : `${count} wrong codes`),
    issued: 'Issued',
    further: 'Search older issues',
    emptyTest: 'No test issue yet',
    emptyTestNext: 'Issue one here in the console, or with a test key.',
    emptyLive: 'No live issue yet',
    emptyLiveNext: 'What your app issues with a live key appears here at once.',
    tryIt: 'Try it',
    keys: 'To the API keys',
    nothing: 'No issue matches these filters',
    nothingNext: 'A purpose matches by its beginning, an id only as a whole. Live and test issues are separate.',
    nothingYet: 'No match among the newest issues',
    nothingYetNext: 'Older issues have not been searched yet.',
  },
  ko: {
    about: '요청된 모든 인증번호가 도달했는지, 입력되었는지 보여 줍니다. 전화번호와 인증번호는 표시하지 않습니다.',
    aboutTest:
      '테스트 키는 010-0000-0000 같은 매직 번호만 받습니다. 본인 번호 요청은 거부되어 여기에 표시되지 않으며, 운영 키가 필요합니다.',
    issue: '발급',
    verification: '인증 상태',
    delivery: '전달 상태',
    channel: '채널',
    wrong: (count) => `${count}회 틀림`,
    issued: '발급 시각',
    further: '더 찾아보기',
    emptyTest: '아직 테스트 발급 내역이 없습니다',
    emptyTestNext: '콘솔이나 테스트 키로 인증번호를 발급해 보세요.',
    emptyLive: '아직 운영 발급 내역이 없습니다',
    emptyLiveNext: '운영 키로 발급하면 바로 여기에 표시됩니다.',
    tryIt: '시험해 보기',
    keys: '키로 가기',
    nothing: '조건에 맞는 내역이 없습니다',
    nothingNext: '용도는 앞부분부터, ID는 전체를 비교합니다. 운영과 테스트는 따로 관리됩니다.',
    nothingYet: '최근 내역에는 조건에 맞는 것이 없습니다',
    nothingYetNext: '아직 찾아보지 않은 이전 내역이 있습니다.',
  },
})

export default function Issues() {
  const say = useWords(words)
  const common = useWords(frameWords)
  const names = useWords(statusWords)
  const { appId, mode } = useAppScope()
  const { search, status, delivery, from, to } = useSearch({ from: '/inside/issues' })
  const navigate = useNavigate({ from: '/issues' })
  const filters: IssueFilters = { search, status, delivery, from, to }
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  const issues = useInfiniteQuery(
    api.issues.list.infiniteOptions({
      input: (after: string | undefined) => ({
        appId,
        mode,
        after,
        search,
        status,
        delivery,
        ...timesOf({ from, to }),
      }),
      ...paging,
      refetchInterval: safetyNetWhileShort,
      placeholderData: keepPreviousData,
    }),
  )

  const narrow = (next: IssueFilters) =>
    navigate({ search: ({ app, mode }: ScopeSearch) => ({ app, mode, ...next }), replace: true, resetScroll: false })

  return (
    <>
      <PageHeader title={common.pages.issues} about={mode === 'test' ? `${say.about} ${say.aboutTest}` : say.about} />
      <IssueFilterFields filters={filters} onChange={narrow} />
      <DataTable
        {...fromPages(issues)}
        {...(isFiltered && { more: say.further })}
        label={common.pages.issues}
        keyOf={({ issueId }) => issueId}
        linkOf={({ issueId }) => ({ to: '/issues/$issueId', params: { issueId }, search: filters })}
        columns={[
          {
            key: 'issue',
            header: say.issue,
            cell: ({ purpose, issueId }) => (
              <>
                {purpose}{' '}
                <Text component="span" display="block" size="xs" c="dimmed" ff="monospace">
                  <ShortId id={issueId} />
                </Text>
              </>
            ),
          },
          {
            key: 'verification',
            header: say.verification,
            cell: ({ attemptsUsed, ...issue }) => (
              <>
                <VerificationMark of={issue} />
                {attemptsUsed > 0 && (
                  <Text size="xs" c="dimmed">
                    {say.wrong(attemptsUsed)}
                  </Text>
                )}
              </>
            ),
          },
          {
            key: 'delivery',
            header: say.delivery,
            cell: ({ deliveryStatus, isAmbiguous, outcomeCode }) => (
              <>
                <DeliveryMark status={deliveryStatus} isAmbiguous={isAmbiguous} />
                {outcomeCode !== undefined && (
                  <AsWritten size="xs" c="dimmed">
                    {outcomeCode}
                  </AsWritten>
                )}
              </>
            ),
          },
          {
            key: 'channel',
            header: say.channel,
            isMinor: true,
            cell: ({ leg, country }) => [names.channels[leg], country].filter(Boolean).join(' · '),
          },
          { key: 'issued', header: say.issued, cell: ({ createdAt }) => <Time at={createdAt} relative /> },
        ]}
        empty={
          issues.hasNextPage ? (
            <EmptyState icon={IconSearch} title={say.nothingYet} next={say.nothingYetNext}>
              <Button onClick={() => issues.fetchNextPage()} loading={issues.isFetchingNextPage}>
                {say.further}
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

const issueFiltersWords = inWords({
  en: {
    search: 'Search',
    searchHint: 'Issue id or purpose',
    status: 'Verification',
    delivery: 'Delivery',
    any: 'Any',
    clear: 'Clear filters',
  },
  ko: {
    search: '검색',
    searchHint: '발급 ID 또는 용도',
    status: '인증 상태',
    delivery: '전달 상태',
    any: '전체',
    clear: '필터 지우기',
  },
})

const REST_MS = 300

/** Filters of the list. A typed search runs after a short pause. */
function IssueFilterFields({ filters, onChange }: { filters: IssueFilters; onChange(filters: IssueFilters): void }) {
  const say = useWords(issueFiltersWords)
  const names = useWords(statusWords)
  const [typed, setTyped] = useState(filters.search ?? '')
  useEffect(() => setTyped(filters.search ?? ''), [filters.search])
  const look = useDebouncedCallback((search: string) => onChange({ ...filters, search: search || undefined }), REST_MS)
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  return (
    <Group align="flex-end" gap="sm" mb="md" component="search">
      <TextInput
        type="search"
        label={say.search}
        placeholder={say.searchHint}
        leftSection={<IconSearch size={16} aria-hidden />}
        flex="1 1 220px"
        value={typed}
        maxLength={200}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          look(event.currentTarget.value)
        }}
        spellCheck={false}
        autoComplete="off"
      />
      <NativeSelect
        label={say.status}
        flex="1 1 130px"
        value={filters.status ?? ''}
        onChange={(event) => {
          const status = VERIFICATIONS.find((known) => known === event.currentTarget.value)
          onChange({ ...filters, status })
        }}
        data={[
          { value: '', label: say.any },
          ...VERIFICATIONS.map((value) => ({ value, label: names.verification[value] })),
        ]}
      />
      <NativeSelect
        label={say.delivery}
        flex="1 1 130px"
        value={filters.delivery ?? ''}
        onChange={(event) => {
          const delivery = DELIVERIES.find((known) => known === event.currentTarget.value)
          onChange({ ...filters, delivery })
        }}
        data={[{ value: '', label: say.any }, ...DELIVERIES.map((value) => ({ value, label: names.delivery[value] }))]}
      />
      <DayRangeInputs range={filters} onChange={(range) => onChange({ ...filters, ...range })} />
      {isFiltered && (
        <Button variant="subtle" onClick={() => onChange({})}>
          {say.clear}
        </Button>
      )}
    </Group>
  )
}
