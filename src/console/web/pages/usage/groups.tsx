/** The same by channel, provider, country or purpose. */
import { Grid, Group, Paper, SegmentedControl, Title } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { channelWords, countryName } from '../../i18n/delivery'
import { useFormats } from '../../i18n/format'
import { frameWords } from '../../i18n/frame'
import { useLanguage } from '../../i18n/language'
import { useWords } from '../../i18n/words'
import { NameBars } from '../../parts/name-bars'
import { NumberTable } from './number-table'
import { conversion, deliveryRate, type ShownUsage } from './rates'
import { GROUPS, type UsageGroup as GroupBy, type UsageSearch } from './search'
import { usageWords } from './words'

export function UsageGroups({ groups, by }: { groups: ShownUsage['groups']; by: GroupBy }) {
  const say = useWords(usageWords)
  const common = useWords(frameWords)
  const formats = useFormats()
  const nameOf = useGroupNames(by)
  const navigate = useNavigate({ from: '/usage' })
  const percent = (share: number | undefined) => (share === undefined ? common.none : formats.percent(share))
  const ms = (value: number | undefined) => (value === undefined ? common.none : formats.milliseconds(value))
  return (
    <Paper component="section" withBorder p="md" aria-label={say.group}>
      <Group justify="space-between" mb="md">
        <Title order={2}>{say.group}</Title>
        <SegmentedControl
          size="xs"
          aria-label={say.group}
          value={by}
          data={GROUPS.map((value) => ({ value, label: say.groups[value] }))}
          onChange={(value) =>
            navigate({
              search: (known: UsageSearch) => ({ ...known, group: value as GroupBy }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      </Group>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, xl: 4 }}>
          <NameBars
            rows={groups.map(({ name, issued, verified }) => ({ name: nameOf(name), counts: [issued, verified] }))}
            series={[
              { label: say.issued, color: 'indigo.6' },
              { label: say.verified, color: 'teal.6' },
            ]}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, xl: 8 }}>
          <NumberTable
            label={say.groups[by]}
            headers={[say.groups[by], say.issued, say.deliveryRate, say.conversion, say.p50, say.p95, say.spent]}
            rows={groups.map((group) => ({
              key: group.name,
              cells: [
                nameOf(group.name),
                formats.number(group.issued),
                percent(deliveryRate(group)),
                percent(conversion(group)),
                ms(group.p50Ms),
                ms(group.p95Ms),
                formats.number(group.spent),
              ],
            }))}
          />
        </Grid.Col>
      </Grid>
    </Paper>
  )
}

function useGroupNames(by: GroupBy): (name: string) => string {
  const say = useWords(usageWords)
  const channels = useWords(channelWords)
  const language = useLanguage()
  return (name) => {
    if (by === 'channel') return channels[name as keyof typeof channels] ?? name
    if (by === 'provider') return name || say.noProvider
    if (by === 'country') return name === '' || name === 'ZZ' ? say.noCountry : countryName(name, language)
    return name
  }
}
