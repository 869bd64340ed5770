import { Box, Code, Group, Select, Stack, Text } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { api, paging } from '../api'
import { frameWords } from '../i18n/frame'
import { inWords, useWords } from '../i18n/words'
import { safetyNet } from '../live'
import { DataTable, fromPages, type TableColumn } from '../parts/data-table'
import { EmptyState } from '../parts/empty-state'
import { PageHeader } from '../parts/page-header'
import { AsWritten } from '../parts/text'
import { Time } from '../parts/time'
import type { ScopeSearch } from '../scope'
import { type Actors, type AuditFilters, type AuditRow, actionWords, useActors } from './audit/actions'
import { Export } from './audit/export'
import { Lost, useVerify } from './audit/verify'
import styles from './audit.module.css'

/** Names and addresses break anywhere, but not at every letter. */
const LONG_MIN = '6rem'

const words = inWords({
  en: {
    about:
      'Every change: actor, action, time and IP address. A hash chain links each entry to the one before, so tampering is detected.',
    seq: 'No.',
    at: 'Time',
    actor: 'Actor',
    action: 'Action',
    target: 'Target',
    detail: 'Details',
    ip: 'IP address',
    none: 'No entries',
    next: 'No entry matches the filters. Remove a filter to see more.',
  },
  ko: {
    about:
      '누가, 언제, 어디서, 무엇을 변경했는지 모두 남습니다. 각 기록은 앞 기록과 해시로 이어져 있어 변경되면 드러납니다.',
    seq: '번호',
    at: '시각',
    actor: '작업자',
    action: '작업',
    target: '대상',
    detail: '세부 내용',
    ip: 'IP 주소',
    none: '기록이 없습니다',
    next: '조건에 맞는 기록이 없습니다. 필터를 해제해 보세요.',
  },
})

export default function Audit() {
  const say = useWords(words)
  const common = useWords(frameWords)
  const filters = useSearch({ from: '/inside/audit' })
  const navigate = useNavigate({ from: '/audit' })
  const actions: Record<string, string> = useWords(actionWords)
  const actors = useActors(filters.actor)
  const verify = useVerify()
  const { actor, action } = filters
  const entries = useInfiniteQuery(
    api.audit.list.infiniteOptions({
      input: (after: string | undefined) => ({ actor, action, after }),
      ...paging,
      refetchInterval: safetyNet,
    }),
  )
  const columns: TableColumn<AuditRow>[] = [
    {
      key: 'at',
      header: say.at,
      cell: ({ at }) => (
        <Box component="span" display="inline-block" miw="6.5rem">
          <Time at={at} />
        </Box>
      ),
    },
    {
      key: 'actor',
      header: say.actor,
      cell: ({ actor }) => (
        <AsWritten size="sm" miw={LONG_MIN}>
          {actors.nameOf(actor)}
        </AsWritten>
      ),
    },
    {
      key: 'action',
      header: say.action,
      cell: ({ action }) => (
        <Stack gap={0}>
          <Text size="sm">{actions[action] ?? action}</Text>
          <Text size="xs" c="dimmed" ff="monospace">
            {action}
          </Text>
        </Stack>
      ),
    },
    {
      key: 'target',
      header: say.target,
      cell: ({ target }) => (
        <AsWritten size="xs" ff="monospace" miw={LONG_MIN}>
          {actors.nameOf(target)}
        </AsWritten>
      ),
    },
    { key: 'detail', header: say.detail, cell: ({ detail }) => <Detail detail={detail} /> },
    {
      key: 'ip',
      header: say.ip,
      isMinor: true,
      cell: ({ ip }) => (
        <AsWritten size="sm" miw={LONG_MIN}>
          {ip ?? common.none}
        </AsWritten>
      ),
    },
    { key: 'seq', header: say.seq, isNumber: true, isMinor: true, cell: ({ seq }) => seq },
  ]
  return (
    <>
      <PageHeader title={common.pages.audit} about={say.about}>
        <Export filters={{ ...(actor && { actor }), ...(action && { action }) }} />
        {verify.button}
      </PageHeader>
      <Lost />
      {verify.answer}
      <Filters
        filters={{ ...(actor && { actor }), ...(action && { action }) }}
        actors={actors}
        onChange={(chosen) =>
          navigate({
            search: ({ app, mode }: ScopeSearch) => ({ ...(app && { app }), ...(mode && { mode }), ...chosen }),
            replace: true,
          })
        }
      />
      <DataTable
        {...fromPages(entries)}
        label={common.pages.audit}
        keyOf={({ seq }) => String(seq)}
        columns={columns}
        empty={<EmptyState icon={IconHistory} title={say.none} next={say.next} />}
      />
    </>
  )
}

/** Details of an entry, one per line. */
function Detail({ detail }: { detail: Record<string, unknown> }) {
  const entries = Object.entries(detail).filter(([, value]) => !isEmpty(value))
  if (entries.length === 0) return null
  return (
    <dl className={styles.detail}>
      {entries.map(([name, value]) => (
        <div key={name}>
          <Text component="dt" size="xs" c="dimmed">
            {name}
          </Text>
          <dd>
            <Code>{plain(value)}</Code>
          </dd>
        </div>
      ))}
    </dl>
  )
}

const isEmpty = (value: unknown) =>
  value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0)

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.map(plain).join(', ')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, inner]) => `${name} ${plain(inner)}`)
    .join(', ')
}

const filtersWords = inWords({
  en: { actor: 'Actor', anybody: 'Any actor', action: 'Action', anything: 'Any action' },
  ko: { actor: '작업자', anybody: '전체', action: '작업', anything: '전체' },
})

interface FiltersProps {
  filters: AuditFilters
  actors: Actors
  onChange(filters: AuditFilters): void
}

function Filters({ filters, actors, onChange }: FiltersProps) {
  const say = useWords(filtersWords)
  const actions = Object.entries(useWords(actionWords)).map(([value, label]) => ({ value, label }))
  const { actor, action } = filters
  return (
    <Group gap="sm" mb="md">
      <Select
        label={say.actor}
        placeholder={say.anybody}
        data={actors.options}
        value={actor ?? null}
        onChange={(next) => onChange({ ...(next !== null && { actor: next }), ...(action && { action }) })}
        clearable
        searchable
        flex="1 1 160px"
        maw={260}
      />
      <Select
        label={say.action}
        placeholder={say.anything}
        data={actions}
        value={action ?? null}
        onChange={(next) => onChange({ ...(actor && { actor }), ...(next !== null && { action: next }) })}
        clearable
        searchable
        flex="1 1 160px"
        maw={260}
      />
    </Group>
  )
}
