/** Tokens of the management API: a list, and the form that makes one and shows it once. */
import { Anchor, Button, MultiSelect, NativeSelect, Text, TextInput, VisuallyHidden } from '@mantine/core'
import { modals } from '@mantine/modals'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { ADMIN_NOUNS, type AdminNoun } from '../../../../domain/access/admin-token'
import { DAY_MS } from '../../../../domain/shared/value'
import { api, client, queries } from '../../api'
import { inWords, useWords } from '../../i18n/words'
import { confirm } from '../../parts/confirm'
import { CopyBlock, SecretOnce } from '../../parts/copy'
import { DataTable, type DataTableProps, fromList } from '../../parts/data-table'
import { EmptyState } from '../../parts/empty-state'
import { Form, useServerForm } from '../../parts/form'
import { RowAction } from '../../parts/row-action'
import { Section } from '../../parts/section'
import { tellDone, tellProblem } from '../../parts/tell'
import { AsWritten } from '../../parts/text'
import { Time } from '../../parts/time'
import { useApps } from '../../scope'

const words = inWords({
  en: {
    title: 'Tokens of the management API',
    about: 'Machines do with a token what people do at this console. Without any token the API is off.',
    guide: 'How machines use it',
    name: 'Name',
    nameAbout: 'Who uses it, such as deploy. The audit log says this name.',
    writes: 'May read and change',
    reads: 'May read only',
    apps: 'Apps',
    appsAbout: 'None chosen: all.',
    all: 'All apps',
    networks: 'Networks',
    networksAbout: 'From where it is accepted, such as 10.0.0.0/8, separated by commas. Empty: from anywhere.',
    ends: 'Ends',
    never: 'Never',
    days: (count: number) => `In ${count} days`,
    scopes: 'Scopes',
    actions: 'Actions',
    create: 'Create a token',
    make: 'Create',
    token: 'Token',
    try: 'Try it',
    revoke: 'Revoke',
    revokeOf: (name: string) => `Revoke ${name}`,
    revokeTitle: (name: string) => `Revoke ${name}?`,
    revokeText: 'Machines with this token are refused at once. This cannot be undone; create another token instead.',
    revoked: (name: string) => `${name} is revoked.`,
    empty: 'No tokens',
    emptyNext: 'Create one for each machine that changes or reads something here.',
  },
  ko: {
    title: '관리 API 토큰',
    about: '토큰이 있는 프로그램은 이 콘솔에서 할 수 있는 일을 할 수 있습니다. 토큰이 없으면 API는 꺼져 있습니다.',
    guide: '프로그램에서 사용하는 방법',
    name: '이름',
    nameAbout: 'deploy처럼 사용할 곳의 이름입니다. 감사 로그에 이 이름이 남습니다.',
    writes: '읽기와 변경 허용',
    reads: '읽기만 허용',
    apps: '앱',
    appsAbout: '선택하지 않으면 모든 앱입니다.',
    all: '모든 앱',
    networks: '네트워크',
    networksAbout: '10.0.0.0/8처럼 쉼표로 구분해 입력하세요. 비워 두면 어디서나 사용할 수 있습니다.',
    ends: '만료',
    never: '만료 없음',
    days: (count) => `${count}일 후`,
    scopes: '권한',
    actions: '작업',
    create: '토큰 만들기',
    make: '만들기',
    token: '토큰',
    try: '사용해 보기',
    revoke: '폐기',
    revokeOf: (name) => `${name} 폐기`,
    revokeTitle: (name) => `${name}을(를) 폐기할까요?`,
    revokeText: '이 토큰을 쓰는 프로그램은 바로 거부됩니다. 되돌릴 수 없으므로 필요하면 새 토큰을 만드세요.',
    revoked: (name) => `${name}을(를) 폐기했습니다.`,
    empty: '토큰이 없습니다',
    emptyNext: '여기에서 읽거나 변경할 프로그램마다 하나씩 만드세요.',
  },
})

const refresh = () => queries.invalidateQueries({ queryKey: api.tokens.key() })

interface TokenRow {
  tokenId: string
  name: string
  scopes: string[]
  appIds?: string[] | undefined
  expiresAt?: number | undefined
}

