/** What an owner decides about abuse of an app: where codes go to, how soon another one follows, how long a phone is locked. */
import { Fieldset, Group, Input, MultiSelect, NumberInput, Pill, Select, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api'
import { countryWithCode } from '../../i18n/delivery'
import { useLanguage } from '../../i18n/language'
import { inWords, useWords } from '../../i18n/words'
import type { App } from '../../scope'

const words = inWords({
  en: {
    legend: 'Protection from abuse',
    countries: 'Codes for other countries with browser keys',
    modes: { block: 'are refused', watch: 'are sent' },
    open: 'Browser keys also send to',
    openAbout: 'Beside the region of the app.',
    closed: 'No key sends to',
    resend: 'Seconds before a next code for one phone and purpose',
    resendBrowser: 'With browser keys',
    resendSecret: 'With secret keys',
    lock: 'After 100 wrong codes in a row a phone is locked',
    locks: { day: 'for a day', operator: 'until an operator opens it' },
    unknown: 'No country fits this.',
  },
  ko: {
    legend: '남용 방지',
    countries: '브라우저 키로 다른 국가에 보내는 코드',
    modes: { block: '거부', watch: '보내기' },
    open: '브라우저 키로 보낼 수 있는 다른 국가',
    openAbout: '앱의 지역은 언제나 포함됩니다.',
    closed: '어떤 키로도 보내지 않는 국가',
    resend: '같은 전화와 용도로 다음 코드를 보내기까지(초)',
    resendBrowser: '브라우저 키',
    resendSecret: '시크릿 키',
    lock: '코드가 연속 100번 틀리면 전화를 잠금',
    locks: { day: '하루 동안', operator: '운영자가 열 때까지' },
    unknown: '맞는 국가가 없습니다.',
  },
})

export type Protection = App['protection']

const DAY_MS = 86_400_000
const LONGEST_RESEND_SEC = 3_600

interface ProtectionFieldsProps {
  value: Protection
  onChange(protection: Protection): void
}

export function ProtectionFields({ value, onChange }: ProtectionFieldsProps) {
  const say = useWords(words)
  const change = (changed: Partial<Protection>) => onChange({ ...value, ...changed })
  const resend = (kind: keyof Protection['resendMs']) => ({
    min: 0,
    max: LONGEST_RESEND_SEC,
    allowDecimal: false,
    value: value.resendMs[kind] / 1_000,
    onChange: (seconds: number | string) =>
      change({ resendMs: { ...value.resendMs, [kind]: Number(seconds) * 1_000 } }),
  })
  return (
    <Fieldset legend={say.legend}>
      <Stack>
        <Select
          label={say.countries}
          data={(['block', 'watch'] as const).map((mode) => ({ value: mode, label: say.modes[mode] }))}
          value={value.countries}
          onChange={(countries) => countries && change({ countries })}
          allowDeselect={false}
        />
        <Countries label={say.open} about={say.openAbout} value={value.open} onChange={(open) => change({ open })} />
        <Countries label={say.closed} value={value.closed} onChange={(closed) => change({ closed })} />
        <Input.Wrapper label={say.resend}>
          <Group grow align="end">
            <NumberInput label={say.resendBrowser} {...resend('pk')} />
            <NumberInput label={say.resendSecret} {...resend('sk')} />
          </Group>
        </Input.Wrapper>
        <Select
          label={say.lock}
          data={(['day', 'operator'] as const).map((lock) => ({ value: lock, label: say.locks[lock] }))}
          value={value.lockMs === null ? 'operator' : 'day'}
          onChange={(lock) => change({ lockMs: lock === 'operator' ? null : DAY_MS })}
          allowDeselect={false}
        />
      </Stack>
    </Fieldset>
  )
}

interface CountriesProps {
  label: string
  about?: string
  value: string[]
  onChange(countries: string[]): void
}

function Countries({ label, about, value, onChange }: CountriesProps) {
  const say = useWords(words)
  const language = useLanguage()
  const known = useQuery(api.apps.regions.queryOptions({ staleTime: Number.POSITIVE_INFINITY }))
  // What is chosen has its name before the others are there.
  const data = (known.data?.regions ?? value)
    .map((region) => ({ value: region, label: countryWithCode(region, language) }))
    .sort((one, other) => one.label.localeCompare(other.label, language))
  return (
    <MultiSelect
      label={label}
      {...(about !== undefined && { description: about })}
      data={data}
      value={value}
      onChange={onChange}
      // Names are long, and the list has them.
      renderPill={({ value: country, onRemove }) => (
        <Pill withRemoveButton {...(onRemove && { onRemove })}>
          {country}
        </Pill>
      )}
      searchable
      clearable
      nothingFoundMessage={say.unknown}
    />
  )
}
