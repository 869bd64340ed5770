/** What was refused, what would have been, and what that was worth; in figures, over time, and by where. */
import { Paper, SimpleGrid, Stack } from '@mantine/core'
import { IconShieldCheck } from '@tabler/icons-react'
import { useFormats } from '../../i18n/format'
import { frameWords } from '../../i18n/frame'
import { useWords } from '../../i18n/words'
import { CountBars, WHOLE } from '../../parts/count-bars'
import { EmptyState } from '../../parts/empty-state'
import { Figure } from '../overview/figure'
import { ChartPanel } from '../usage/chart-panel'
import { useStepNames } from '../usage/step-names'
import { usageWords } from '../usage/words'
import type { History, State } from './place'
import { Places } from './places'
import type { ProtectionGroup } from './search'
import { protectionWords } from './words'

interface HistoryViewProps {
  history: History
  by: 'hour' | 'day'
  group: ProtectionGroup
  blocks: State['blocks'] | undefined
}

export function HistoryView({ history, by, group, blocks }: HistoryViewProps) {
  const say = useWords(protectionWords)
  const { total } = history
  return (
    <Stack gap="lg">
      <Figures total={total} />
      {total.refused + total.watched + total.sent === 0 ? (
        <Paper withBorder>
          <EmptyState icon={IconShieldCheck} title={say.emptyTitle} next={say.emptyNext} />
        </Paper>
      ) : (
        <>
          <Charts series={history.series} by={by} />
          <Places history={history} by={group} blocks={blocks} />
        </>
      )}
    </Stack>
  )
}

function Figures({ total }: { total: History['total'] }) {
  const say = useWords(protectionWords)
  const { number } = useFormats()
  return (
    <Paper withBorder p="md">
      <SimpleGrid component="dl" cols={{ base: 1, xs: 2, lg: 4 }}>
        <Figure label={say.refused} value={number(total.refused)} />
        <Figure label={say.watched} value={number(total.watched)} about={say.watchedAbout} />
        <Figure label={say.saved} value={number(total.refusedCredits)} about={say.savedAbout} />
        <Figure label={say.untyped} value={number(total.untypedCredits)} about={say.untypedAbout} />
      </SimpleGrid>
    </Paper>
  )
}

const HEIGHT = 240

function Charts({ series, by }: Pick<History, 'series'> & Pick<HistoryViewProps, 'by'>) {
  const say = useWords(protectionWords)
  const usage = useWords(usageWords)
  const common = useWords(frameWords)
  const formats = useFormats()
  const nameOf = useStepNames(by)
  const points = series.map((counts) => ({ ...counts, time: nameOf(counts.at) }))
  const panel = (title: string, lines: readonly HistoryLine[]) => {
    const values = points.flatMap((point) => lines.map(({ name }) => point[name]))
    const [least, most] = [Math.min(...values), Math.max(...values)].map(formats.number)
    return (
      <ChartPanel
        title={title}
        summary={values.length === 0 ? `${title}: ${common.none}` : usage.chartOf(title, least ?? '', most ?? '')}
        chart={
          <CountBars
            h={HEIGHT}
            data={points}
            dataKey="time"
            valueFormatter={formats.number}
            yAxisProps={{ ...WHOLE, tickFormatter: formats.short }}
            series={[...lines]}
          />
        }
        table={{
          headers: [usage.time, ...lines.map(({ label }) => label)],
          rows: points.map((point) => ({
            key: String(point.at),
            cells: [point.time, ...lines.map(({ name }) => formats.number(point[name]))],
          })),
        }}
      />
    )
  }
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      {panel(say.overTime, [
        { name: 'refused', label: say.refused, color: 'indigo.6' },
        { name: 'watched', label: say.watched, color: 'orange.6' },
      ])}
      {panel(say.overTimeSent, [
        { name: 'verified', label: say.verified, color: 'teal.6' },
        { name: 'unverified', label: say.unverified, color: 'orange.6' },
      ])}
    </SimpleGrid>
  )
}

interface HistoryLine {
  name: 'refused' | 'watched' | 'verified' | 'unverified'
  label: string
  color: string
}
