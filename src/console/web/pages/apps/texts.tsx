/** How an app's texts are written: what fills a code in by itself, and by what their language is chosen. */
import { Checkbox, Fieldset, Stack, Text, TextInput } from '@mantine/core'
import type { FormErrors } from '@mantine/form'
import type { client } from '../../api'
import { inWords, useWords } from '../../i18n/words'
import type { ShownApp } from '../../scope'

const words = inWords({
  en: {
    legend: 'Text messages',
    about: 'An SMS gets a line for each of these at its end. They count: a text of more than 90 bytes goes as LMS.',
    domain: 'Page that codes are typed into',
    domainAbout: 'Its host name, such as app.example.com. Browsers fill the code in there.',
    hash: 'Hash of the Android app',
    hashAbout: '11 characters. Android hands the text to this app (SMS Retriever).',
    byCountry: 'Choose the language by the country of the number',
    byCountryAbout: 'For orders that name none, where the template has it.',
  },
  ko: {
    legend: '문자 메시지',
    about: 'SMS 끝에 아래 항목마다 한 줄이 붙습니다. 길이에 포함되므로 90바이트를 넘으면 LMS로 발송됩니다.',
    domain: '인증번호를 입력하는 페이지',
    domainAbout: 'app.example.com처럼 호스트 이름만 입력합니다. 그 페이지에서 브라우저가 인증번호를 채웁니다.',
    hash: 'Android 앱 해시',
    hashAbout: '11자입니다. Android가 이 앱에 문자를 전달합니다(SMS Retriever).',
    byCountry: '번호의 국가에 맞춰 언어 선택',
    byCountryAbout: '언어를 지정하지 않은 발급에, 템플릿에 있는 언어일 때 적용합니다.',
  },
})

/** What is to be otherwise than it is. */
export type TextsChange = Parameters<typeof client.apps.setTexts>[0]['texts']

interface TextsFieldsProps {
  known: ShownApp['texts']
  wanted: TextsChange
  errors: FormErrors
  onChange(wanted: TextsChange): void
}

export function TextsFields({ known, wanted, errors, onChange }: TextsFieldsProps) {
  const say = useWords(words)
  const value = { ...known, ...wanted }
  const change = (changed: TextsChange) => onChange({ ...wanted, ...changed })
  return (
    <Fieldset legend={say.legend}>
      <Stack>
        <Text size="sm" c="dimmed">
          {say.about}
        </Text>
        <TextInput
          label={say.domain}
          description={say.domainAbout}
          autoComplete="off"
          spellCheck={false}
          maxLength={253}
          value={value.webOtpDomain ?? ''}
          onChange={(event) => change({ webOtpDomain: event.currentTarget.value || null })}
          error={errors.webOtpDomain}
        />
        <TextInput
          label={say.hash}
          description={say.hashAbout}
          autoComplete="off"
          spellCheck={false}
          maxLength={11}
          value={value.androidHash ?? ''}
          onChange={(event) => change({ androidHash: event.currentTarget.value || null })}
          error={errors.androidHash}
        />
        <Checkbox
          label={say.byCountry}
          description={say.byCountryAbout}
          checked={value.localeByCountry ?? false}
          onChange={(event) => change({ localeByCountry: event.currentTarget.checked })}
        />
      </Stack>
    </Fieldset>
  )
}
