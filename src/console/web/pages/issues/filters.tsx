/** Filters of the list of issues. */
import { Autocomplete, Button, Collapse, Group, NativeSelect, Pill, Select, SimpleGrid, TextInput } from '@mantine/core'
import { useDebouncedCallback, useDisclosure } from '@mantine/hooks'
import { IconFilter, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { CHANNELS, LEGS } from '../../../../../contract/constants'
import { api } from '../../api'
import { countryName, statusWords } from '../../i18n/names'
import { inWords, useLanguage, useWords } from '../../i18n/words'
import { CountryChoice } from '../../parts/country-choice'
import { DayRangeInputs } from '../../parts/day-range'
import { useTimeZone } from '../../time-zone'
import { DELIVERIES, type IssueFilters, LAST_HOURS, VERIFICATIONS } from '../search-params'
import { issueWords } from './words'

const words = inWords({
  en: {
    search: 'Search',
    searchHint: 'Issue id or purpose',
    anyVerification: 'Any verification',
    anyDelivery: 'Any delivery',
    any: 'Any',
    unverified: 'Not verified',
    more: 'More filters',
    clear: 'Clear filters',
    channel: 'Asked channel',
    leg: 'Sent by',
    country: 'Country',
    anyCountry: 'Any country',
    carrier: 'Carrier',
    code: 'Error code',
    codeHint: 'As the carrier writes it',
    hour: 'Hour of day',
    hourOf: (hour: string) => `${hour}:00–${hour}:59`,
    last: 'Last',
    lastHours: { '1h': 'Last hour', '24h': 'Last 24 hours' },
    from: (day: string) => `from ${day}`,
    to: (day: string) => `to ${day}`,
    without: (filter: string) => `Remove the filter “${filter}”`,
  },
  ko: {
    search: '검색',
    searchHint: '발급 ID 또는 용도',
    anyVerification: '모든 인증 상태',
    anyDelivery: '모든 전달 상태',
    any: '전체',
    unverified: '인증되지 않음',
    more: '필터 더 보기',
    clear: '필터 지우기',
    channel: '요청 채널',
    leg: '발송 채널',
    country: '국가',
    anyCountry: '모든 국가',
    carrier: '발송사',
    code: '오류 코드',
    codeHint: '발송사가 보낸 그대로',
    hour: '시간대별',
    hourOf: (hour) => `${hour}:00–${hour}:59`,
    last: '최근',
    lastHours: { '1h': '최근 1시간', '24h': '최근 24시간' },
    from: (day) => `${day}부터`,
    to: (day) => `${day}까지`,
    without: (filter) => `“${filter}” 필터 제거`,
  },
})

interface IssueFilterProps {
  filters: IssueFilters
  /** Codes of the rows on display, as suggestions. */
  codes: readonly string[]
  onChange(filters: IssueFilters): void
  /** Stands at the end of the line. */
  children: ReactNode
}

/** A typed text counts after a short pause. */
const REST_MS = 300

export function IssueFilterFields({ filters, codes, onChange, children }: IssueFilterProps) {
  const say = useWords(words)
  const names = useWords(statusWords)
  const [isOpen, { toggle }] = useDisclosure()
  const active = useActiveFilters(filters)
  const change = (next: IssueFilters) => onChange({ ...filters, ...next })
  const [search, setSearch] = useTyped(filters.search, (search) => change({ search }))
  return (
    <search>
      <Group gap="xs" mb="xs">
        <TextInput
          type="search"
          aria-label={say.search}
          placeholder={say.searchHint}
          leftSection={<IconSearch size={14} aria-hidden />}
          size="xs"
          flex="1 1 200px"
          value={search}
          maxLength={200}
          onChange={(event) => setSearch(event.currentTarget.value)}
          spellCheck={false}
          autoComplete="off"
        />
        <NativeSelect
          aria-label={names.labels.verification}
          size="xs"
          flex="0 1 170px"
          value={filters.status ?? ''}
          onChange={({ currentTarget: { value } }) =>
            change({ status: [...VERIFICATIONS, 'unverified' as const].find((known) => known === value) })
          }
          data={[
            { value: '', label: say.anyVerification },
            { value: 'unverified', label: say.unverified },
            ...VERIFICATIONS.map((value) => ({ value, label: names.verification[value] })),
          ]}
        />
        <NativeSelect
          aria-label={names.labels.delivery}
          size="xs"
          flex="0 1 140px"
          value={filters.delivery ?? ''}
          onChange={({ currentTarget: { value } }) => change({ delivery: DELIVERIES.find((known) => known === value) })}
          data={[
            { value: '', label: say.anyDelivery },
            ...DELIVERIES.map((value) => ({ value, label: names.delivery[value] })),
          ]}
        />
        <Button
          size="xs"
          variant="default"
          leftSection={<IconFilter size={14} aria-hidden />}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          {say.more}
        </Button>
        {children}
      </Group>
      <Collapse expanded={isOpen}>
        <MoreFilters filters={filters} codes={codes} onChange={change} />
      </Collapse>
      {active.length > 0 && (
        <Group gap={6} mb="xs">
          {active.map(([name, label]) => (
            <Pill
              key={name}
              withRemoveButton
              onRemove={() => change({ [name]: undefined })}
              removeButtonProps={{ 'aria-label': say.without(label), 'aria-hidden': false, tabIndex: 0 }}
            >
              {label}
            </Pill>
          ))}
          <Button size="compact-xs" variant="subtle" onClick={() => onChange({})}>
            {say.clear}
          </Button>
        </Group>
      )}
    </search>
  )
}

interface MoreFiltersProps extends Pick<IssueFilterProps, 'filters' | 'codes'> {
  onChange(change: IssueFilters): void
}

function MoreFilters({ filters, codes, onChange }: MoreFiltersProps) {
  const say = useWords(words)
  const names = useWords(statusWords)
  const carriers = useQuery(api.carriers.list.queryOptions({}))
  const [code, setCode] = useTyped(filters.code, (code) => onChange({ code }))
  return (
    <SimpleGrid cols={{ base: 2, md: 5 }} spacing="xs" mb="sm">
      <NativeSelect
        label={say.leg}
        size="xs"
        value={filters.leg ?? ''}
        onChange={({ currentTarget: { value } }) => onChange({ leg: LEGS.find((known) => known === value) })}
        data={[{ value: '', label: say.any }, ...LEGS.map((value) => ({ value, label: names.channels[value] }))]}
      />
      <NativeSelect
        label={say.channel}
        size="xs"
        value={filters.channel ?? ''}
        onChange={({ currentTarget: { value } }) => onChange({ channel: CHANNELS.find((known) => known === value) })}
        data={[{ value: '', label: say.any }, ...CHANNELS.map((value) => ({ value, label: names.channels[value] }))]}
      />
      <CountryChoice
        label={say.country}
        size="xs"
        none={say.anyCountry}
        value={filters.country}
        onChange={(country) => onChange({ country: country ?? undefined })}
      />
      <Select
        label={say.carrier}
        size="xs"
        clearable
        searchable
        placeholder={say.any}
        value={filters.carrier ?? null}
        data={[...new Set([...(carriers.data?.providers ?? []).map(({ name }) => name), ...given(filters.carrier)])]}
        onChange={(carrier) => onChange({ carrier: carrier ?? undefined })}
      />
      <Autocomplete
        label={say.code}
        size="xs"
        placeholder={say.codeHint}
        maxLength={128}
        value={code}
        data={[...new Set(codes)]}
        onChange={setCode}
      />
      <NativeSelect
        label={say.hour}
        size="xs"
        value={filters.hour ?? ''}
        onChange={({ currentTarget: { value } }) => onChange({ hour: value === '' ? undefined : Number(value) })}
        data={[
          { value: '', label: say.any },
          ...Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), label: say.hourOf(two(hour)) })),
        ]}
      />
      <NativeSelect
        label={say.last}
        size="xs"
        value={filters.last ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onChange({ last: lastHours.find((known) => known === value), from: undefined, to: undefined })
        }
        data={[{ value: '', label: say.any }, ...lastHours.map((value) => ({ value, label: say.lastHours[value] }))]}
      />
      <DayRangeInputs range={filters} size="xs" onChange={(range) => onChange({ ...range, last: undefined })} />
    </SimpleGrid>
  )
}

