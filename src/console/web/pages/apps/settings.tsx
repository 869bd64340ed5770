/** Dialog that changes an app: its name, its region, how long its issues are kept, and its texts. */
import { Alert, Anchor, Checkbox, Fieldset, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import type { FormErrors } from '@mantine/form'
import { modals } from '@mantine/modals'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { RETENTION_DAYS } from '../../../../domain/access/app'
import { api, client, queries } from '../../api'
import { inWords, useWords, wordsNow } from '../../i18n/words'
import type { ChosenCountry } from '../../parts/country-choice'
import { Form, useServerForm } from '../../parts/form'
import { tellDone } from '../../parts/tell'
import { type ShownApp, useServerRetention } from '../../scope'
import { RegionChoice } from './new-app'
import { appWords } from './words'

const words = inWords({
  en: {
    save: 'Save',
    metadata: 'Include the metadata of the issue in verification proofs',
    metadataAbout: 'The client that verifies can read it, including a browser.',
    policy: 'What protects it against abuse is set in',
    policyLink: 'Protection → Policy',
    deletes: (days: number) =>
      `Live issues older than ${days} days are deleted soon after you save. This cannot be undone; their ledger entries stay.`,
    saved: (name: string) => `The settings of “${name}” are saved.`,
  },
  ko: {
    save: '저장',
    metadata: '인증 증명에 발급의 metadata 포함',
    metadataAbout: '브라우저를 포함해 인증하는 쪽에서 읽을 수 있습니다.',
    policy: '남용을 막는 규칙은 다음에서 설정합니다:',
    policyLink: '남용 방지 → 정책',
    deletes: (days) =>
      `저장하면 곧 ${days}일보다 오래된 운영 발급 내역을 삭제합니다. 되돌릴 수 없으며 원장 기록은 남습니다.`,
    saved: (name) => `“${name}” 앱의 설정을 저장했습니다.`,
  },
})

/** Server names of the fields in the sections. */
const PARAMS_OF_PARTS = ['androidHash', 'webOtpDomain']

export function openAppSettings(app: ShownApp): void {
  const modalId = modals.open({
    title: wordsNow(appWords).settingsOf(app.name),
    size: 'lg',
    children: <AppSettings app={app} onClose={() => modals.close(modalId)} />,
  })
}

function AppSettings({ app, onClose }: { app: ShownApp; onClose(): void }) {
  const say = useWords(words)
  const known = useWords(appWords)
  const { appId } = app
  const byServer = useServerRetention()
  const form = useServerForm({
    initialValues: {
      name: app.name,
      region: app.region as ChosenCountry,
      retentionDays: app.retentionDays,
      provesMetadata: app.provesMetadata,
      // Sends changed fields only, so that concurrent changes of others are kept.
      texts: {} as TextsChange,
    },
    // The typed text may match no country.
    validate: {
      name: (name) => (name.trim() === '' ? known.needsName : undefined),
      region: (region) => region === null,
    },
    otherParams: PARAMS_OF_PARTS,
    async send({ name, region, retentionDays, provesMetadata, texts }) {
      if (name.trim() !== app.name) await client.apps.rename({ appId, name })
      if (region !== app.region) await client.apps.setRegion({ appId, ...(region && { region }) })
      if (retentionDays !== app.retentionDays)
        await client.apps.setRetention({ appId, ...(retentionDays !== undefined && { retentionDays }) })
      if (Object.keys(texts).length > 0) await client.apps.setTexts({ appId, texts })
      if (provesMetadata !== app.provesMetadata) await client.apps.setProvesMetadata({ appId, provesMetadata })
    },
    onDone(_, { name }) {
      tellDone(say.saved(name.trim()))
      onClose()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: api.apps.key() }),
  })
  const { texts } = form.values
  return (
    <Form form={form} action={say.save} onCancel={onClose}>
      <TextInput data-autofocus label={known.appName} maxLength={100} autoComplete="off" {...form.field('name')} />
      <RegionChoice {...form.plainField('region')} />
      <RetentionField {...form.field('retentionDays', 'days')} />
      {(form.values.retentionDays ?? byServer) < (app.retentionDays ?? byServer) && (
        <Alert color="red" icon={<IconAlertTriangle aria-hidden />} role="status">
          {say.deletes(form.values.retentionDays ?? byServer)}
        </Alert>
      )}
      <TextsFields known={app.texts} wanted={texts} errors={form.errors} onChange={(texts) => form.set({ texts })} />
      <Checkbox label={say.metadata} description={say.metadataAbout} {...form.checkbox('provesMetadata')} />
      <Text size="sm" c="dimmed">
        {say.policy} {/* Dialogs lie outside the router. */}
        <Anchor href={`/console/protection/policy?app=${appId}`} inherit>
          {say.policyLink}
        </Anchor>
      </Text>
    </Form>
  )
}

