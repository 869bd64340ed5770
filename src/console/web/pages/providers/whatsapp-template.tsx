/** Dialog of the authentication template of a WhatsApp carrier: the state of each language at Meta, and its creation. */
import { Badge, Group, NumberInput, Stack, TagsInput, Text, Textarea } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useQuery } from '@tanstack/react-query'
import { api, client, queries } from '../../api'
import { inWords, useWords, wordsNow } from '../../i18n/words'
import { Loading } from '../../parts/empty-state'
import { Form, useServerForm } from '../../parts/form'
import { ProblemNote } from '../../parts/problem-note'
import { AsWritten } from '../../parts/text'
import { providerWords } from './words'

const words = inWords({
  en: {
    about: 'Codes go out by this template of Meta’s. A language can be used once Meta has approved it.',
    none: (template: string) => `Meta has no template ${template} yet.`,
    languages: 'Languages to create',
    languagesHelp: 'Meta’s codes, such as en_US or ko.',
    minutes: 'Minutes that a code is valid, as the message says',
    apps: 'Android apps that fill in the code (optional)',
    appsHelp: 'One a line: package name, equals sign and signature hash.',
    create: 'Create at Meta',
    close: 'Close',
    states: {
      APPROVED: 'Approved',
      PENDING: 'Waits for approval',
      REJECTED: 'Rejected',
      PAUSED: 'Paused',
      DISABLED: 'Disabled',
      REFUSED: 'Not created',
    },
  },
  ko: {
    about: '인증번호는 Meta에 등록한 이 템플릿으로 보냅니다. Meta가 승인한 언어만 사용할 수 있습니다.',
    none: (template) => `Meta에 ${template} 템플릿이 아직 없습니다.`,
    languages: '만들 언어',
    languagesHelp: 'en_US, ko 같은 Meta의 언어 코드입니다.',
    minutes: '메시지에 표시할 유효 시간(분)',
    apps: '인증번호를 채울 Android 앱(선택)',
    appsHelp: '한 줄에 하나씩 패키지 이름=서명 해시로 입력하세요.',
    create: 'Meta에 만들기',
    close: '닫기',
    states: {
      APPROVED: '승인됨',
      PENDING: '승인 대기',
      REJECTED: '반려됨',
      PAUSED: '일시 중지',
      DISABLED: '사용 중지',
      REFUSED: '만들지 못함',
    },
  },
})

const SUGGESTED = ['en_US', 'en_GB', 'ko', 'ja', 'zh_CN', 'zh_TW', 'es', 'fr', 'de', 'pt_BR', 'id', 'vi', 'th', 'ar']

export function openWhatsappTemplate(name: string): void {
  const modalId = modals.open({
    title: wordsNow(providerWords).templateOf(name),
    size: 'lg',
    children: <WhatsappTemplate name={name} onClose={() => modals.close(modalId)} />,
  })
}

/** Without languages nothing is created. */
const lookAt = (name: string) =>
  api.carriers.whatsappTemplate.queryOptions({ input: { name, languages: [], minutes: 5, androidApps: [] }, gcTime: 0 })

function WhatsappTemplate({ name, onClose }: { name: string; onClose(): void }) {
  const say = useWords(words)
  const asked = useQuery(lookAt(name))
  const form = useServerForm({
    initialValues: { languages: [] as string[], minutes: 5 as number | string, apps: '' },
    send: ({ languages, minutes, apps }) =>
      client.carriers.whatsappTemplate({ name, languages, minutes: Number(minutes), androidApps: appsIn(apps) }),
    onDone(answer) {
      queries.setQueryData(lookAt(name).queryKey, answer)
      form.reset()
    },
  })
  if (asked.isPending) return <Loading />
  if (asked.isError) return <ProblemNote failure={asked.error} />
  const { template, languages } = asked.data
  return (
    <Form
      form={form}
      action={say.create}
      cancel={say.close}
      onCancel={onClose}
      disabled={!form.values.languages.length}
    >
      <Text size="sm" c="dimmed">
        {say.about}
      </Text>
      {languages.length === 0 ? (
        <Text size="sm">{say.none(template)}</Text>
      ) : (
        <Stack component="ul" gap="xs" p={0} m={0} aria-live="polite">
          {languages.map((one) => (
            <Language key={one.language} {...one} />
          ))}
        </Stack>
      )}
      <TagsInput
        data-autofocus
        label={say.languages}
        description={say.languagesHelp}
        data={SUGGESTED}
        splitChars={[',', ' ']}
        acceptValueOnBlur
        {...form.field('languages', 'language')}
      />
      <NumberInput label={say.minutes} min={1} max={90} allowDecimal={false} {...form.field('minutes')} />
      <Textarea
        label={say.apps}
        description={say.appsHelp}
        placeholder="com.example.app=K8a/AINcGX7"
        autosize
        minRows={1}
        spellCheck={false}
        {...form.field('apps', 'androidApps')}
      />
    </Form>
  )
}

/** A line without a sign has no hash, which the server refuses. */
const appsIn = (text: string) =>
  text
    .split(/\s+/)
    .filter(Boolean)
    .map((line) => {
      const [packageName = '', ...hash] = line.split('=')
      return { packageName, signatureHash: hash.join('=') }
    })

const COLORS: Readonly<Record<string, string>> = { APPROVED: 'teal', PENDING: 'yellow', PAUSED: 'yellow' }

function Language({ language, status, reason }: { language: string; status: string; reason?: string | undefined }) {
  const { states } = useWords(words)
  return (
    <li>
      <Group gap="sm">
        <Text fw={500}>{language}</Text>
        <Badge variant="light" color={COLORS[status] ?? 'red'}>
          {states[status as keyof typeof states] ?? status}
        </Badge>
      </Group>
      {reason !== undefined && <AsWritten size="sm">{reason}</AsWritten>}
    </li>
  )
}
