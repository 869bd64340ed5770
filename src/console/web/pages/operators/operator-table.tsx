import { ActionIcon, Badge, Button, Group, Menu, Stack, Text, VisuallyHidden } from '@mantine/core'
import { modals } from '@mantine/modals'
import { IconDots, IconUsers } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { Role } from '../../../../domain/access/operator'
import { api, client, queries } from '../../api'
import { inWords, useWords } from '../../i18n/words'
import { safetyNet } from '../../live'
import { confirmByName } from '../../parts/confirm-by-name'
import { DataTable, type DataTableProps, fromList } from '../../parts/data-table'
import { EmptyState } from '../../parts/empty-state'
import { Form, useServerForm } from '../../parts/form'
import { SessionTable } from '../../parts/session-table'
import { tellDone, tellProblem } from '../../parts/tell'
import { Time } from '../../parts/time'
import { useMay, useSession } from '../../session'
import { type ChosenRights, Rights, RightsChoice, rightsOf } from './rights'

interface OperatorTableRow {
  operatorId: string
  name: string
  email: string
  role: Role
  appIds?: string[] | undefined
  hasTotp: boolean
  lastSeenAt?: number | undefined
}

const words = inWords({
  en: {
    label: 'Operators',
    name: 'Name',
    role: 'Role',
    totp: 'Authenticator app',
    on: 'On',
    off: 'Off',
    seen: 'Last sign-in',
    never: 'Never',
    you: 'You',
    actions: 'Actions',
    actionsOf: (name: string) => `Actions for ${name}`,
    changeRole: 'Change role and apps',
    sessions: 'Sessions',
    sessionsOf: (name: string) => `Sessions of ${name}`,
    ended: 'The session is ended.',
    endAll: 'End all',
    endedAll: (count: number) => `${count} ${count === 1 ? 'session' : 'sessions'} ended.`,
    unlock: 'Lift sign-in lockout',
    unlocked: (name: string) => `${name} can sign in again from anywhere.`,
    remove: 'Remove',
    removeTitle: (name: string) => `Remove ${name}`,
    removeMeans: 'They are signed out at once and can no longer sign in. Their actions stay in the audit log.',
    removed: (name: string) => `${name} is removed.`,
    none: 'No operators',
    next: 'Invite the first one.',
  },
  ko: {
    label: '운영자',
    name: '이름',
    role: '역할',
    totp: '인증 앱',
    on: '사용 중',
    off: '사용 안 함',
    seen: '마지막 로그인',
    never: '없음',
    you: '나',
    actions: '작업',
    actionsOf: (name) => `${name} 님 관련 작업`,
    changeRole: '역할과 앱 변경',
    sessions: '세션',
    sessionsOf: (name) => `${name} 님의 세션`,
    ended: '세션을 종료했습니다.',
    endAll: '모두 종료',
    endedAll: (count) => `세션 ${count}개를 끝냈습니다.`,
    unlock: '로그인 제한 해제',
    unlocked: (name) => `이제 ${name} 님이 어디서든 다시 로그인할 수 있습니다.`,
    remove: '삭제',
    removeTitle: (name) => `${name} 님 삭제`,
    removeMeans: '즉시 로그아웃되며 다시 로그인할 수 없습니다. 지금까지의 작업은 감사 기록에 남습니다.',
    removed: (name) => `${name} 님을 삭제했습니다.`,
    none: '운영자가 없습니다',
    next: '첫 운영자를 초대하세요.',
  },
})

export function OperatorTable() {
  const say = useWords(words)
  const may = useMay()
  const { operator: me } = useSession()
  const operators = useQuery(api.operators.list.queryOptions({ refetchInterval: safetyNet }))
  const columns: DataTableProps<OperatorTableRow>['columns'] = [
    {
      key: 'name',
      header: say.name,
      cell: ({ operatorId, name, email }) => (
        <Stack gap={0}>
          <Group gap={6}>
            <Text size="sm" fw={500}>
              {name}
            </Text>
            {operatorId === me?.operatorId && (
              <Badge size="xs" variant="light" color="gray">
                {say.you}
              </Badge>
            )}
          </Group>
          <Text size="xs" c="dimmed">
            {email}
          </Text>
        </Stack>
      ),
    },
    { key: 'role', header: say.role, cell: (row) => <Rights of={row} /> },
    {
      key: 'totp',
      header: say.totp,
      isMinor: true,
      cell: ({ hasTotp }) => (
        <Badge variant="light" color={hasTotp ? 'teal' : 'gray'}>
          {hasTotp ? say.on : say.off}
        </Badge>
      ),
    },
    {
      key: 'seen',
      header: say.seen,
      isMinor: true,
      cell: ({ lastSeenAt }) => (lastSeenAt === undefined ? say.never : <Time at={lastSeenAt} relative />),
    },
    may('operators') && {
      key: 'actions',
      header: <VisuallyHidden>{say.actions}</VisuallyHidden>,
      isNumber: true,
      cell: (row) => <Actions row={row} />,
    },
  ]
  return (
    <DataTable
      {...fromList<OperatorTableRow>(operators.data?.operators, operators)}
      label={say.label}
      keyOf={({ operatorId }) => operatorId}
      file={{ name: 'operators' }}
      columns={columns}
      empty={<EmptyState icon={IconUsers} title={say.none} next={say.next} />}
    />
  )
}

