/** Settings with which a program with an SDK of Twilio Verify uses this app. */
import { Group, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { api, client, queries } from '../../api'
import { inWords, useWords } from '../../i18n/words'
import { CopyBlock, CopyButton } from '../../parts/copy'
import { DataTable, fromList } from '../../parts/data-table'
import { EmptyState } from '../../parts/empty-state'
import { Form, useServerForm } from '../../parts/form'
import { ProblemNote } from '../../parts/problem-note'
import { Section } from '../../parts/section'
import { tellDone } from '../../parts/tell'
import { AsWritten } from '../../parts/text'
import { useAppScope } from '../../scope'
import { useMay } from '../../session'

const words = inWords({
  en: {
    title: 'Twilio Verify',
    about:
      'A program with an SDK of Twilio Verify keeps its code. It gets this base URL and account SID, a secret key of the app as auth token, and a service SID.',
    baseUrl: 'Base URL',
    accountSid: 'Account SID',
    services: 'Services',
    purpose: 'Purpose',
    serviceSid: 'Service SID',
    empty: 'No services yet',
    emptyNext: 'Add a purpose: each one is a service at Twilio.',
    emptyViewer: 'Operators with the role developer or owner can add a purpose.',
    purposeAbout: 'Such as signup. Codes of the service have it.',
    add: 'Add purpose',
    added: (purpose: string) => `${purpose} has a service SID.`,
  },
  ko: {
    title: 'Twilio Verify',
    about:
      'Twilio Verify SDK를 쓰는 프로그램은 코드를 그대로 둡니다. 아래 기본 URL과 계정 SID, 서비스 SID를 넣고, 인증 토큰으로는 앱의 비밀 키를 씁니다.',
    baseUrl: '기본 URL',
    accountSid: '계정 SID',
    services: '서비스',
    purpose: '용도',
    serviceSid: '서비스 SID',
    empty: '아직 서비스가 없습니다',
    emptyNext: '용도를 추가하세요. 용도 하나가 Twilio의 서비스 하나입니다.',
    emptyViewer: '개발자 또는 소유자 역할인 사람이 용도를 추가할 수 있습니다.',
    purposeAbout: '예: signup. 이 서비스의 인증번호에 표시됩니다.',
    add: '용도 추가',
    added: (purpose) => `${purpose}의 서비스 SID를 만들었습니다.`,
  },
})

export function TwilioSettings() {
  const say = useWords(words)
  const may = useMay()('apps')
  const { appId } = useAppScope()
  const query = useQuery(api.apps.twilio.queryOptions({ input: { appId } }))
  if (query.isError) return <ProblemNote failure={query.error} />
  return (
    <Section title={say.title} about={say.about}>
      <Stack>
        {query.data && (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <CopyBlock value={query.data.baseUrl} label={say.baseUrl} />
            <CopyBlock value={query.data.accountSid} label={say.accountSid} />
          </SimpleGrid>
        )}
        <DataTable
          {...fromList(query.data?.services, query)}
          label={say.services}
          keyOf={({ serviceSid }) => serviceSid}
          columns={[
            { key: 'purpose', header: say.purpose, cell: ({ purpose }) => <AsWritten size="sm">{purpose}</AsWritten> },
            {
              key: 'sid',
              header: say.serviceSid,
              cell: ({ purpose, serviceSid }) => (
                <Group gap={4} wrap="nowrap">
                  <AsWritten size="xs" ff="monospace">
                    {serviceSid}
                  </AsWritten>
                  <CopyButton value={serviceSid} what={`${say.serviceSid}, ${purpose}`} />
                </Group>
              ),
            },
          ]}
          empty={<EmptyState icon={IconKey} title={say.empty} next={may ? say.emptyNext : say.emptyViewer} />}
        />
        {may && <AddPurpose appId={appId} />}
      </Stack>
    </Section>
  )
}

function AddPurpose({ appId }: { appId: string }) {
  const say = useWords(words)
  const form = useServerForm({
    initialValues: { purpose: '' },
    send: ({ purpose }) => client.apps.addTwilioPurpose({ appId, purpose }),
    async onDone(_, { purpose }) {
      await queries.invalidateQueries({ queryKey: api.apps.twilio.key() })
      form.reset()
      tellDone(say.added(purpose.trim()))
    },
  })
  return (
    <Form form={form} action={say.add}>
      <TextInput
        label={say.purpose}
        description={say.purposeAbout}
        placeholder="signup"
        required
        maxLength={64}
        autoComplete="off"
        {...form.field('purpose')}
      />
    </Form>
  )
}
