/** The fields of each rule of an app. */
import { Button, Group, Input, NumberInput, Select, Text, Textarea } from '@mantine/core'
import type { FormErrors } from '@mantine/form'
import { useState } from 'react'
import { DAY_MS } from '../../../../domain/shared/value'
import type { client } from '../../api'
import { useFormats } from '../../i18n/format'
import { inWords, useWords } from '../../i18n/words'
import { CountriesChoice } from '../../parts/country-choice'
import type { ShownApp } from '../../scope'
import { CapFields } from './cap-fields'

const words = inWords({
  en: {
    numberTypes: 'Codes to numbers that cannot receive SMS or cost a premium',
    countries: 'Codes to countries not on the allow list',
    capping: 'Codes above a cap',
    conversion: 'Codes to destinations with low conversion (SMS pumping)',
    conversionAbout: 'Until an app is a week old, half of its codes may stay untyped.',
    tolerance: 'Tolerated unverified codes',
    tolerances: { half: 'half the baseline', usual: 'the baseline', double: 'twice the baseline' },
    modes: { block: 'Block', watch: 'Watch only: send and report', off: 'Off: send' },
    open: 'Allow list of countries for browser keys',
    openAbout: 'The region of the app is always allowed.',
    secretTo: 'Allow list of countries for secret keys',
    secretToAbout: 'Empty: every country is allowed.',
    closed: 'Deny list of countries for all keys',
    trusted: 'Exempt from caps and conversion rules.',
    networks: 'Networks of end users',
    networksAbout: 'One on each line, in CIDR notation.',
    trustedCountries: 'Countries',
    phones: (count: number, shown: string) => `${shown} ${count === 1 ? 'phone is' : 'phones are'} on the allow list.`,
    noPhones: 'No phone is on the allow list.',
    phonesAbout: 'The command “app protect --trust-phone” adds a phone. The number itself is not stored.',
    clear: 'Clear the allow list',
    resend: 'Resend interval for one phone and purpose (seconds)',
    resendBrowser: 'With browser keys',
    resendSecret: 'With secret keys',
    failures: 'Codes to phones with too many wrong codes',
    failuresAbout: 'From the tenth wrong code in a row, the next code is delayed.',
    lock: 'After 100 wrong codes in a row a phone is locked',
    locks: { day: 'for a day', operator: 'until an operator unlocks it' },
  },
  ko: {
    numberTypes: '문자를 받지 못하거나 요금이 비싼 번호로 보내는 인증번호',
    countries: '허용 목록에 없는 국가로 보내는 인증번호',
    capping: '상한을 넘는 인증번호',
    conversion: '전환율이 낮은 곳으로 보내는 인증번호(SMS 펌핑)',
    conversionAbout: '앱이 일주일 될 때까지는 인증번호의 절반이 입력되지 않아도 됩니다.',
    tolerance: '허용하는 미인증 인증번호',
    tolerances: { half: '기준선의 절반', usual: '기준선', double: '기준선의 두 배' },
    modes: { block: '차단', watch: '모니터링만: 발송하고 보고', off: '끔: 발송' },
    open: '브라우저 키의 국가 허용 목록',
    openAbout: '앱의 지역은 항상 허용됩니다.',
    secretTo: '비밀 키의 국가 허용 목록',
    secretToAbout: '비워 두면 모든 국가를 허용합니다.',
    closed: '모든 키의 국가 거부 목록',
    trusted: '상한과 전환율 규칙에서 제외합니다.',
    networks: '최종 사용자의 네트워크',
    networksAbout: '한 줄에 하나씩 CIDR 표기로 입력합니다.',
    trustedCountries: '국가',
    phones: (_, shown) => `전화 ${shown}대가 허용 목록에 있습니다.`,
    noPhones: '허용 목록에 전화가 없습니다.',
    phonesAbout: '“app protect --trust-phone” 명령으로 추가합니다. 번호는 어디에도 저장하지 않습니다.',
    clear: '허용 목록 비우기',
    resend: '같은 전화와 용도의 재발송 간격(초)',
    resendBrowser: '브라우저 키',
    resendSecret: '비밀 키',
    failures: '인증번호를 너무 많이 틀린 전화로 보내는 인증번호',
    failuresAbout: '연속 10번 틀리면 다음 인증번호 발송을 늦춥니다.',
    lock: '인증번호를 연속 100번 틀리면 전화를 잠금',
    locks: { day: '하루 동안', operator: '운영자가 해제할 때까지' },
  },
})

type ShownProtection = ShownApp['protection']
/** Returns only changed fields, so that concurrent changes of others are kept. */
export type ProtectionChange = Parameters<typeof client.apps.protect>[0]['protection']

const TOLERANCES = { half: 0.5, usual: 1, double: 2 }
const LONGEST_RESEND_SEC = 3_600

/** Each rule is changed by itself. */
export type PolicySubject = 'countries' | 'conversion' | 'capping' | 'failures' | 'numberTypes' | 'resend' | 'trusted'

interface ProtectionFieldsProps {
  subject: PolicySubject
  known: ShownProtection
  decided: ProtectionChange
  errors: FormErrors
  onChange(decided: ProtectionChange): void
}

