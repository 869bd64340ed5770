/** The time that is looked at in words, compared with as long a time before; and its main numbers. */
import { Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import { type Formats, useFormats } from '../../i18n/format'
import { frameWords } from '../../i18n/frame'
import { useWords } from '../../i18n/words'
import { conversion, deliveryRate, type UsageTotals } from './rates'
import { usageWords } from './words'

type Say = (typeof usageWords)['en']

export interface UsageSummaryProps {
  total: UsageTotals
  /** Missing while it is not known yet. */
  previous: UsageTotals | undefined
}

export function UsageSummary({ total, previous }: UsageSummaryProps) {
  const say = useWords(usageWords)
  const common = useWords(frameWords)
  const formats = useFormats()
  const rate = deliveryRate(total)
  const verified = conversion(total)
  const { p50Ms, p95Ms } = total
  const sentences = [
    `${[say.issuedWords(total.issued, formats.number(total.issued)), ...amountCompared(say, formats, total, previous)].join(', ')}.`,
    ...(rate === undefined
      ? []
      : [sentence(say.deliveredWords(formats.percent(rate)), say, formats, rate, previous && deliveryRate(previous))]),
    ...(verified === undefined
      ? []
      : [
          sentence(
            say.verifiedWords(formats.percent(verified)),
            say,
            formats,
            verified,
            previous && conversion(previous),
          ),
        ]),
    ...(p50Ms === undefined || p95Ms === undefined
      ? []
      : [say.latencyWords(formats.milliseconds(p50Ms), formats.milliseconds(p95Ms))]),
  ]
  const shown = (share: number | undefined) => (share === undefined ? common.none : formats.percent(share))
  const ms = (value: number | undefined) => (value === undefined ? common.none : formats.milliseconds(value))
  return (
    <Stack component="section" aria-label={say.summary}>
      <Text>{sentences.join(' ')}</Text>
      <SimpleGrid component="dl" cols={{ base: 2, sm: 3, xl: 6 }}>
        <Figure name={say.issued} value={formats.number(total.issued)} />
        <Figure name={say.deliveryRate} value={shown(rate)} />
        <Figure name={say.conversion} value={shown(verified)} />
        <Figure name={`${say.latency}, ${say.p50}`} value={ms(p50Ms)} />
        <Figure name={`${say.latency}, ${say.p95}`} value={ms(p95Ms)} />
        <Figure name={say.spent} value={formats.number(total.spent)} />
      </SimpleGrid>
      <Text size="xs" c="dimmed">
        {say.rateNote}
      </Text>
    </Stack>
  )
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <Paper withBorder p="sm">
      <Text component="dt" size="xs" c="dimmed">
        {name}
      </Text>
      <Text component="dd" size="xl" fw={600}>
        {value}
      </Text>
    </Paper>
  )
}

function amountCompared(say: Say, formats: Formats, total: UsageTotals, previous: UsageTotals | undefined): string[] {
  if (previous === undefined) return []
  if (previous.issued === 0) return [say.first]
  const change = total.issued / previous.issued - 1
  if (change === 0) return [say.same]
  return [change > 0 ? say.more(formats.percent(change)) : say.fewer(formats.percent(-change))]
}

function sentence(words: string, say: Say, formats: Formats, now: number, then: number | undefined): string {
  if (then === undefined) return `${words}.`
  const points = Math.round((now - then) * 1_000) / 10
  const by = say.points(formats.number(Math.abs(points)))
  return `${words} (${points === 0 ? say.unchanged : points > 0 ? say.up(by) : say.down(by)}).`
}
