/** Fields for the first and the last day. */
import { TextInput } from '@mantine/core'
import type { DayRange } from '../days'
import { inWords, useWords } from '../i18n/words'

const words = inWords({
  en: { from: 'From', to: 'To' },
  ko: { from: '시작일', to: '종료일' },
})

export function DayRangeInputs({ range, onChange }: { range: DayRange; onChange(range: DayRange): void }) {
  const say = useWords(words)
  return (
    <>
      <TextInput
        type="date"
        flex="1 1 140px"
        maw={{ sm: 200 }}
        label={say.from}
        value={range.from ?? ''}
        max={range.to}
        onChange={(event) => onChange({ ...range, from: event.currentTarget.value || undefined })}
      />
      <TextInput
        type="date"
        flex="1 1 140px"
        maw={{ sm: 200 }}
        label={say.to}
        value={range.to ?? ''}
        min={range.from}
        onChange={(event) => onChange({ ...range, to: event.currentTarget.value || undefined })}
      />
    </>
  )
}
