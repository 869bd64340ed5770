import { Alert, Button, Group, List, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconDownload, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { client } from '../api'
import { useFormats } from '../i18n/format'
import { frameWords } from '../i18n/frame'
import { inWords, useWords } from '../i18n/words'
import { confirmByName } from '../parts/confirm-by-name'
import { useServerForm } from '../parts/form'
import { PageHeader } from '../parts/page-header'
import { ProblemNote } from '../parts/problem-note'
import { Section } from '../parts/section'
import { tellDone } from '../parts/tell'
import { saveFile } from '../save-file'
import { useApps } from '../scope'

/** No app has it. */
const EVERY_APP = ''

interface SoughtPhone {
  phoneNumber: string
  appId?: string
}

/** Collects all pages into one file. */
async function exportAll(sought: SoughtPhone): Promise<number> {
  const issues: unknown[] = []
  let head: Record<string, unknown> = {}
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const page = await client.privacy.export({ ...sought, after })
    head = page.head ?? head
    issues.push(...page.issues)
    after = page.next
  }
  saveFile('phone-export.json', 'application/json', `${JSON.stringify({ ...head, issues }, undefined, 2)}\n`)
  return issues.length
}

type ErasureOutcome = Awaited<ReturnType<typeof client.privacy.erase>>

export default function Privacy() {
  const say = useWords(privacyWords)
  const common = useWords(frameWords)
  const apps = useApps()
  const [outcome, setOutcome] = useState<ErasureOutcome>()
  const form = useServerForm({
    initialValues: { phoneNumber: '', appId: EVERY_APP, isErasing: false },
    validate: { phoneNumber: (typed) => (typed.trim() === '' ? say.needsNumber : undefined) },
    async send({ phoneNumber, appId, isErasing }) {
      setOutcome(undefined)
      const sought = { phoneNumber, ...(appId !== EVERY_APP && { appId }) }
      if (!isErasing) return tellDone(say.exported(await exportAll(sought)))
      const { phoneNumber: name } = await client.privacy.read(sought)
      confirmByName({
        ...{ title: say.eraseTitle, name, action: say.erase },
        consequence: say.consequence(apps.find((app) => app.appId === appId)?.name ?? say.everyApp),
        run: async () => setOutcome(await client.privacy.erase(sought)),
      })
    },
  })
  const isErasing = form.sent?.isErasing
  return (
    <>
      <PageHeader title={common.pages.privacy} about={say.about} />
      <Stack>
        <Section title={say.ofPhone} about={say.ofPhoneAbout}>
          <form onSubmit={form.submit} noValidate>
            <Stack maw={480}>
              <TextInput
                label={say.number}
                description={say.numberAbout}
                type="tel"
                required
                autoComplete="off"
                maxLength={64}
                {...form.field('phoneNumber')}
              />
              <Select
                label={common.app}
                data={[
                  { value: EVERY_APP, label: say.everyApp },
                  ...apps.map((app) => ({ value: app.appId, label: app.name })),
                ]}
                allowDeselect={false}
                {...form.plainField('appId')}
              />
              {form.failure && <ProblemNote failure={form.failure} />}
              <Group gap="sm">
                <Button
                  type="submit"
                  leftSection={<IconDownload size={18} aria-hidden />}
                  loading={form.isPending && !isErasing}
                  onClick={() => form.set({ isErasing: false })}
                >
                  {say.export}
                </Button>
                <Button
                  type="submit"
                  variant="light"
                  color="red"
                  leftSection={<IconTrash size={18} aria-hidden />}
                  loading={form.isPending && isErasing}
                  onClick={() => form.set({ isErasing: true })}
                >
                  {say.erase}
                </Button>
              </Group>
              {outcome && <Told outcome={outcome} />}
            </Stack>
          </form>
        </Section>
        <Section title={say.stays} about={say.staysAbout}>
          <List size="sm" spacing="xs" listStyleType="disc">
            {Object.values(say.staying).map((what) => (
              <List.Item key={what}>{what}</List.Item>
            ))}
          </List>
        </Section>
      </Stack>
    </>
  )
}

