/** Codes of the last 24 hours, hour by hour, as a chart, in a sentence and in a table. */
import { Center, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core'
import { lazyRouteComponent } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useFormats } from '../../i18n/format'
import { inWords, useWords } from '../../i18n/words'
import { ChartFrame } from '../../parts/figure'
import type { Report } from './report'

const words = inWords({
  en: {
    title: 'Issued and verified, hour by hour',
    none: 'Nothing was issued in the last 24 hours. The next code shows here.',
    most: (hour: string, issued: string, verified: string) =>
      `Busiest at ${hour}: ${issued} issued, ${verified} verified.`,
    hour: 'Hour',
    issued: 'Issued',
    verified: 'Verified',
  },
  ko: {
    title: '시간별 발급과 인증',
    none: '최근 24시간 동안 발급한 인증번호가 없습니다. 다음 발급부터 여기에 표시됩니다.',
    most: (hour, issued, verified) => `가장 많은 시간 ${hour}: 발급 ${issued}건, 인증 ${verified}건.`,
    hour: '시각',
    issued: '발급',
    verified: '인증',
  },
})

const HEIGHT = 160

/** Loaded after the figures, because the chart library is larger than the rest of the first page. */
const HourChart = lazyRouteComponent(() => import('./hour-chart'))

/** `series` is missing while it is loaded. */
export function ByHour({ series }: { series: Report['series'] | undefined }) {
  const say = useWords(words)
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
