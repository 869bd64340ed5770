/** The channels of a delivery plan in their order, each with the wait for the next one. */
import { NumberInput, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { LEGS, type Leg } from '../../../../../contract/constants'
import { LEGS_MAX, WAIT_SEC } from '../../../../domain/delivery/plan'
import { channelWords } from '../../i18n/names'
import { inWords, useWords } from '../../i18n/words'
import { OrderedChoice } from '../../parts/ordered-choice'

const words = inWords({
  en: {
    addLeg: 'Add a channel',
    noneLeft: 'No other channel is available',
    wait: (channel: string) => `Seconds from ${channel} to the next channel`,
    noWait: 'Only if it fails',
    waits: (channel: string, sec: number) => `${channel} (${sec} s)`,
    calls: 'Calls go only to countries that a route for voice calls names.',
  },
  ko: {
    addLeg: '채널 추가',
    noneLeft: '더 추가할 채널이 없습니다',
    wait: (channel) => `${channel} 후 다음 채널까지(초)`,
    noWait: '실패할 때만',
    waits: (channel, sec) => `${channel}(${sec}초)`,
    calls: '음성 통화는 음성 통화 경로가 있는 국가로만 겁니다.',
  },
})

export interface ShownLeg {
  channel: Leg
  waitSec?: number | undefined
}

interface LegsFieldProps {
  label: string
  value: readonly ShownLeg[]
  error?: ReactNode
  onChange(legs: readonly ShownLeg[]): void
}

export function LegsField({ label, value: legs, error, onChange }: LegsFieldProps) {
  const say = useWords(words)
  const channels = useWords(channelWords)
  const order = legs.map(({ channel }) => channel)
  // Nothing comes after the last one.
  const change = (next: readonly ShownLeg[]) => onChange(next.with(-1, { channel: next.at(-1)?.channel ?? 'sms' }))
  const waitField = (leg: Leg, index: number) =>
    index < legs.length - 1 && (
      <NumberInput
        mt="xs"
        mb={4}
        size="xs"
        label={say.wait(channels[leg])}
        placeholder={say.noWait}
        {...WAIT_SEC}
        allowDecimal={false}
        allowNegative={false}
        hideControls
        value={legs[index]?.waitSec ?? ''}
        onChange={(sec) => change(legs.with(index, { channel: leg, ...(typeof sec === 'number' && { waitSec: sec }) }))}
      />
    )
  return (
    <>
      <OrderedChoice<Leg>
        label={label}
        able={legs.length < LEGS_MAX ? LEGS : order}
        nameOf={(leg) => channels[leg]}
        add={say.addLeg}
        noneLeft={say.noneLeft}
        detailOf={waitField}
        value={order}
        error={error}
        onChange={(next) =>
          next.length === 0
            ? onChange([])
            : change(next.map((channel) => legs.find((leg) => leg.channel === channel) ?? { channel }))
        }
      />
      {order.includes('voice') && (
        <Text size="sm" c="dimmed">
          {say.calls}
        </Text>
      )}
    </>
  )
}

/** The channels in one line. */
export function Legs({ of }: { of: readonly ShownLeg[] }) {
  const say = useWords(words)
  const channels = useWords(channelWords)
  return of
    .map(({ channel, waitSec }) => (waitSec === undefined ? channels[channel] : say.waits(channels[channel], waitSec)))
    .join(' → ')
}
