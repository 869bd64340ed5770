/** From issued to verified: how many are lost at each step; and what the messages cost. Each beside the time before. */
import { Anchor, Box, Divider, Flex, Group, Progress, SimpleGrid, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFormats } from '../../i18n/format'
import { useWords } from '../../i18n/words'
import { Section } from '../../parts/section'
import { useMay } from '../../session'
import { openPrices } from './prices'
import { type ReportTotal, share } from './rates'
import { usageWords } from './words'

interface UsageFunnelProps {
  total: ReportTotal
  /** Missing while it is loaded. */
  before: ReportTotal | undefined
}

const STEPS = ['issued', 'sent', 'delivered', 'verified'] as const

export function UsageFunnel({ total, before }: UsageFunnelProps) {
  const say = useWords(usageWords)
  const formats = useFormats()
  const mayFinance = useMay()('finance')
  return (
    <Section title={say.funnel} about={say.funnelNote}>
      <SimpleGrid component="dl" m={0} cols={{ base: 2, lg: 4 }} spacing="lg">
        {STEPS.map((step, place) => {
          const rate = share(total[step], total.issued) ?? 0
          const lost = total[STEPS[place - 1] ?? step] - total[step]
          return (
            <Amount
              key={step}
              label={say[step]}
              value={formats.number(total[step])}
              now={total[step]}
              then={before?.[step]}
            >
              <Progress value={100 * rate} size="sm" my={6} aria-hidden />
              <Text size="xs" c="dimmed">
                {place === 0 ? say.allOf : say.ofIssued(formats.percent(rate))}
                {lost > 0 && ` · ${say.lost(formats.number(lost))}`}
              </Text>
            </Amount>
          )
        })}
      </SimpleGrid>
      <Divider />
      <Flex component="dl" m={0} columnGap="lg" rowGap="sm" wrap="wrap">
        <Amount
          label={say.messages}
          value={formats.number(total.messages)}
          now={total.messages}
          then={before?.messages}
        />
        {total.cost.map(({ currency, amount }) => {
          const then = before?.cost.find((cost) => cost.currency === currency)
          return (
            <Amount
              key={currency}
              label={say.costIn(currency)}
              value={formats.money(amount, currency)}
              now={Number(amount)}
              then={then && Number(then.amount)}
            />
          )
        })}
        {total.unpriced > 0 && (
          <Amount label={say.unpriced} value={formats.number(total.unpriced)}>
            {mayFinance && (
              <Anchor component="button" size="xs" onClick={openPrices}>
                {say.setPrices}
              </Anchor>
            )}
          </Amount>
        )}
        <Amount label={say.spent} value={formats.number(total.spent)} now={total.spent} then={before?.spent} />
      </Flex>
    </Section>
  )
}

interface AmountProps {
  label: string
  value: string
  now?: number
  then?: number | undefined
  children?: ReactNode
}

/** A number, and how it differs from the time before; nothing where there was none. */
function Amount({ label, value, now = 0, then = 0, children }: AmountProps) {
  const say = useWords(usageWords)
  const formats = useFormats()
  const change = then === 0 ? undefined : now / then - 1
  return (
    <div>
      <Text component="dt" size="sm" c="dimmed">
        {label}
      </Text>
      <Box component="dd" m={0}>
        <Group gap={6} align="baseline">
          <Text fz={{ base: 18, sm: 22 }} fw={600} lh={1.3}>
            {value}
          </Text>
          {change !== undefined && (
            <Text size="xs" c="dimmed" title={say.before(formats.number(then))}>
              {change < 0 ? '−' : change > 0 ? '+' : '±'}
              {formats.percent(Math.abs(change))}
            </Text>
          )}
        </Group>
        {children}
      </Box>
    </div>
  )
}
