/** Which time, in which steps. */
import { Group, SegmentedControl, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useWords } from '../../i18n/words'
import { dayText, type Period } from './period'
import { RANGES, type UsageSearch } from './search'
import { usageWords } from './words'

export function UsageFilters({ search, period }: { search: UsageSearch; period: Period }) {
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
        data={RANGES.map((value) => ({ value, label: say.ranges[value] }))}
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
