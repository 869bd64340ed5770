/** Results of the rules: figures, a chart and breakdowns. */
import { Grid, Group, Paper, SegmentedControl, SimpleGrid, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import { IconShieldCheck } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useFormats } from '../../i18n/format'
import { frameWords } from '../../i18n/frame'
import { ruleWords } from '../../i18n/protection'
import { useWords } from '../../i18n/words'
import { CountBars, NameBars, WHOLE } from '../../parts/charts'
import { EmptyState } from '../../parts/empty-state'
import { Figure } from '../../parts/figure'
import { StackingTable, type TableColumn } from '../../parts/stacking-table'
import { useMay } from '../../session'
import { PROTECTION_GROUPS, type ProtectionGroup, type ProtectionSearch } from '../search-params'
import { ChartPanel } from '../usage/chart-panel'
import { useStepNames } from '../usage/period'
import { share } from '../usage/rates'
import { usageWords } from '../usage/words'
import { BlockButton } from './block-button'
import { type History, type ShownPlace, type State, shortNameOf, usePlaceNames } from './place'
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

interface PlaceRow extends Omit<History['rules'][number], 'rule'> {
  key: string
  name: string
  /** Beside a bar. */
  short?: string
  /** Countries and prefixes that can be blocked. */
  place?: ShownPlace
  /** Sent codes, for countries only. */
  sent?: History['countries'][number]
}

interface PlacesProps {
  history: History
  by: ProtectionGroup
  blocks: State['blocks'] | undefined
}

/** Breakdown by country, prefix, network or rule, with buttons to block a country or prefix. */
function Places({ history, by, blocks }: PlacesProps) {
  const say = useWords(protectionWords)
  const navigate = useNavigate({ from: '/protection' })
  const rows = useRows(history, by)
  const columns = useColumns(by, blocks)
  const bars = rows.filter(({ refused, watched }) => refused + watched > 0)
  return (
    <Paper component="section" withBorder p="md" aria-label={say.group}>
      <Group justify="space-between" mb={4}>
        <Title order={2}>{say.group}</Title>
        <SegmentedControl
          size="xs"
          aria-label={say.group}
          value={by}
          data={PROTECTION_GROUPS.map((value) => ({ value, label: say.groups[value] }))}
          onChange={(value) =>
            navigate({
              search: (known: ProtectionSearch) => ({ ...known, group: value as ProtectionGroup }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      </Group>
      <Text size="sm" c="dimmed" mb="md" maw={640}>
        {rows.length === 0 ? say.noGroups : say.groupAbout[by]}
      </Text>
      {rows.length > 0 && (
        <Grid gap="lg">
          {bars.length > 0 && (
            <Grid.Col span={{ base: 12, xl: 4 }}>
              <NameBars
                rows={bars.map(({ name, short = name, refused, watched }) => ({
                  name: short,
                  counts: [refused, watched],
                }))}
                series={[
                  { label: say.refused, color: 'indigo.6' },
                  { label: say.watched, color: 'orange.6' },
                ]}
              />
            </Grid.Col>
          )}
          <Grid.Col span={{ base: 12, xl: bars.length > 0 ? 8 : 12 }}>
            <StackingTable label={say.groups[by]} columns={columns} rows={rows} keyOf={({ key }) => key} />
          </Grid.Col>
        </Grid>
      )}
    </Paper>
  )
}

function useRows({ countries, prefixes, networks, rules }: History, by: ProtectionGroup): PlaceRow[] {
  const ruleNames = useWords(ruleWords)
  const nameOf = usePlaceNames()
  switch (by) {
    case 'country':
      return countries.map((row) => ({
        ...row,
        key: row.country,
        name: nameOf({ country: row.country }),
        place: { country: row.country },
        sent: row,
      }))
    case 'prefix':
      return prefixes.map((row) => ({
        ...row,
        key: `${row.country}/${row.prefix}`,
        name: nameOf(row),
        short: shortNameOf(row),
        place: row,
      }))
    case 'network':
      return networks.map((row) => ({ ...row, key: row.network, name: `…${row.network}` }))
    case 'rule':
      return rules.map((row) => ({ ...row, key: row.rule, name: ruleNames[row.rule] }))
  }
}

function useColumns(by: ProtectionGroup, blocks: State['blocks'] | undefined): TableColumn<PlaceRow>[] {
  const say = useWords(protectionWords)
  const common = useWords(frameWords)
  const formats = useFormats()
  const may = useMay()
  const count = (key: string, header: string, value: (row: PlaceRow) => number | undefined): TableColumn<PlaceRow> => ({
    key,
    header,
    isNumber: true,
    cell: (row) => formats.number(value(row) ?? 0),
  })
  return [
    { key: 'name', header: say.groups[by], isHeading: true, cell: ({ name }) => name },
    count('refused', say.refused, ({ refused }) => refused),
    count('watched', say.watched, ({ watched }) => watched),
    count('saved', say.saved, ({ refusedCredits }) => refusedCredits),
    ...(by === 'country'
      ? [
          count('sent', say.sent, ({ sent }) => sent?.sent),
          {
            key: 'share',
            header: say.verified,
            isNumber: true,
            cell: ({ sent }: PlaceRow) => {
              const verified = share(sent?.verified ?? 0, (sent?.verified ?? 0) + (sent?.unverified ?? 0))
              return verified === undefined ? common.none : formats.percent(verified)
            },
          },
          count('untyped', say.untyped, ({ sent }) => sent?.untypedCredits),
        ]
      : []),
    ...((by === 'country' || by === 'prefix') && (may('protection') || (blocks?.length ?? 0) > 0)
      ? [
          {
            key: 'actions',
            header: <VisuallyHidden>{say.actions}</VisuallyHidden>,
            isNumber: true,
            cell: ({ place }: PlaceRow) => place && <BlockButton place={place} blocks={blocks} />,
          },
        ]
      : []),
  ]
}
