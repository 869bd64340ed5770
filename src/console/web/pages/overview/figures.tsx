/** Figures of the last 24 hours beside those of the 24 hours before. */
import { SimpleGrid, Skeleton, Text } from '@mantine/core'
import type { LinkProps } from '@tanstack/react-router'
import { useFormats } from '../../i18n/format'
import { frameWords } from '../../i18n/frame'
import { inWords, useWords } from '../../i18n/words'
import { Section } from '../../parts/section'
import { Sparkline } from '../../parts/sparkline'
import { RowLink, SectionLink } from '../../parts/text'
import type { ShownMode } from '../../scope'
import { conversion, deliveryRate, share } from '../usage/rates'
import { AppLink } from './app-link'
import { ByHour } from './by-hour'
import type { Report } from './report'

const words = inWords({
  en: {
    title: (mode: string) => `Last 24 hours · ${mode}`,
    usage: 'All usage',
    issued: 'Issued',
    delivered: 'Delivered',
    verified: 'Verified',
    failed: 'Failed',
    refused: 'Refused',
    refusedAbout: 'by rules, rate limits or credit',
    spent: 'Credits spent',
    p50: 'Typical time to acceptance',
    p95: '95 of 100 accepted within',
    ofIssued: (share: string) => `${share} of issued`,
    ofDecided: (share: string) => `${share} of reported`,
    change: (change: string, before: string) => `${change} from ${before}`,
    from: (before: string) => `from ${before}`,
    same: (before: string) => `as before: ${before}`,
    none: 'none before',
  },
  ko: {
    title: (mode) => `최근 24시간 · ${mode}`,
    usage: '전체 사용량',
    issued: '발급',
    delivered: '도달',
    verified: '인증',
    failed: '실패',
    refused: '거부',
    refusedAbout: '규칙, 요청 한도, 크레딧',
    spent: '사용 크레딧',
    p50: '접수까지 보통 걸린 시간',
    p95: '100건 중 95건이 접수된 시간',
    ofIssued: (share) => `발급의 ${share}`,
    ofDecided: (share) => `확정된 결과의 ${share}`,
    change: (change, before) => `이전 ${before}에서 ${change}`,
    from: (before) => `이전 ${before}`,
    same: (before) => `이전과 같음: ${before}`,
    none: '이전 없음',
  },
})

type Counts = Report['total']

/** `report` is missing while it is loaded. */
export function Figures({ report, mode }: { report: Report | undefined; mode: ShownMode }) {
  const say = useWords(words)
  const common = useWords(frameWords)
  const formats = useFormats()
  const { total, before, series = [], refused } = report ?? {}
  const count = (name: 'issued' | 'delivered' | 'verified' | 'failed' | 'spent') => ({
    label: say[name],
    ...(total && before && { now: total[name], before: before[name] }),
    values: series.map((hour) => hour[name]),
    inWords: formats.number,
  })
  const time = (name: 'p50' | 'p95') => ({
    label: say[name],
    now: total?.[`${name}Ms`],
    before: before?.[`${name}Ms`],
    values: series.map((hour) => hour[`${name}Ms`] ?? 0),
    inWords: formats.milliseconds,
    isBetterLow: true,
    to: '/providers' as const,
  })
  /** Undefined while there is nothing to have a share of. */
  const shareOf = (part: (counts: Counts) => number | undefined, inWords: (share: string) => string) => {
    const shown = total && part(total)
    return shown === undefined ? undefined : inWords(formats.percent(shown))
  }
  return (
    <Section
      title={say.title(mode === 'live' ? common.live : common.test)}
      actions={<SectionLink to="/usage">{say.usage}</SectionLink>}
    >
      <SimpleGrid component="dl" cols={mode === 'live' ? { base: 2, lg: 4 } : { base: 2, sm: 3 }} spacing="lg">
        <Tile {...count('issued')} isLoading={!report} to="/issues" />
        <Tile
          {...count('delivered')}
          isLoading={!report}
          about={shareOf(deliveryRate, say.ofDecided)}
          to="/issues"
          search={{ delivery: 'delivered' }}
        />
        <Tile
          {...count('verified')}
          isLoading={!report}
          about={shareOf(conversion, say.ofIssued)}
          to="/issues"
          search={{ status: 'verified' }}
        />
        <Tile
          {...count('failed')}
          isLoading={!report}
          about={shareOf(({ failed, delivered }) => share(failed, delivered + failed), say.ofDecided)}
          isBetterLow
          to="/issues"
          search={{ delivery: 'failed' }}
        />
        {mode === 'live' && (
          <>
            <Tile
              label={say.refused}
              isLoading={!report}
              {...(refused && { now: refused.total, before: refused.before })}
              values={refused?.series ?? []}
              inWords={formats.number}
              about={say.refusedAbout}
              isBetterLow
              to="/protection"
              search={{ group: 'rule' }}
            />
            <Tile {...count('spent')} isLoading={!report} to="/wallet" />
          </>
        )}
        <Tile {...time('p50')} isLoading={!report} />
        <Tile {...time('p95')} isLoading={!report} />
      </SimpleGrid>
      <ByHour series={report?.series} />
    </Section>
  )
}

interface TileProps {
  label: string
  isLoading: boolean
  now?: number | undefined
  before?: number | undefined
  values: readonly number[]
  inWords(value: number): string
  about?: string | undefined
  /** More of it is worse. */
  isBetterLow?: boolean
  to: NonNullable<LinkProps['to']>
  search?: object | undefined
}

/** From so much more on, a figure that should be low is marked. */
const WORSE_BY = 1.25

function Tile({ label, isLoading, now, before, values, inWords, about, isBetterLow = false, to, search }: TileProps) {
  const common = useWords(frameWords)
  const change = useChange(inWords)
  const isWorse = isBetterLow && now !== undefined && before !== undefined && now > before * WORSE_BY
  return (
    <div>
      <Text component="dt" size="sm">
        {to === '/providers' ? (
          <RowLink to={to}>{label}</RowLink>
        ) : (
          <AppLink to={to} search={search} isLabel>
            {label}
          </AppLink>
        )}
      </Text>
      <dd>
        {isLoading ? (
          <Skeleton height={28} width={72} />
        ) : (
          <>
            <Text fz={{ base: 18, md: 24 }} fw={600} lh={1.3}>
              {now === undefined ? common.none : inWords(now)}
            </Text>
            <Sparkline values={values} />
            {about !== undefined && (
              <Text size="xs" c="dimmed">
                {about}
              </Text>
            )}
            {now !== undefined && now + (before ?? 0) > 0 && (
              <Text size="xs" c={isWorse ? 'red' : 'dimmed'}>
                {change(now, before ?? 0)}
              </Text>
            )}
          </>
        )}
      </dd>
    </div>
  )
}

/** More than so many times as much is not a share that anybody reads. */
const MOST_TIMES = 10

/** The difference to the time before, in words. */
function useChange(inWords: (value: number) => string): (now: number, before: number) => string {
  const say = useWords(words)
  const formats = useFormats()
  return (now, before) => {
    if (now === before) return say.same(inWords(before))
    if (before === 0) return say.none
    const times = now / before
    return times > MOST_TIMES ? say.from(inWords(before)) : say.change(formats.change(times - 1), inWords(before))
  }
}
