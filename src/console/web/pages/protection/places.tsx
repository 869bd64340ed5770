/** The same by country, prefix of numbers, network of who asked, or rule; countries and prefixes are stopped from here. */
import { Grid, Group, Paper, SegmentedControl, Text, Title, VisuallyHidden } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useFormats } from '../../i18n/format'
import { frameWords } from '../../i18n/frame'
import { ruleWords } from '../../i18n/protection'
import { useWords } from '../../i18n/words'
import { NameBars } from '../../parts/name-bars'
import { StackingTable, type TableColumn } from '../../parts/stacking-table'
import { useMay } from '../../session'
import { share } from '../usage/rates'
import { BlockButton } from './block-button'
import { type History, type ShownPlace, type State, shortNameOf, usePlaceNames } from './place'
import { GROUPS, type ProtectionGroup as GroupBy, type ProtectionSearch } from './search'
import { protectionWords } from './words'

interface PlaceRow extends Omit<History['rules'][number], 'rule'> {
  key: string
  name: string
  /** Beside a bar. */
  short?: string
  /** What can be stopped. */
  place?: ShownPlace
  /** Of countries: what was sent there. */
  sent?: History['countries'][number]
}

interface PlacesProps {
  history: History
  by: GroupBy
  blocks: State['blocks'] | undefined
}

export function Places({ history, by, blocks }: PlacesProps) {
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
          data={GROUPS.map((value) => ({ value, label: say.groups[value] }))}
          onChange={(value) =>
            navigate({
              search: (known: ProtectionSearch) => ({ ...known, group: value as GroupBy }),
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

function useRows({ countries, prefixes, networks, rules }: History, by: GroupBy): PlaceRow[] {
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

function useColumns(by: GroupBy, blocks: State['blocks'] | undefined): TableColumn<PlaceRow>[] {
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
    ...((by === 'country' || by === 'prefix') && (may('apps') || (blocks?.length ?? 0) > 0)
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
