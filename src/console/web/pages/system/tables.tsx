import { Badge, Text } from '@mantine/core'
import { IconChecks, IconServer } from '@tabler/icons-react'
import { useFormats } from '../../i18n/format'
import { frameWords } from '../../i18n/frame'
import { inWords, useWords } from '../../i18n/words'
import { DataTable, type TableColumn } from '../../parts/data-table'
import { EmptyState } from '../../parts/empty-state'
import { Time } from '../../parts/time'

interface NodeRow {
  id: string
  name: string
  version: string
  state: 'working' | 'leaving' | 'silent' | 'replaced'
  startedAt: number
  seenAt: number
  lagMs: number
}

const words = inWords({
  en: {
    label: 'Servers and their state',
    name: 'Server',
    state: 'State',
    version: 'Version',
    startedAt: 'Started',
    seenAt: 'Last heartbeat',
    lag: 'Queue lag',
    none: 'No server',
    next: 'No server has sent a heartbeat.',
    states: { working: 'Running', leaving: 'Shutting down', silent: 'Silent', replaced: 'Replaced' },
  },
  ko: {
    label: '서버와 상태',
    name: '서버',
    state: '상태',
    version: '버전',
    startedAt: '시작 시각',
    seenAt: '마지막 하트비트',
    lag: '대기열 지연',
    none: '서버가 없습니다',
    next: '하트비트를 보낸 서버가 없습니다.',
    states: { working: '가동 중', leaving: '종료 중', silent: '응답 없음', replaced: '교체됨' },
  },
})

const COLORS = { working: 'teal', leaving: 'yellow', silent: 'red', replaced: 'gray' } as const

export function NodeTable({ nodes }: { nodes: readonly NodeRow[] }) {
  const say = useWords(words)
  const common = useWords(frameWords)
  const formats = useFormats()
  const columns: TableColumn<NodeRow>[] = [
    { key: 'name', header: say.name, cell: ({ name }) => <Text size="sm">{name}</Text> },
    {
      key: 'state',
      header: say.state,
      cell: ({ state }) => (
        <Badge variant="light" color={COLORS[state]}>
          {say.states[state]}
        </Badge>
      ),
    },
    { key: 'version', header: say.version, cell: ({ version }) => version },
    { key: 'startedAt', header: say.startedAt, cell: ({ startedAt }) => <Time at={startedAt} /> },
    { key: 'seenAt', header: say.seenAt, cell: ({ seenAt }) => <Time at={seenAt} /> },
    {
      key: 'lag',
      header: say.lag,
      isNumber: true,
      cell: ({ lagMs }) => (lagMs === 0 ? common.none : formats.milliseconds(lagMs)),
    },
  ]
  return (
    <DataTable
      rows={nodes}
      failure={null}
      label={say.label}
      keyOf={({ id }) => id}
      columns={columns}
      empty={<EmptyState icon={IconServer} title={say.none} next={say.next} />}
    />
  )
}

interface QueueRow {
  kind: string
  waiting: number
  due: number
  oldestDueMs: number
}

const queueTableWords = inWords({
  en: {
    label: 'Jobs by kind',
    kind: 'Job',
    waiting: 'Waiting',
    due: 'Due now',
    oldest: 'Oldest overdue by',
    none: 'No jobs are waiting',
    next: 'All messages are sent, charges settled and webhooks delivered.',
    kinds: {
      deliver: 'Send messages',
      'await-report': 'Wait for delivery reports',
      'next-leg': 'Start the next leg',
      webhook: 'Send webhooks',
      notice: 'Send notices',
    },
  },
  ko: {
    label: '종류별 작업',
    kind: '작업',
    waiting: '대기',
    due: '처리 시각 도래',
    oldest: '최장 지연',
    none: '대기 중인 작업이 없습니다',
    next: '모든 발송, 정산, 알림이 끝났습니다.',
    kinds: {
      deliver: '메시지 발송',
      'await-report': '도달 보고 대기',
      'next-leg': '다음 채널로 발송',
      webhook: '웹훅 전송',
      notice: '알림 전송',
    },
  },
})

export function QueueTable({ queue }: { queue: readonly QueueRow[] }) {
  const say = useWords(queueTableWords)
  const common = useWords(frameWords)
  const formats = useFormats()
  const kinds: Record<string, string> = say.kinds
  const columns: TableColumn<QueueRow>[] = [
    { key: 'kind', header: say.kind, cell: ({ kind }) => <Text size="sm">{kinds[kind] ?? kind}</Text> },
    { key: 'waiting', header: say.waiting, isNumber: true, cell: ({ waiting }) => formats.number(waiting) },
    { key: 'due', header: say.due, isNumber: true, cell: ({ due }) => formats.number(due) },
    {
      key: 'oldest',
      header: say.oldest,
      isNumber: true,
      cell: ({ due, oldestDueMs }) => (due === 0 ? common.none : formats.milliseconds(oldestDueMs)),
    },
  ]
  return (
    <DataTable
      rows={queue}
      failure={null}
      label={say.label}
      keyOf={({ kind }) => kind}
      columns={columns}
      empty={<EmptyState icon={IconChecks} title={say.none} next={say.next} />}
    />
  )
}
