/** Sessions of an operator: the account page lists one's own, and owners see those of anybody. */
import { Badge, Button, Group, Text, VisuallyHidden } from '@mantine/core'
import { IconDevices } from '@tabler/icons-react'
import type { client } from '../api'
import { inWords, useWords } from '../i18n/words'
import { DataTable, fromList } from './data-table'
import { EmptyState } from './empty-state'
import { Time } from './time'

type ShownSession = Awaited<ReturnType<typeof client.session.list>>['sessions'][number]

const words = inWords({
  en: {
    label: 'Devices',
    device: 'Device',
    on: (browser: string, system: string) => (browser && system ? `${browser} on ${system}` : browser || system),
    unknown: 'Unknown device',
    isThis: 'This device',
    since: 'Signed in',
    seen: 'Last seen',
    actions: 'Actions',
    end: 'End',
    endOf: (device: string) => `End the session: ${device}`,
    none: 'Not signed in anywhere',
    noneNext: 'Sessions end after 12 hours without use, and after seven days.',
  },
  ko: {
    label: '기기 목록',
    device: '기기',
    on: (browser, system) => [system, browser].filter(Boolean).join(' · '),
    unknown: '알 수 없는 기기',
    isThis: '이 기기',
    since: '로그인',
    seen: '마지막 사용',
    actions: '작업',
    end: '종료',
    endOf: (device) => `세션 종료: ${device}`,
    none: '로그인된 기기가 없습니다',
    noneNext: '세션은 12시간 동안 사용하지 않거나 7일이 지나면 끝납니다.',
  },
})

interface SessionTableProps {
  query: { data: { sessions: readonly ShownSession[] } | undefined; error: unknown; refetch(): unknown }
  /** The session that is being ended. */
  ending: string | undefined
  onEnd(sessionId: string): void
}

export function SessionTable({ query, ending, onEnd }: SessionTableProps) {
  const say = useWords(words)
  const deviceOf = ({ browser, system }: ShownSession) => say.on(browser, system) || say.unknown
  return (
    <DataTable<ShownSession>
      {...fromList<ShownSession>(query.data?.sessions, query)}
      label={say.label}
      keyOf={({ sessionId }) => sessionId}
      columns={[
        {
          key: 'device',
          header: say.device,
          cell: (session) => (
            <Group gap={6}>
              <Text size="sm">{deviceOf(session)}</Text>
              {session.isThis && (
                <Badge size="xs" variant="light" color="gray">
                  {say.isThis}
                </Badge>
              )}
            </Group>
          ),
        },
        { key: 'since', header: say.since, cell: ({ createdAt }) => <Time at={createdAt} relative /> },
        { key: 'seen', header: say.seen, cell: ({ lastSeenAt }) => <Time at={lastSeenAt} relative /> },
        {
          key: 'actions',
          header: <VisuallyHidden>{say.actions}</VisuallyHidden>,
          isNumber: true,
          cell: (session) =>
            !session.isThis && (
              <Button
                size="compact-xs"
                variant="default"
                aria-label={say.endOf(deviceOf(session))}
                loading={ending === session.sessionId}
                onClick={() => onEnd(session.sessionId)}
              >
                {say.end}
              </Button>
            ),
        },
      ]}
      empty={<EmptyState icon={IconDevices} title={say.none} next={say.noneNext} />}
    />
  )
}
