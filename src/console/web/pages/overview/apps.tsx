/** Each app beside the others, or the one that is shown: what it issued, and how long its credit lasts. */
import { SimpleGrid } from '@mantine/core'
import { useFormats } from '../../i18n/format'
import { frameWords } from '../../i18n/frame'
import { inWords, useWords } from '../../i18n/words'
import { Figure } from '../../parts/figure'
import { Section } from '../../parts/section'
import { StackingTable, type TableColumn } from '../../parts/stacking-table'
import { RowLink, SectionLink } from '../../parts/text'
import { useApps } from '../../scope'
import { share } from '../usage/rates'
import type { Report } from './report'

const words = inWords({
  en: {
    title: 'Apps',
    about: 'Codes of the last 24 hours. Credit lasts at the pace of the last seven days.',
    aboutTest: 'Codes of the last 24 hours.',
    table: 'Codes and credit of each app',
    credit: 'Credit',
    wallet: 'Wallet',
    app: 'App',
    issued: 'Issued',
    delivered: 'Delivered',
    verified: 'Verified',
    refused: 'Refused',
    available: 'Credit left',
    perDay: 'Spent a day',
    pace: 'in the last seven days',
    lasts: 'Lasts',
    unspent: 'Nothing is spent',
  },
  ko: {
    title: '앱',
    about: '최근 24시간의 인증번호입니다. 크레딧 사용 가능 기간은 지난 7일의 속도로 계산합니다.',
    aboutTest: '최근 24시간의 인증번호입니다.',
    table: '앱별 인증번호와 크레딧',
    credit: '크레딧',
    wallet: '지갑',
    app: '앱',
    issued: '발급',
    delivered: '도달',
    verified: '인증',
    refused: '거부',
    available: '남은 크레딧',
    perDay: '하루 사용',
    pace: '지난 7일 평균',
    lasts: '사용 가능',
    unspent: '사용 없음',
  },
})

type AppToday = Report['apps'][number]

/** With refusals and credit in live mode only: test codes cost nothing. */
export function AppTable({ apps: reports, isLive }: { apps: Report['apps']; isLive: boolean }) {
  const say = useWords(words)
  const common = useWords(frameWords)
  const formats = useFormats()
  const lasts = useLasts()
  const apps = useApps()
  const percent = (part: number | undefined) => (part === undefined ? common.none : formats.percent(part))
  const number = (key: string, header: string, cell: (report: AppToday) => string): TableColumn<AppToday> => ({
    ...{ key, header, cell },
    isNumber: true,
    isUnbroken: true,
  })
  const columns: TableColumn<AppToday>[] = [
    {
      key: 'app',
      header: say.app,
      isHeading: true,
      cell: ({ appId }) => (
        <RowLink to="/" search={{ app: appId }}>
          {apps.find((app) => app.appId === appId)?.name ?? appId}
        </RowLink>
      ),
    },
    number('issued', say.issued, ({ issued }) => formats.number(issued)),
    number('delivered', say.delivered, ({ delivered, failed }) => percent(share(delivered, delivered + failed))),
    number('verified', say.verified, ({ verified, issued }) => percent(share(verified, issued))),
    ...(isLive
      ? [
          number('refused', say.refused, ({ refused }) => formats.number(refused)),
          number('available', say.available, ({ available }) => formats.number(available)),
          number('lasts', say.lasts, lasts),
        ]
      : []),
  ]
  return (
    <Section title={say.title} about={isLive ? say.about : say.aboutTest}>
      <StackingTable label={say.table} columns={columns} rows={reports} keyOf={({ appId }) => appId} />
    </Section>
  )
}

export function Credit({ report }: { report: AppToday }) {
  const say = useWords(words)
  const formats = useFormats()
  const lasts = useLasts()
  return (
    <Section title={say.credit} actions={<SectionLink to="/wallet">{say.wallet}</SectionLink>}>
      <SimpleGrid component="dl" cols={{ base: 2, sm: 3, lg: 1, xl: 3 }} spacing="md">
        <Figure label={say.available} value={formats.number(report.available)} />
        <Figure label={say.perDay} value={formats.number(Math.round(report.spentPerDay))} about={say.pace} />
        <Figure label={say.lasts} value={lasts(report)} />
      </SimpleGrid>
    </Section>
  )
}

function useLasts(): (report: AppToday) => string {
  const say = useWords(words)
  const formats = useFormats()
  return ({ daysLeft }) => (daysLeft === undefined ? say.unspent : formats.days(daysLeft))
}
