/** Dialog of the tokens with which finance's tools read usage. */
import { Anchor, Stack, Text, TextInput } from '@mantine/core'
import { modals } from '@mantine/modals'
import { IconKey } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { USAGE_REPORT_PATH } from '../../../../domain/operations/usage-report'
import { api, client, queries } from '../../api'
import { inWords, useWords, wordsNow } from '../../i18n/words'
import { confirm } from '../../parts/confirm'
import { CopyBlock, SecretOnce } from '../../parts/copy'
import { DataTable, fromList } from '../../parts/data-table'
import { EmptyState } from '../../parts/empty-state'
import { Form, useServerForm } from '../../parts/form'
import { RowAction } from '../../parts/row-action'
import { Section } from '../../parts/section'
import { tellDone, tellProblem } from '../../parts/tell'
import { AsWritten } from '../../parts/text'
import { Time } from '../../parts/time'
import { usageWords } from './words'

const words = inWords({
  en: {
    about: 'A tool with such a token reads the sums of this page for all apps, and nothing else.',
    guide: 'How a tool reads them',
    list: 'Report tokens',
    name: 'Name',
    nameAbout: 'Who uses it, such as ERP.',
    created: 'Created',
    actions: 'Actions',
    revoke: 'Revoke',
    revokeOf: (name: string) => `Revoke ${name}`,
    revokeTitle: (name: string) => `Revoke ${name}?`,
    revokeText: 'Tools with this token are refused at once. This cannot be undone; create another token instead.',
    revoked: (name: string) => `${name} is revoked.`,
    empty: 'No report tokens',
    emptyNext: 'Create one for each tool of finance.',
    createTitle: 'Create a report token',
    create: 'Create token',
    token: 'Report token',
    try: 'Read this month',
  },
  ko: {
    about: '이 토큰이 있는 도구는 모든 앱의 이 페이지 집계만 읽을 수 있습니다.',
    guide: '도구에서 읽는 방법',
    list: '보고서 토큰',
    name: '이름',
    nameAbout: 'ERP처럼 사용할 도구의 이름입니다.',
    created: '생성',
    actions: '작업',
    revoke: '폐기',
    revokeOf: (name) => `${name} 폐기`,
    revokeTitle: (name) => `${name}을(를) 폐기할까요?`,
    revokeText: '이 토큰을 쓰는 도구는 바로 거부됩니다. 되돌릴 수 없으므로 필요하면 새 토큰을 만드세요.',
    revoked: (name) => `${name}을(를) 폐기했습니다.`,
    empty: '보고서 토큰이 없습니다',
    emptyNext: '재무 도구마다 하나씩 만드세요.',
    createTitle: '보고서 토큰 만들기',
    create: '토큰 만들기',
    token: '보고서 토큰',
    try: '이번 달 읽기',
  },
})

export const openReportTokens = (): void => {
  modals.open({
    title: wordsNow(usageWords).tokens,
    size: 'lg',
    children: <ReportTokens />,
  })
}

const refresh = () => queries.invalidateQueries({ queryKey: api.reportTokens.key() })

function ReportTokens() {
  const say = useWords(words)
  const [token, setToken] = useState<string>()
  const query = useQuery(api.reportTokens.list.queryOptions())
  const revoke = useMutation(api.reportTokens.revoke.mutationOptions({ onSuccess: refresh, onError: tellProblem }))
  const askToRevoke = ({ tokenId, name }: { tokenId: string; name: string }) =>
    confirm({
      title: say.revokeTitle(name),
      consequence: say.revokeText,
      action: say.revoke,
      run: () => revoke.mutate({ tokenId }, { onSuccess: () => tellDone(say.revoked(name)) }),
    })
  if (token !== undefined)
    return (
      <SecretOnce secret={token} label={say.token} onDone={() => setToken(undefined)}>
        <CopyBlock value={command(token)} label={say.try} />
      </SecretOnce>
    )
  return (
    <Stack>
      <Text size="sm">
        {say.about}{' '}
        <Anchor href="/docs/guide/usage" target="_blank" inherit>
          {say.guide}
        </Anchor>
      </Text>
      <DataTable
        {...fromList(query.data?.tokens, query)}
        label={say.list}
        keyOf={({ tokenId }) => tokenId}
        columns={[
          { key: 'name', header: say.name, cell: ({ name }) => <AsWritten size="sm">{name}</AsWritten> },
          { key: 'created', header: say.created, cell: ({ createdAt }) => <Time at={createdAt} relative /> },
          {
            key: 'actions',
            header: say.actions,
            cell: (known) => (
              <RowAction isDestructive name={say.revokeOf(known.name)} onClick={() => askToRevoke(known)}>
                {say.revoke}
              </RowAction>
            ),
          },
        ]}
        empty={<EmptyState icon={IconKey} title={say.empty} next={say.emptyNext} />}
      />
      <Section title={say.createTitle}>
        <CreateToken onDone={setToken} />
      </Section>
    </Stack>
  )
}

/** Reads the month so far, of all apps. */
function command(token: string): string {
  const today = new Date().toISOString().slice(0, 10)
  const query = `from=${today.slice(0, 8)}01&to=${today}&groupBy=app,month`
  return `curl -s '${location.origin}${USAGE_REPORT_PATH}?${query}' \\\n  -H 'Authorization: Bearer ${token}'`
}

function CreateToken({ onDone }: { onDone(token: string): void }) {
  const say = useWords(words)
  const form = useServerForm({
    initialValues: { name: '' },
    send: (wanted) => client.reportTokens.create(wanted),
    async onDone({ token }) {
      await refresh()
      onDone(token)
    },
  })
  return (
    <Form form={form} action={say.create}>
      <TextInput
        label={say.name}
        description={say.nameAbout}
        required
        maxLength={100}
        autoComplete="off"
        {...form.field('name')}
      />
    </Form>
  )
}