export function ProtectionFields({ subject, known, decided, errors, onChange }: ProtectionFieldsProps) {
  const say = useWords(words)
  const value = { ...known, ...decided }
  const change = (changed: ProtectionChange) => onChange({ ...decided, ...changed })
  const resend = (kind: keyof ShownProtection['resendMs']) => ({
    min: 0,
    max: LONGEST_RESEND_SEC,
    allowDecimal: false,
    value: (decided.resendMs?.[kind] ?? known.resendMs[kind]) / 1_000,
    onChange: (seconds: number | string) =>
      change({ resendMs: { ...decided.resendMs, [kind]: Number(seconds) * 1_000 } }),
  })
  switch (subject) {
    case 'numberTypes':
      return (
        <ModeChoice
          label={say.numberTypes}
          value={value.numberTypes}
          onChange={(numberTypes) => change({ numberTypes })}
        />
      )
    case 'countries':
      return (
        <>
          <ModeChoice label={say.countries} value={value.countries} onChange={(countries) => change({ countries })} />
          <CountriesChoice
            label={say.open}
            description={say.openAbout}
            value={value.open}
            onChange={(open) => change({ open })}
          />
          <CountriesChoice
            label={say.secretTo}
            description={say.secretToAbout}
            value={value.secretTo}
            onChange={(secretTo) => change({ secretTo })}
          />
          <CountriesChoice label={say.closed} value={value.closed} onChange={(closed) => change({ closed })} />
        </>
      )
    case 'capping':
      return (
        <>
          <ModeChoice label={say.capping} value={value.capping} onChange={(capping) => change({ capping })} />
          <CapFields caps={value.caps} error={errors.caps} onChange={(caps) => change({ caps })} />
        </>
      )
    case 'conversion':
      return (
        <>
          <ModeChoice
            label={say.conversion}
            about={say.conversionAbout}
            value={value.conversion}
            onChange={(conversion) => change({ conversion })}
          />
          <Choice
            label={say.tolerance}
            names={say.tolerances}
            value={value.tolerance < 1 ? 'half' : value.tolerance > 1 ? 'double' : 'usual'}
            onChange={(name) => change({ tolerance: TOLERANCES[name] })}
          />
        </>
      )
    case 'trusted':
      return (
        <TrustedFields
          known={known.trusted}
          decided={decided.trusted}
          errors={errors}
          onChange={(trusted) => change({ trusted })}
        />
      )
    case 'resend':
      return (
        <Input.Wrapper label={say.resend}>
          <Group grow align="end">
            <NumberInput label={say.resendBrowser} {...resend('pk')} />
            <NumberInput label={say.resendSecret} {...resend('sk')} />
          </Group>
        </Input.Wrapper>
      )
    case 'failures':
      return (
        <>
          <ModeChoice
            label={say.failures}
            about={say.failuresAbout}
            value={value.failures}
            onChange={(failures) => change({ failures })}
          />
          <Choice
            label={say.lock}
            names={say.locks}
            value={value.lockMs === null ? 'operator' : 'day'}
            onChange={(lock) => change({ lockMs: lock === 'operator' ? null : DAY_MS })}
          />
        </>
      )
  }
}

interface ModeChoiceProps {
  label: string
  about?: string
  value: ShownProtection['countries']
  onChange(mode: ShownProtection['countries']): void
}

function ModeChoice(props: ModeChoiceProps) {
  const say = useWords(words)
  return <Choice names={say.modes} {...props} />
}

interface ChoiceProps<Name extends string> {
  label: string
  about?: string
  names: Readonly<Record<Name, string>>
  value: Name
  onChange(name: Name): void
}

function Choice<Name extends string>({ label, about, names, value, onChange }: ChoiceProps<Name>) {
  return (
    <Select
      label={label}
      {...(about !== undefined && { description: about })}
      data={(Object.keys(names) as Name[]).map((name) => ({ value: name, label: names[name] }))}
      value={value}
      onChange={(name) => name && onChange(name as Name)}
      allowDeselect={false}
    />
  )
}

interface TrustedFieldsProps {
  known: ShownProtection['trusted']
  decided: ProtectionChange['trusted']
  errors: FormErrors
  onChange(trusted: NonNullable<ProtectionChange['trusted']>): void
}

function TrustedFields({ known, decided, errors, onChange }: TrustedFieldsProps) {
  const say = useWords(words)
  const formats = useFormats()
  const [networks, setNetworks] = useState(() => known.networks.join('\n'))
  const phones = decided?.phones ? 0 : known.phones
  const change = (changed: NonNullable<ProtectionChange['trusted']>) => onChange({ ...decided, ...changed })
  return (
    <>
      <Text size="sm" c="dimmed">
        {say.trusted}
      </Text>
      <Textarea
        label={say.networks}
        description={say.networksAbout}
        placeholder="203.0.113.0/24"
        autosize
        minRows={2}
        value={networks}
        error={errors.networks}
        onChange={(event) => {
          setNetworks(event.currentTarget.value)
          change({ networks: event.currentTarget.value.split(/[\s,]+/).filter(Boolean) })
        }}
        spellCheck={false}
      />
      <CountriesChoice
        label={say.trustedCountries}
        value={decided?.countries ?? known.countries}
        onChange={(countries) => change({ countries })}
      />
      <div>
        <Group justify="space-between" gap="xs">
          <Text size="sm">{phones === 0 ? say.noPhones : say.phones(phones, formats.number(phones))}</Text>
          {phones > 0 && (
            <Button size="compact-sm" variant="default" onClick={() => change({ phones: [] })}>
              {say.clear}
            </Button>
          )}
        </Group>
        <Text size="xs" c="dimmed">
          {say.phonesAbout}
        </Text>
      </div>
    </>
  )
}
