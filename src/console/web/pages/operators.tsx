import { Button, Stack, Text, TextInput, Title, VisuallyHidden } from '@mantine/core'
import { modals } from '@mantine/modals'
import { IconMail, IconUserPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { Role } from '../../../domain/access/operator'
import { api, client, queries } from '../api'
import { useFormats } from '../i18n/format'
import { frameWords } from '../i18n/frame'
import { roleWords } from '../i18n/roles'
import { inWords, useWords } from '../i18n/words'
import { safetyNet } from '../live'
import { SecretOnce } from '../parts/copy'
import { DataTable, type DataTableProps, fromList } from '../parts/data-table'
import { EmptyState } from '../parts/empty-state'
import { Form, useServerForm } from '../parts/form'
import { PageHeader } from '../parts/page-header'
import { tellDone, tellProblem } from '../parts/tell'
import { Time } from '../parts/time'
import { useMay } from '../session'
import { OperatorTable } from './operators/operator-table'
import { type ChosenRights, Rights, RightsChoice, rightsOf } from './operators/rights'
import { Tokens } from './operators/tokens'

const words = inWords({
  en: { about: 'The people who may sign in to this console, with their roles.', invite: 'Invite' },
  ko: { about: '이 콘솔에 로그인할 수 있는 사람과 각자의 권한입니다.', invite: '초대하기' },
})

export default function Operators() {
  const say = useWords(words)
  const common = useWords(frameWords)
  const may = useMay()
  const invite = () => {
    const modalId = modals.open({
      title: say.invite,
      // A click outside must not close a link that is shown once.
      closeOnClickOutside: false,
      children: <Invite onClose={() => modals.close(modalId)} />,
    })
  }
  return (
    <>
      <PageHeader title={common.pages.operators} about={say.about}>
        {may('operators') && (
          <Button leftSection={<IconUserPlus size={18} aria-hidden />} onClick={invite}>
            {say.invite}
          </Button>
        )}
      </PageHeader>
      <Stack gap="xl">
        <OperatorTable />
        <InvitationTable />
        {may('operators') && <Tokens />}
      </Stack>
    </>
  )
}

interface InvitationRow {
  invitationId: string
  role: Role
  appIds?: string[] | undefined
  note?: string | undefined
  invitedBy: string
  expiresAt: number
}

const invitationsWords = inWords({
  en: {
    title: 'Pending invitations',
    note: 'For whom',
    role: 'Role',
    by: 'Invited by',
    cli: 'Command line',
    until: 'Valid until',
    actions: 'Actions',
    withdraw: 'Withdraw',
    withdrawOf: (role: string, by: string, note = '') =>
      `Withdraw the invitation ${note && `for ${note} `}as ${role} by ${by}`,
    withdrawn: 'The link is no longer valid.',
    none: 'No pending invitations',
    next: 'People who accepted an invitation are listed above.',
  },
  ko: {
    title: '대기 중인 초대',
    note: '초대받은 사람',
    role: '역할',
    by: '초대한 사람',
    cli: '명령줄',
    until: '유효 기한',
    actions: '작업',
    withdraw: '초대 취소',
    withdrawOf: (role, by, note = '') => `${by} 님이 ${note && `${note} 님에게 `}보낸 ${role} 초대 취소`,
    withdrawn: '초대를 취소했습니다. 링크를 더 이상 사용할 수 없습니다.',
    none: '대기 중인 초대가 없습니다',
    next: '초대를 수락한 사람은 위 목록에 표시됩니다.',
  },
})

/** Invitations that are not accepted yet. */
function InvitationTable() {
  const say = useWords(invitationsWords)
  const roles = useWords(roleWords)
  const common = useWords(frameWords)
  const may = useMay()
  const operators = useQuery(api.operators.list.queryOptions({ refetchInterval: safetyNet }))
  const withdraw = useMutation(
    api.operators.withdraw.mutationOptions({
      onSuccess: () => tellDone(say.withdrawn),
      onError: tellProblem,
      onSettled: () => queries.invalidateQueries({ queryKey: api.operators.key() }),
    }),
  )
  const inviter = (name: string) => (name === 'cli' ? say.cli : name)
  const columns: DataTableProps<InvitationRow>['columns'] = [
    { key: 'note', header: say.note, cell: ({ note }) => note ?? common.none },
    { key: 'role', header: say.role, cell: (row) => <Rights of={row} /> },
    { key: 'by', header: say.by, cell: ({ invitedBy }) => inviter(invitedBy) },
    { key: 'until', header: say.until, isMinor: true, cell: ({ expiresAt }) => <Time at={expiresAt} relative /> },
    may('operators') && {
      key: 'actions',
      header: <VisuallyHidden>{say.actions}</VisuallyHidden>,
      isNumber: true,
      cell: ({ invitationId, role, note, invitedBy }) => (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={say.withdrawOf(roles.names[role], inviter(invitedBy), note)}
          onClick={() => withdraw.mutate({ invitationId })}
          loading={withdraw.isPending && withdraw.variables.invitationId === invitationId}
        >
          {say.withdraw}
        </Button>
      ),
    },
  ]
  return (
    <Stack gap="xs">
      <Title order={2}>{say.title}</Title>
      <DataTable
        {...fromList<InvitationRow>(operators.data?.invitations, operators)}
        label={say.title}
        keyOf={({ invitationId }) => invitationId}
        columns={columns}
        empty={<EmptyState icon={IconMail} title={say.none} next={say.next} />}
      />
    </Stack>
  )
}

const inviteWords = inWords({
  en: {
    note: 'For whom (optional)',
    noteAbout: 'A name or an e-mail address, for the list of invitations. Nothing is sent.',
    role: 'Role',
    make: 'Create a link',
    link: 'Invitation link',
    until: (time: string) => `Send it to the person you invite. It can be used once, until ${time}.`,
  },
  ko: {
    note: '초대할 사람(선택)',
    noteAbout: '초대 목록에 표시할 이름이나 이메일 주소입니다. 아무것도 발송하지 않습니다.',
    role: '역할',
    make: '링크 만들기',
    link: '초대 링크',
    until: (time) => `초대할 사람에게 보내세요. ${time}까지 한 번만 사용할 수 있습니다.`,
  },
})

/** Chooses a role, then shows the link, once. */
function Invite({ onClose }: { onClose(): void }) {
  const say = useWords(inviteWords)
  const formats = useFormats()
  const form = useServerForm({
    initialValues: { role: 'developer', appIds: undefined, note: '' } as ChosenRights & { note: string },
    otherParams: ['apps'],
    send: ({ note, ...rights }) => client.operators.invite({ ...rightsOf(rights), note }),
    onDone: () => queries.invalidateQueries({ queryKey: api.operators.key() }),
  })
  if (form.answer)
    return (
      <SecretOnce secret={form.answer.url} label={say.link} onDone={onClose}>
        <Text size="sm">{say.until(formats.time(form.answer.expiresAt))}</Text>
      </SecretOnce>
    )
  return (
    <Form form={form} action={say.make} onCancel={onClose}>
      <TextInput
        data-autofocus
        label={say.note}
        description={say.noteAbout}
        maxLength={100}
        autoComplete="off"
        {...form.field('note')}
      />
      <RightsChoice label={say.role} rights={form.values} error={form.errors.apps} onChange={form.set} />
    </Form>
  )
}