const lastHours = Object.keys(LAST_HOURS) as (keyof typeof LAST_HOURS)[]
const two = (hour: number) => String(hour).padStart(2, '0')
const given = (text: string | undefined) => (text === undefined ? [] : [text])

/** A text field whose text counts once its writer rests. */
function useTyped(value: string | undefined, onRest: (text: string | undefined) => void) {
  const [typed, setTyped] = useState(value ?? '')
  useEffect(() => setTyped(value ?? ''), [value])
  const rest = useDebouncedCallback((text: string) => onRest(text || undefined), REST_MS)
  const type = (text: string) => {
    setTyped(text)
    rest(text)
  }
  return [typed, type] as const
}

/** The filters that narrow the list, each with what it says. */
function useActiveFilters(filters: IssueFilters): [keyof IssueFilters, string][] {
  const say = useWords(words)
  const names = useWords(statusWords)
  const table = useWords(issueWords)
  const language = useLanguage()
  const zone = useTimeZone()
  const { search, status, delivery, channel, leg, country, carrier, code, hour, last, from, to } = filters
  const all: [keyof IssueFilters, string | undefined][] = [
    ['search', search],
    ['status', status && (status === 'unverified' ? say.unverified : names.verification[status])],
    ['delivery', delivery && names.delivery[delivery]],
    ['leg', leg && `${say.leg}: ${names.channels[leg]}`],
    ['channel', channel && `${say.channel}: ${names.channels[channel]}`],
    ['country', country && countryName(country, language)],
    ['carrier', carrier && `${say.carrier}: ${carrier}`],
    ['code', code && `${table.code}: ${code}`],
    ['hour', hour === undefined ? undefined : `${say.hourOf(two(hour))} (${zone})`],
    ['last', last && say.lastHours[last]],
    ['from', from && say.from(from)],
    ['to', to && say.to(to)],
  ]
  return all.filter((filter): filter is [keyof IssueFilters, string] => filter[1] !== undefined)
}
