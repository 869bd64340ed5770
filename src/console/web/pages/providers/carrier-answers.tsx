/** Dialog with what a carrier answered in the last hour or day: results, latency, and failures with their meaning. */
import { SegmentedControl, Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type client } from '../../api'
import { useFormats } from '../../i18n/format'
import { inWords, useWords, wordsNow } from '../../i18n/words'
import { DataTable, fromList } from '../../parts/data-table'
import { Loading } from '../../parts/empty-state'
import { ProblemNote } from '../../parts/problem-note'
import { AsWritten } from '../../parts/text'
import { providerWords } from './words'

const words = inWords({
  en: {
    period: 'Period',
    hour: 'Last hour',
    day: 'Last 24 hours',
    failures: 'Failures',
    code: 'Code',
    meaning: 'What it means',
    calls: 'Messages',
    outcome: 'Result',
    none: 'No failures in this period.',
    within: (half: string, most: string) => `Half of the answers came within ${half}, and 95% within ${most}.`,
  },
  ko: {
    period: '기간',
    hour: '최근 1시간',
    day: '최근 24시간',
    failures: '실패',
    code: '코드',
    meaning: '의미',
    calls: '메시지 수',
    outcome: '결과',
    none: '이 기간에는 실패가 없습니다.',
    within: (half, most) => `응답의 절반은 ${half} 안에, 95%는 ${most} 안에 도착했습니다.`,
  },
})

export function openCarrierAnswers(name: string): void {
  modals.open({ title: wordsNow(providerWords).answersOf(name), size: 'lg', children: <CarrierAnswers name={name} /> })
}

type Answers = Awaited<ReturnType<typeof client.carriers.answers>>

function CarrierAnswers({ name }: { name: string }) {
  const say = useWords(words)
  const [hours, setHours] = useState<1 | 24>(1)
  const answers = useQuery(api.carriers.answers.queryOptions({ input: { name, hours } }))
  return (
    <Stack>
      <SegmentedControl
        data-autofocus
        aria-label={say.period}
        data={[
          { value: '1', label: say.hour },
          { value: '24', label: say.day },
        ]}
        value={String(hours)}
        onChange={(value) => setHours(value === '1' ? 1 : 24)}
      />
      {answers.isPending && <Loading />}
      {answers.isError && <ProblemNote failure={answers.error} />}
      {answers.data && <AnswerFigures {...answers.data} />}
      <DataTable
        {...fromList(answers.data?.failures, answers)}
        label={say.failures}
        keyOf={({ outcome, code }) => `${outcome} ${code}`}
        columns={[
          { key: 'code', header: say.code, cell: ({ code }) => <AsWritten size="sm">{code}</AsWritten> },
          { key: 'meaning', header: say.meaning, cell: (failure) => <Meaning of={failure} /> },
          { key: 'outcome', header: say.outcome, cell: ({ outcome }) => <Outcome of={outcome} /> },
          { key: 'calls', header: say.calls, cell: ({ calls }) => <Count of={calls} /> },
        ]}
        empty={<Text size="sm">{say.none}</Text>}
      />
    </Stack>
  )
}

const Outcome = ({ of }: { of: 'refused' | 'ambiguous' }) => useWords(providerWords)[of]
const Count = ({ of }: { of: number }) => useFormats().number(of)

function Meaning({ of: { explanation, said } }: { of: Answers['failures'][number] }) {
  return (
    <Stack gap={2}>
      {explanation ?? (said === undefined && '–')}
      {said !== undefined && (
        <Text size="xs" c="dimmed">
          “{said}”
        </Text>
      )}
    </Stack>
  )
}

function AnswerFigures({ accepted, refused, ambiguous, p50Ms, p95Ms }: Answers) {
  const say = useWords(words)
  const known = useWords(providerWords)
  const formats = useFormats()
  const counts = [
    [known.accepted, formats.number(accepted)],
    [known.refused, formats.number(refused)],
    [known.ambiguous, formats.number(ambiguous)],
  ]
  return (
    <Stack gap={4}>
      <Text size="sm">{counts.map(([what, count]) => `${count} ${what}`).join(' · ')}</Text>
      {p50Ms !== undefined && p95Ms !== undefined && (
        <Text size="sm">{say.within(formats.milliseconds(p50Ms), formats.milliseconds(p95Ms))}</Text>
      )}
    </Stack>
  )
}
