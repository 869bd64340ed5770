/** Carriers: whether they accept, how much, and how quickly. */
import { Stack, Text } from '@mantine/core'
import { useFormats } from '../../i18n/format'
import { frameWords } from '../../i18n/frame'
import { inWords, useWords } from '../../i18n/words'
import { Section } from '../../parts/section'
import { StackingTable, type TableColumn } from '../../parts/stacking-table'
import { Mark } from '../../parts/status'
import { SectionLink } from '../../parts/text'
import { Time } from '../../parts/time'
import type { Report } from './report'

const words = inWords({
  en: {
    title: 'Carriers',
    about: 'Counts of the last hour, and the time to acceptance in 24 hours.',
    all: 'All carriers',
    table: 'Health and latency of carriers',
    none: 'Live codes need a carrier. There is none yet.',
    name: 'Carrier',
    states: { healthy: 'Healthy', refusing: 'Refuses', unhealthy: 'Unhealthy', paused: 'Paused' },
    since: 'since',
    accepted: 'Accepted',
    refused: 'Refused',
    time: 'Typical time',
    p95: (time: string) => `95 of 100: ${time}`,
  },
  ko: {
    title: '발송사',
    about: '지난 한 시간의 건수와 24시간 동안 접수까지 걸린 시간입니다.',
    all: '전체 발송사',
    table: '발송사의 상태와 응답 시간',
    none: '운영 인증번호를 보내려면 발송사가 필요합니다. 아직 없습니다.',
    name: '발송사',
    states: { healthy: '정상', refusing: '거부 중', unhealthy: '장애', paused: '일시 중지' },
    since: '시작',
    accepted: '접수',
    refused: '거부',
    time: '보통 시간',
    p95: (time) => `100건 중 95건: ${time}`,
  },
})

type CarrierToday = Report['carriers'][number]

export function Carriers({ carriers }: { carriers: Report['carriers'] }) {
  const say = useWords(words)
  const common = useWords(frameWords)
  const formats = useFormats()
  const columns: TableColumn<CarrierToday>[] = [
    { key: 'name', header: say.name, isHeading: true, cell: (carrier) => <Carrier carrier={carrier} /> },
    {
      key: 'accepted',
      header: say.accepted,
      isNumber: true,
      cell: ({ recent }) => formats.number(recent.accepted),
    },
    { key: 'refused', header: say.refused, isNumber: true, cell: ({ recent }) => formats.number(recent.refused) },
    {
      key: 'time',
      header: say.time,
      isNumber: true,
      isUnbroken: true,
      cell: ({ p50Ms, p95Ms }) =>
        p50Ms === undefined || p95Ms === undefined ? (
          common.none
        ) : (
          <div>
            {formats.milliseconds(p50Ms)}
            <Text size="xs" c="dimmed">
              {say.p95(formats.milliseconds(p95Ms))}
            </Text>
          </div>
        ),
    },
  ]
  return (
    <Section title={say.title} about={say.about} actions={<SectionLink to="/providers">{say.all}</SectionLink>}>
      {carriers.length === 0 ? (
        <Text size="sm" c="dimmed">
          {say.none}
        </Text>
      ) : (
        <StackingTable label={say.table} columns={columns} rows={carriers} keyOf={({ name }) => name} />
      )}
    </Section>
  )
}

const COLORS = { healthy: 'teal', refusing: 'yellow', unhealthy: 'red', paused: 'gray' } as const

function Carrier({ carrier: { name, state, since, recent } }: { carrier: CarrierToday }) {
  const say = useWords(words)
  // A carrier that refuses everything may still have a closed circuit breaker.
  const shown = state === 'healthy' && recent.accepted === 0 && recent.refused > 0 ? 'refusing' : state
  return (
    <Stack gap={2} align="flex-start">
      <Text size="sm" fw={500}>
        {name}
      </Text>
      <Mark color={COLORS[shown]}>{say.states[shown]}</Mark>
      {since !== undefined && (
        <Text size="xs" c="dimmed">
          {say.since} <Time at={since} relative />
        </Text>
      )}
    </Stack>
  )
}
