/** The newest codes that were not delivered, each with the reason. */
import { Text } from '@mantine/core'
import { frameWords } from '../../i18n/frame'
import { countryName } from '../../i18n/names'
import { inWords, useLanguage, useWords } from '../../i18n/words'
import { Section } from '../../parts/section'
import { StackingTable, type TableColumn } from '../../parts/stacking-table'
import { AsWritten, RowLink } from '../../parts/text'
import { Time } from '../../parts/time'
import { useApps, useScope } from '../../scope'
import { AppLink } from './app-link'
import type { Report } from './report'

const words = inWords({
  en: {
    title: 'Recent failures',
    all: 'All failures',
    table: 'Codes that were not delivered',
    none: 'No code of the last 24 hours failed.',
    purpose: 'Purpose',
    when: 'Issued',
    carrier: 'Carrier',
    reason: 'Reason',
  },
  ko: {
    title: '최근 실패',
    all: '전체 실패',
    table: '도달하지 않은 인증번호',
    none: '최근 24시간 동안 실패한 인증번호가 없습니다.',
    purpose: '용도',
    when: '발급',
    carrier: '발송사',
    reason: '이유',
  },
})

type RecentFailure = Report['failures'][number]

export function Failures({ failures }: { failures: Report['failures'] }) {
  const say = useWords(words)
  const common = useWords(frameWords)
  const language = useLanguage()
  const apps = useApps()
  const { isAll } = useScope()
  const nameOf = (appId: string) => apps.find((app) => app.appId === appId)?.name ?? appId
  const columns: TableColumn<RecentFailure>[] = [
    {
      key: 'purpose',
      header: say.purpose,
      isHeading: true,
      cell: ({ purpose, issueId, appId, country }) => (
        <>
          <RowLink to="/issues/$issueId" params={{ issueId }}>
            {purpose}
          </RowLink>
          <AsWritten size="xs" c="dimmed">
            {[isAll && nameOf(appId), country && countryName(country, language)].filter(Boolean).join(' · ')}
          </AsWritten>
        </>
      ),
    },
    { key: 'when', header: say.when, cell: ({ createdAt }) => <Time at={createdAt} relative /> },
    { key: 'carrier', header: say.carrier, isMinor: true, cell: ({ carrier }) => carrier ?? common.none },
    {
      key: 'reason',
      header: say.reason,
      cell: ({ explanation, code }) => <AsWritten size="sm">{explanation ?? code ?? common.none}</AsWritten>,
    },
  ]
  return (
    <Section
      title={say.title}
      actions={
        <AppLink to="/issues" search={{ delivery: 'failed' }}>
          {say.all}
        </AppLink>
      }
    >
      {failures.length === 0 ? (
        <Text size="sm" c="dimmed">
          {say.none}
        </Text>
      ) : (
        <StackingTable label={say.table} columns={columns} rows={failures} keyOf={({ issueId }) => issueId} />
      )}
    </Section>
  )
}
