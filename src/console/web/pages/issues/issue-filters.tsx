/** The fields the list is narrowed with. What is typed is looked for after a short rest. */
import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { statusWords } from '../../i18n/statuses'
import { inWords, useWords } from '../../i18n/words'
import { DayRangeInputs } from '../../parts/day-range'
import { DELIVERIES, type IssueFilters, VERIFICATIONS } from './filters'

const words = inWords({
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

export function IssueFilterFields({
  filters,
  onChange,
}: {
  filters: IssueFilters
  onChange(filters: IssueFilters): void
}) {
  const say = useWords(words)
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