function Actions({ row }: { row: OperatorTableRow }) {
  const say = useWords(words)
  const { operatorId, name } = row
  const changeRole = () => {
    const modalId = modals.open({
      title: say.changeRole,
      children: <ChangeRole operator={row} onClose={() => modals.close(modalId)} />,
    })
  }
  const showSessions = () =>
    modals.open({
      title: say.sessionsOf(name),
      size: 'lg',
      children: <Sessions operatorId={operatorId} />,
    })
  const unlock = useMutation(
    api.operators.unlock.mutationOptions({
      onSuccess: () => tellDone(say.unlocked(name)),
      onError: tellProblem,
    }),
  )
  const remove = () =>
    confirmByName({
      title: say.removeTitle(name),
      name,
      consequence: say.removeMeans,
      action: say.remove,
      async run() {
        await client.operators.remove({ operatorId })
        queries.invalidateQueries({ queryKey: api.operators.key() })
        queries.invalidateQueries({ queryKey: api.session.current.key() })
        tellDone(say.removed(name))
      },
    })
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={say.actionsOf(name)}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={changeRole}>{say.changeRole}</Menu.Item>
        <Menu.Item onClick={showSessions}>{say.sessions}</Menu.Item>
        <Menu.Item onClick={() => unlock.mutate({ operatorId })}>{say.unlock}</Menu.Item>
        <Menu.Item c="red" onClick={remove}>
          {say.remove}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** For owners. Their own session is ended in the account page. */
function Sessions({ operatorId }: { operatorId: string }) {
  const say = useWords(words)
  const sessions = useQuery(api.operators.sessions.queryOptions({ input: { operatorId } }))
  const onSettled = () => queries.invalidateQueries({ queryKey: api.operators.sessions.key() })
  const end = useMutation(
    api.operators.endSession.mutationOptions({
      onSuccess: () => tellDone(say.ended),
      onError: tellProblem,
      onSettled,
    }),
  )
  const endAll = useMutation(
    api.operators.endSessions.mutationOptions({
      onSuccess: ({ sessions }) => tellDone(say.endedAll(sessions)),
      onError: tellProblem,
      onSettled,
    }),
  )
  const shown = sessions.data?.sessions ?? []
  return (
    <Stack>
      <SessionTable
        query={sessions}
        ending={end.isPending ? end.variables.sessionId : undefined}
        onEnd={(sessionId) => end.mutate({ operatorId, sessionId })}
      />
      {shown.length > 1 && !shown.some(({ isThis }) => isThis) && (
        <Group justify="flex-end">
          <Button variant="light" color="red" onClick={() => endAll.mutate({ operatorId })} loading={endAll.isPending}>
            {say.endAll}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

const changeRoleWords = inWords({
  en: {
    role: (name: string) => `Role of ${name}`,
    change: 'Change role and apps',
    changed: (name: string) => `The role of ${name} is changed.`,
  },
  ko: {
    role: (name) => `${name} 님의 역할`,
    change: '역할과 앱 변경',
    changed: (name) => `${name} 님의 역할을 변경했습니다.`,
  },
})

interface ChangeRoleProps {
  operator: OperatorTableRow
  onClose(): void
}

function ChangeRole({ operator, onClose }: ChangeRoleProps) {
  const say = useWords(changeRoleWords)
  const { operatorId, name } = operator
  const form = useServerForm({
    initialValues: { role: operator.role, appIds: operator.appIds } as ChosenRights,
    otherParams: ['apps'],
    send: (rights) => client.operators.changeRole({ operatorId, ...rightsOf(rights) }),
    onDone() {
      queries.invalidateQueries({ queryKey: api.operators.key() })
      // It may be the operator's own account.
      queries.invalidateQueries({ queryKey: api.session.current.key() })
      tellDone(say.changed(name))
      onClose()
    },
  })
  const isSame = JSON.stringify(rightsOf(form.values)) === JSON.stringify(rightsOf({ appIds: undefined, ...operator }))
  return (
    <Form form={form} action={say.change} disabled={isSame} onCancel={onClose}>
      <RightsChoice label={say.role(name)} rights={form.values} error={form.errors.apps} onChange={form.set} />
    </Form>
  )
}