const retentionWords = inWords({
  en: {
    label: 'Retention of live issues (days)',
    about: 'Their attempts and webhook events are deleted with them; the ledger is kept. Empty: server default.',
    asServer: (days: number) => `Server default: ${days}`,
  },
  ko: {
    label: '운영 발급 내역 보관 기간(일)',
    about: '발송 시도와 웹훅 이벤트도 함께 삭제됩니다. 원장은 남습니다. 비워 두면 서버 설정을 따릅니다.',
    asServer: (days) => `서버 설정대로: ${days}`,
  },
})

interface RetentionFieldProps {
  value: number | undefined
  error?: ReactNode
  onChange(days: number | undefined): void
}

/** Retention of live issues. */
function RetentionField({ value, error, onChange }: RetentionFieldProps) {
  const say = useWords(retentionWords)
  const byServer = useServerRetention()
  return (
    <NumberInput
      label={say.label}
      description={say.about}
      placeholder={say.asServer(byServer)}
      {...RETENTION_DAYS}
      clampBehavior="none"
      allowDecimal={false}
      allowNegative={false}
      hideControls
      value={value ?? ''}
      onChange={(days) => onChange(typeof days === 'number' ? days : undefined)}
      error={error}
    />
  )
}

const textsWords = inWords({
  en: {
    legend: 'Text messages',
    about:
      'Each of these adds a line at the end of an SMS. The lines count: a text of more than 90 bytes is sent as LMS.',
    domain: 'Domain of the page that verifies',
    domainAbout: 'Host name, such as app.example.com. Browsers autofill the code there.',
    hash: 'Android app hash',
    hashAbout: '11 characters. Android passes the SMS to this app (SMS Retriever).',
    byCountry: 'Choose the language by the country of the number',
    byCountryAbout: 'Applies to requests without a language, if the template has that language.',
  },
  ko: {
    legend: '문자 메시지',
    about: 'SMS 끝에 아래 항목마다 한 줄이 붙습니다. 길이에 포함되므로 90바이트를 넘으면 LMS로 발송됩니다.',
    domain: '인증번호를 입력하는 페이지의 도메인',
    domainAbout: 'app.example.com처럼 호스트 이름만 입력합니다. 그 페이지에서 브라우저가 인증번호를 채웁니다.',
    hash: 'Android 앱 해시',
    hashAbout: '11자입니다. Android가 이 앱에 문자를 전달합니다(SMS Retriever).',
    byCountry: '번호의 국가에 맞춰 언어 선택',
    byCountryAbout: '언어를 지정하지 않은 발급에, 템플릿에 있는 언어일 때 적용합니다.',
  },
})

/** Returns only changed fields, so that concurrent changes of others are kept. */
type TextsChange = Parameters<typeof client.apps.setTexts>[0]['texts']

interface TextsFieldsProps {
  known: ShownApp['texts']
  wanted: TextsChange
  errors: FormErrors
  onChange(wanted: TextsChange): void
}

/** Settings of text messages: autofill lines and the choice of language. */
function TextsFields({ known, wanted, errors, onChange }: TextsFieldsProps) {
  const say = useWords(textsWords)
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
