/** Fields for the first and the last day. */
import { TextInput, type TextInputProps } from '@mantine/core'
import type { DayRange } from '../days'
import { inWords, useWords } from '../i18n/words'

const words = inWords({
  en: { from: 'From', to: 'To' },
  ko: { from: '시작일', to: '종료일' },
})

interface DayRangeInputsProps extends Pick<TextInputProps, 'size'> {
  range: DayRange
  onChange(range: DayRange): void
}

export function DayRangeInputs({ range, onChange, size = 'sm' }: DayRangeInputsProps) {
  const say = useWords(words)
  return (
    <>
      <TextInput
        type="date"
        size={size}
        flex="1 1 140px"
        maw={{ sm: 200 }}
        label={say.from}
        value={range.from ?? ''}
        max={range.to}
        onChange={(event) => onChange({ ...range, from: event.currentTarget.value || undefined })}
      />
      <TextInput
        type="date"
        size={size}
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
