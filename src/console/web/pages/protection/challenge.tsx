/** Settings of the challenge that replaces a refusal for abuse. */
import { Select, Text, TextInput } from '@mantine/core'
import type { FormErrors } from '@mantine/form'
import type { client } from '../../api'
import { inWords, useWords } from '../../i18n/words'

const words = inWords({
  en: {
    about: 'When a code would be refused for abuse, the page can show a CAPTCHA widget and send its response instead.',
    vendor: 'Challenge vendor',
    none: 'None: refuse the code',
    secret: 'Vendor secret',
    kept: 'Stored already. Leave this empty to keep it.',
    siteKey: 'Site key',
    siteKeyAbout: 'Public value with which the page renders the widget.',
    onOutage: 'While the vendor is unavailable',
    outages: { refuse: 'refuse codes', pass: 'send codes' },
  },
  ko: {
    about: '남용으로 보여 거부할 인증번호라도, 페이지에 위젯을 띄우고 그 응답을 함께 보내면 발송합니다.',
    vendor: '요구할 확인',
    none: '없음: 남용으로 보이면 거부',
    secret: '업체가 준 비밀 키',
    kept: '이미 저장되어 있습니다. 그대로 두려면 비워 두세요.',
    siteKey: '사이트 키',
    siteKeyAbout: '공개 값으로, 페이지가 위젯을 띄울 때 씁니다.',
    onOutage: '업체가 응답하지 않는 동안',
    outages: { refuse: '계속 거부', pass: '보내기' },
  },
})

export type Challenge = NonNullable<Awaited<ReturnType<typeof client.apps.challenge>>['challenge']>
type ShownVendor = Challenge['vendor']

export interface ChallengeDraft {
  /** '' means no challenge. */
  vendor: ShownVendor | ''
  /** '' keeps the stored secret. */
  secret: string
  siteKey: string
  onOutage: Challenge['onOutage']
}

export const draftOf = (known: Challenge | undefined): ChallengeDraft => ({
  vendor: known?.vendor ?? '',
  secret: '',
  siteKey: known?.siteKey ?? '',
  onOutage: known?.onOutage ?? 'refuse',
})

export const VENDORS: Readonly<Record<ShownVendor, string>> = {
  turnstile: 'Cloudflare Turnstile',
  hcaptcha: 'hCaptcha',
  recaptcha: 'Google reCAPTCHA',
}
const OPTIONS = Object.entries(VENDORS).map(([value, label]) => ({ value, label }))

interface ChallengeFieldsProps {
  known: Challenge | undefined
  value: ChallengeDraft
  errors: FormErrors
  onChange(draft: ChallengeDraft): void
}

export function ChallengeFields({ known, value, errors, onChange }: ChallengeFieldsProps) {
  const say = useWords(words)
  const change = (changed: Partial<ChallengeDraft>) => onChange({ ...value, ...changed })
  const { vendor, secret, siteKey, onOutage } = value
  return (
    <>
      <Text size="sm" c="dimmed">
        {say.about}
      </Text>
      <Select
        label={say.vendor}
        data={[{ value: '', label: say.none }, ...OPTIONS]}
        value={vendor}
        // Keys belong to a vendor, so a change of vendor clears them.
        onChange={(chosen) =>
          onChange({ ...draftOf(known?.vendor === chosen ? known : undefined), vendor: chosen as ShownVendor })
        }
        allowDeselect={false}
      />
      {vendor !== '' && (
        <>
          <TextInput
            type="password"
            label={say.secret}
            {...(vendor === known?.vendor && { description: say.kept })}
            // Prevents autofill by the browser.
            autoComplete="new-password"
            maxLength={256}
            value={secret}
            onChange={(event) => change({ secret: event.currentTarget.value })}
            error={errors.secret}
          />
          <TextInput
            label={say.siteKey}
            description={say.siteKeyAbout}
            autoComplete="off"
            spellCheck={false}
            maxLength={256}
            value={siteKey}
            onChange={(event) => change({ siteKey: event.currentTarget.value })}
            error={errors.siteKey}
          />
          <Select
            label={say.onOutage}
            data={(['refuse', 'pass'] as const).map((what) => ({ value: what, label: say.outages[what] }))}
            value={onOutage}
            onChange={(what) => what && change({ onOutage: what })}
            allowDeselect={false}
          />
        </>
      )}
    </>
  )
}