function Told({ outcome: { erased } }: { outcome: ErasureOutcome }) {
  const say = useWords(privacyWords)
  const format = useFormats()
  return (
    <Alert color="teal" role="status">
      <Text size="sm">
        {erased ? say.erased(format.number(erased.issues), format.number(erased.events)) : say.underWay}
      </Text>
      {erased !== undefined && erased.counted > 0 && (
        <Text size="sm">{say.counted(format.number(erased.counted))}</Text>
      )}
    </Alert>
  )
}

const codes = (count: number) => `${count} ${count === 1 ? 'issue' : 'issues'}`

const privacyWords = inWords({
  en: {
    about: 'For access and erasure requests. Both are recorded in the audit log, without the number.',
    ofPhone: 'One phone',
    ofPhoneAbout: 'Numbers are stored as keyed hashes only. Enter the number to find its issues.',
    number: 'Phone number',
    numberAbout: 'With + and the country code, or as people write it in the region of the app.',
    needsNumber: 'Enter a number.',
    everyApp: 'Every app',
    export: 'Export',
    exported: (count: number) => `${codes(count)} exported.`,
    erase: 'Erase',
    eraseTitle: 'Erase what is stored of this phone',
    consequence: (scope: string) =>
      `${scope}: issues, attempts, queued messages and webhook events are deleted. Codes already sent become invalid. This cannot be undone.`,
    erased: (issues: string, events: string) => `Erased. Issues: ${issues}. Webhook events: ${events}.`,
    counted: (count: string) =>
      `${count} of these issues still count against rate limits or are being charged; their remains are deleted within days.`,
    underWay: 'The erasure is running. There is much data: the audit log records when it is finished.',
    stays: 'What stays',
    staysAbout: 'Erasing neither refunds charges nor unlocks the phone.',
    staying: {
      ledger: 'The ledger: amounts and times, under a new id.',
      counted: 'For two days: that a code was issued, for rate limits and usage.',
      locks: 'Locks and wrong codes: a keyed hash, until a year after the last wrong code.',
      keys: 'Idempotency keys: keyed hashes, until they expire. A repeated request is refused and sends nothing.',
      backups: 'Earlier backups. When one is restored, the phone is erased again.',
    },
  },
  ko: {
    about: '저장된 정보의 열람이나 삭제를 요청받았을 때 사용합니다. 두 작업 모두 번호 없이 감사 기록에 남습니다.',
    ofPhone: '번호별 데이터',
    ofPhoneAbout: '번호는 키를 사용한 해시로만 저장됩니다. 번호를 입력하면 그 번호로 발급한 내역을 찾습니다.',
    number: '전화번호',
    numberAbout: '+와 국가 번호로 시작하거나, 앱의 지역에서 쓰는 형식으로 입력하세요.',
    needsNumber: '번호를 입력하세요.',
    everyApp: '모든 앱',
    export: '내보내기',
    exported: (count) => `발급 ${count}건을 내보냈습니다.`,
    erase: '삭제',
    eraseTitle: '이 전화번호의 데이터 삭제',
    consequence: (scope) =>
      `${scope}: 발급 내역, 발송 시도, 대기 중인 메시지, 웹훅 이벤트를 삭제합니다. 이미 보낸 인증번호는 쓸 수 없게 됩니다. 되돌릴 수 없습니다.`,
    erased: (issues, events) => `삭제했습니다: 발급 ${issues}건, 웹훅 이벤트 ${events}건.`,
    counted: (count) => `${count}건은 한도나 과금에 아직 반영되고 있습니다. 남은 부분은 며칠 안에 삭제됩니다.`,
    underWay: '삭제하는 중입니다. 양이 많아 시간이 걸립니다. 끝나면 감사 기록에 남습니다.',
    stays: '남는 것',
    staysAbout: '삭제해도 과금은 취소되지 않고 잠금은 풀리지 않습니다.',
    staying: {
      ledger: '원장: 금액과 시각. 발급 ID는 다른 값으로 바뀝니다.',
      counted: '이틀 동안: 발급이 있었다는 사실. 한도와 사용량 집계에 쓰입니다.',
      locks: '잠금과 틀린 인증번호 횟수: 키를 사용한 해시로, 마지막으로 틀린 뒤 1년까지.',
      keys: '멱등 키: 만료될 때까지 해시로. 같은 요청을 반복하면 거부하며 메시지를 보내지 않습니다.',
      backups: '이전에 만든 백업. 복원하면 이 번호를 다시 삭제합니다.',
    },
  },
})
