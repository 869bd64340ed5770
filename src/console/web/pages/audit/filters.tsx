import { Group, Select } from '@mantine/core'
import { inWords, useWords } from '../../i18n/words'
import { actionWords } from './actions'
import type { Actors } from './actors'
import type { AuditFilters } from './entry'

const words = inWords({
  en: { actor: 'Who', anybody: 'Anybody', action: 'What', anything: 'Anything' },
  ko: { actor: '작업자', anybody: '전체', action: '작업', anything: '전체' },
})

export interface FiltersProps {
  filters: AuditFilters
  actors: Actors
  onChange(filters: AuditFilters): void
}

export function Filters({ filters, actors, onChange }: FiltersProps) {
  const say = useWords(words)
  const actions = Object.entries(useWords(actionWords)).map(([value, label]) => ({ value, label }))
  const { actor, action } = filters
  return (
    <Group gap="sm" mb="md">
      <Select
        label={say.actor}
        placeholder={say.anybody}
        data={actors.options}
        value={actor ?? null}
        onChange={(next) => onChange({ ...(next !== null && { actor: next }), ...(action && { action }) })}
        clearable
        searchable
        flex="1 1 160px"
        maw={260}
      />
      <Select
        label={say.action}
        placeholder={say.anything}
        data={actions}
        value={action ?? null}
        onChange={(next) => onChange({ ...(actor && { actor }), ...(next !== null && { action: next }) })}
        clearable
        searchable
        flex="1 1 160px"
        maw={260}
      />
    </Group>
  )
}