export function Tokens() {
  const say = useWords(words)
  const names = new Map(useApps().map(({ appId, name }) => [appId, name]))
  const query = useQuery(api.tokens.list.queryOptions())
  const revoke = useMutation(api.tokens.revoke.mutationOptions({ onSuccess: refresh, onError: tellProblem }))
  const askToRevoke = ({ tokenId, name }: TokenRow) =>
    confirm({
      title: say.revokeTitle(name),
      consequence: say.revokeText,
      action: say.revoke,
      run: () => revoke.mutate({ tokenId }, { onSuccess: () => tellDone(say.revoked(name)) }),
    })
  const create = () => {
    const modalId = modals.open({
      title: say.create,
      // A click outside must not close what is shown once.
      closeOnClickOutside: false,
      children: <CreateToken onClose={() => modals.close(modalId)} />,
    })
  }
  const columns: DataTableProps<TokenRow>['columns'] = [
    { key: 'name', header: say.name, cell: ({ name }) => <AsWritten size="sm">{name}</AsWritten> },
    { key: 'scopes', header: say.scopes, cell: ({ scopes }) => <Text size="sm">{scopes.join(', ')}</Text> },
    {
      key: 'apps',
      header: say.apps,
      cell: ({ appIds }) => appIds?.map((appId) => names.get(appId) ?? appId).join(', ') ?? say.all,
    },
    {
      key: 'ends',
      header: say.ends,
      isMinor: true,
      cell: ({ expiresAt }) => (expiresAt === undefined ? say.never : <Time at={expiresAt} relative />),
    },
    {
      key: 'actions',
      header: <VisuallyHidden>{say.actions}</VisuallyHidden>,
      isNumber: true,
      cell: (token) => (
        <RowAction isDestructive name={say.revokeOf(token.name)} onClick={() => askToRevoke(token)}>
          {say.revoke}
        </RowAction>
      ),
    },
  ]
  return (
    <Section
      title={say.title}
      about={
        <>
          {say.about}{' '}
          <Anchor href="/docs/guide/administration" target="_blank" inherit underline="always">
            {say.guide}
          </Anchor>
        </>
      }
      actions={
        <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={create}>
          {say.create}
        </Button>
      }
    >
      <DataTable
        {...fromList<TokenRow>(query.data?.tokens, query)}
        label={say.title}
        keyOf={({ tokenId }) => tokenId}
        columns={columns}
        empty={<EmptyState icon={IconKey} title={say.empty} next={say.emptyNext} />}
      />
    </Section>
  )
}

const LIVES_DAYS = [30, 90, 365] as const

function CreateToken({ onClose }: { onClose(): void }) {
  const say = useWords(words)
  const apps = useApps()
  const form = useServerForm({
    initialValues: {
      ...{ name: '', networks: '', days: '' },
      ...{ writes: [] as AdminNoun[], reads: [] as AdminNoun[], appIds: [] as string[] },
    },
    otherParams: ['scopes', 'cidr', 'expires'],
    send: ({ name, writes, reads, appIds, networks, days }) =>
      client.tokens.create({
        ...{ name, allowedCidrs: networks.split(/[\s,]+/).filter(Boolean) },
        scopes: [...writes.map((noun) => `${noun}:write` as const), ...reads.map((noun) => `${noun}:read` as const)],
        ...(appIds.length > 0 && { appIds }),
        ...(days !== '' && { expiresAt: Date.now() + Number(days) * DAY_MS }),
      }),
    onDone: refresh,
  })
  if (form.answer)
    return (
      <SecretOnce secret={form.answer.token} label={say.token} onDone={onClose}>
        <CopyBlock
          value={`curl -s '${location.origin}/admin/v1/apps' \\\n  -H 'Authorization: Bearer ${form.answer.token}'`}
          label={say.try}
        />
      </SecretOnce>
    )
  return (
    <Form form={form} action={say.make} onCancel={onClose}>
      <TextInput
        data-autofocus
        label={say.name}
        description={say.nameAbout}
        required
        maxLength={100}
        autoComplete="off"
        {...form.field('name')}
      />
      <MultiSelect label={say.writes} data={[...ADMIN_NOUNS]} searchable {...form.field('writes')} />
      <MultiSelect
        label={say.reads}
        data={[...ADMIN_NOUNS]}
        searchable
        {...form.field('reads')}
        error={form.errors.scopes}
      />
      <MultiSelect
        label={say.apps}
        description={say.appsAbout}
        data={apps.map(({ appId, name }) => ({ value: appId, label: name }))}
        searchable
        {...form.field('appIds')}
      />
      <TextInput
        label={say.networks}
        description={say.networksAbout}
        autoComplete="off"
        {...form.field('networks')}
        error={form.errors.cidr}
      />
      <NativeSelect
        label={say.ends}
        data={[
          { value: '', label: say.never },
          ...LIVES_DAYS.map((days) => ({ value: String(days), label: say.days(days) })),
        ]}
        {...form.field('days')}
        error={form.errors.expires}
      />
    </Form>
  )
}
