import { Badge, Text } from '@mantine/core'
import { IconServer } from '@tabler/icons-react'
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
    label: 'Servers',
    name: 'Server',
    state: 'State',
    version: 'Version',
    startedAt: 'Started',
    seenAt: 'Last heard of',
    lag: 'Work late by',
    none: 'No server',
    next: 'None has said that it is there.',
    states: { working: 'Working', leaving: 'Leaving', silent: 'Silent', replaced: 'Replaced' },
  },
  ko: {
    label: '서버 목록',
    name: '서버',
    state: '상태',
    version: '버전',
    startedAt: '시작 시각',
    seenAt: '마지막 응답',
    lag: '작업 지연',
    none: '서버가 없습니다',
    next: '응답한 서버가 없습니다.',
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
