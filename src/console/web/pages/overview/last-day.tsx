/** Figures of the last 24 hours, the same period as on the usage page and in every time zone. */
import { Anchor, Center, SimpleGrid, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, lazyRouteComponent } from '@tanstack/react-router'
import { Suspense } from 'react'
import { api } from '../../api'
import { useFormats } from '../../i18n/format'
import { frameWords } from '../../i18n/frame'
import { inWords, useWords } from '../../i18n/words'
import { ChartFrame, Figure } from '../../parts/figure'
import { ProblemNote } from '../../parts/problem-note'
import { Section } from '../../parts/section'
import type { ShownMode } from '../../scope'
import { periodOf, useMinute } from '../usage/period'
import { conversion, deliveryRate, type ShownUsage, share } from '../usage/rates'

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
    latency: 'Time to acceptance',
    ofIssued: (share: string) => `${share} of issued`,
    ofDecided: (share: string) => `${share} of reported`,
    latencyAbout: (p95: string) => `p50 · p95 ${p95}`,
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
    latency: '접수까지 걸린 시간',
    ofIssued: (share) => `발급의 ${share}`,
    ofDecided: (share) => `확정된 결과의 ${share}`,
    latencyAbout: (p95) => `p50 · p95 ${p95}`,
  },
})

const LOOK_MS = 5_000

export function LastDay({ appId, mode }: { appId: string; mode: ShownMode }) {
  const say = useWords(words)
  const common = useWords(frameWords)
  const formats = useFormats()
  const { from, to, by } = periodOf({ range: '24h' }, useMinute())
  const usage = useQuery(
    api.usage.show.queryOptions({
      input: { appId, mode, from, to, by },
      refetchInterval: LOOK_MS,
      placeholderData: keepPreviousData,
    }),
  )
  // Test mode only has the rate limits of the specification, and nothing counts its refusals.
  const refused = useQuery(
    api.protection.refused.queryOptions({ input: { appId }, refetchInterval: LOOK_MS, enabled: mode === 'live' }),
  ).data
  const total = usage.data?.total
  const percent = (part: number | undefined) => (part === undefined ? common.none : formats.percent(part))
  return (
    <Section
      title={say.title(mode === 'live' ? common.live : common.test)}
      actions={
        <Anchor component={Link} to="/usage" size="sm">
          {say.usage}
        </Anchor>
      }
    >
      {usage.isError && !total ? (
        <ProblemNote failure={usage.error} />
      ) : (
        <>
          <SimpleGrid
            component="dl"
            cols={mode === 'live' ? { base: 2, sm: 3, lg: 4, xl: 7 } : { base: 2, sm: 3, xl: 6 }}
            spacing="md"
          >
            <Figure label={say.issued} value={total && formats.number(total.issued)} />
            <Figure
              label={say.delivered}
              value={total && formats.number(total.delivered)}
              about={total && say.ofDecided(percent(deliveryRate(total)))}
            />
            <Figure
              label={say.verified}
              value={total && formats.number(total.verified)}
              about={total && say.ofIssued(percent(conversion(total)))}
            />
            <Figure
              label={say.failed}
              value={total && formats.number(total.failed)}
              about={total && say.ofDecided(percent(share(total.failed, total.delivered + total.failed)))}
              isBad={(total?.failed ?? 0) > 0}
            />
            {mode === 'live' && (
              <Figure
                label={say.refused}
                value={refused && formats.number(refused.lastDay)}
                about={say.refusedAbout}
                isBad={refused?.isUnusual ?? false}
              />
            )}
            <Figure label={say.spent} value={total && formats.number(total.spent)} />
            <Figure
              label={say.latency}
              value={total && (total.p50Ms === undefined ? common.none : formats.milliseconds(total.p50Ms))}
              about={total?.p95Ms === undefined ? undefined : say.latencyAbout(formats.milliseconds(total.p95Ms))}
            />
          </SimpleGrid>
          <ByHour series={usage.data?.series} />
        </>
      )}
    </Section>
  )
}

const byHourWords = inWords({
  en: {
    title: 'Issued and verified, hour by hour',
    none: 'Nothing was issued in the last 24 hours. The next code shows here.',
    most: (hour: string, issued: string, verified: string) =>
      `Busiest at ${hour} (UTC): ${issued} issued, ${verified} verified.`,
    hour: 'Hour (UTC)',
    issued: 'Issued',
    verified: 'Verified',
  },
  ko: {
    title: '시간별 발급과 인증',
    none: '최근 24시간 동안 발급한 인증번호가 없습니다. 다음 발급부터 여기에 표시됩니다.',
    most: (hour, issued, verified) => `가장 많은 시간 ${hour} (UTC): 발급 ${issued}건, 인증 ${verified}건.`,
    hour: '시각 (UTC)',
    issued: '발급',
    verified: '인증',
  },
})

const HEIGHT = 160

/** Loaded after the figures, because the chart library is larger than the rest of the first page. */
const HourChart = lazyRouteComponent(() => import('./hour-chart'))

/** `series` is missing while it is loaded. */
function ByHour({ series }: { series: ShownUsage['series'] | undefined }) {
  const say = useWords(byHourWords)
  const formats = useFormats()
  if (series === undefined) return <Skeleton height={HEIGHT} />
  const hours = series.map(({ at, issued, verified }) => ({ at, hour: formats.hour(at), issued, verified }))
  const busy = hours.filter(({ issued, verified }) => issued > 0 || verified > 0)
  const [first, ...others] = busy
  if (!first)
    return (
      <Center h={HEIGHT / 2} bg="var(--mantine-color-default-hover)" bdrs="md" p="md">
        <Text size="sm" c="dimmed" ta="center">
          {say.none}
        </Text>
      </Center>
    )
  const most = others.reduce((best, hour) => (hour.issued > best.issued ? hour : best), first)
  return (
    <Stack component="figure" gap="xs" m={0}>
      <ChartFrame label={say.title}>
        <Suspense fallback={<Skeleton height={HEIGHT} />}>
          <HourChart height={HEIGHT} issued={say.issued} verified={say.verified} hours={hours} />
        </Suspense>
      </ChartFrame>
      <Text component="figcaption" size="xs" c="dimmed">
        {say.most(most.hour, formats.number(most.issued), formats.number(most.verified))}
      </Text>
      <VisuallyHidden>
        <table>
          <caption>{say.title}</caption>
          <thead>
            <tr>
              <th scope="col">{say.hour}</th>
              <th scope="col">{say.issued}</th>
              <th scope="col">{say.verified}</th>
            </tr>
          </thead>
          <tbody>
            {busy.map(({ at, hour, issued, verified }) => (
              <tr key={at}>
                <th scope="row">{hour}</th>
                <td>{formats.number(issued)}</td>
                <td>{formats.number(verified)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </Stack>
  )
}
