/** Links that were not followed yet. */
import { Badge, Button, Stack, Title, VisuallyHidden } from '@mantine/core'
import { IconMail } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { Role } from '../../../../domain/access/role'
import { api, queries } from '../../api'
import { roleWords } from '../../i18n/roles'
import { inWords, useWords } from '../../i18n/words'
import { DataTable, fromList, type TableColumn } from '../../parts/data-table'
import { EmptyState } from '../../parts/empty-state'
import { tellDone, tellProblem } from '../../parts/tell'
import { Time } from '../../parts/time'
import { useMay } from '../../session'

interface InvitationRow {
  invitationId: string
  role: Role
  invitedBy: string
  expiresAt: number
}

const words = inWords({
  en: {
    title: 'Pending invitations',
    role: 'Role',
    by: 'Invited by',
    cli: 'Command line',
    until: 'Works until',
    actions: 'Actions',
    withdraw: 'Withdraw',
    withdrawOf: (role: string, by: string) => `Withdraw the invitation as ${role} by ${by}`,
    withdrawn: 'The link does not work any more.',
    none: 'No pending invitations',
    next: 'Who has followed a link is listed above.',
  },
  ko: {
    title: '대기 중인 초대',
    role: '역할',
    by: '초대한 사람',
    cli: '명령줄',
    until: '유효 기한',
    actions: '작업',
    withdraw: '초대 취소',
    withdrawOf: (role, by) => `${by} 님이 보낸 ${role} 초대 취소`,
    withdrawn: '초대를 취소했습니다. 링크를 더 이상 사용할 수 없습니다.',
    none: '대기 중인 초대가 없습니다',
    next: '초대를 수락한 사람은 위 목록에 표시됩니다.',
  },
})

export function InvitationTable() {
  const say = useWords(words)
  const roles = useWords(roleWords)
  const may = useMay()
  const operators = useQuery(api.operators.list.queryOptions({ refetchInterval: 10_000 }))
  const withdraw = useMutation(
    api.operators.withdraw.mutationOptions({
      onSuccess: () => tellDone(say.withdrawn),
      onError: tellProblem,
      onSettled: () => queries.invalidateQueries({ queryKey: api.operators.key() }),
    }),
  )
  const inviter = (name: string) => (name === 'cli' ? say.cli : name)
  const columns: TableColumn<InvitationRow>[] = [
    {
      key: 'role',
      header: say.role,
      cell: ({ role }) => <Badge variant="light">{roles.names[role]}</Badge>,
    },
    { key: 'by', header: say.by, cell: ({ invitedBy }) => inviter(invitedBy) },
    { key: 'until', header: say.until, isMinor: true, cell: ({ expiresAt }) => <Time at={expiresAt} relative /> },
  ]
  if (may('operators'))
    columns.push({
      key: 'actions',
      header: <VisuallyHidden>{say.actions}</VisuallyHidden>,
      isNumber: true,
      cell: ({ invitationId, role, invitedBy }) => (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={say.withdrawOf(roles.names[role], inviter(invitedBy))}
          onClick={() => withdraw.mutate({ invitationId })}
          loading={withdraw.isPending && withdraw.variables.invitationId === invitationId}
        >
          {say.withdraw}
        </Button>
      ),
    })
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
