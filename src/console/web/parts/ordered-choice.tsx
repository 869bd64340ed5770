/** Chosen things in an order. Buttons move them, so that keyboards and screen readers can do it. */
import { ActionIcon, Badge, Group, Input, NativeSelect, Paper, Stack, VisuallyHidden } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconX } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { inWords, useWords } from '../i18n/words'
import { AsWritten } from './text'

const words = inWords({
  en: {
    up: (name: string) => `Move ${name} up`,
    down: (name: string) => `Move ${name} down`,
    leaveOut: (name: string) => `Remove ${name}`,
    moved: (name: string, place: number, of: number) => `${name} is now ${place} of ${of}`,
  },
  ko: {
    up: (name) => `${name} 위로 이동`,
    down: (name) => `${name} 아래로 이동`,
    leaveOut: (name) => `${name} 제외`,
    moved: (name, place, of) => `${name}: ${of}개 중 ${place}번째`,
  },
})

interface OrderedChoiceProps<T extends string> {
  label: string
  value: readonly T[]
  /** The choices. */
  able: readonly T[]
  /** If missing, things are shown as they are. */
  nameOf?(one: T): string
  /** Label of the choice, with something left to choose and without. */
  add: string
  noneLeft: string
  /** The settings of one choice, below its name. */
  detailOf?(one: T, index: number): ReactNode
  error?: ReactNode
  onChange(order: readonly T[]): void
}

export function OrderedChoice<T extends string>(props: OrderedChoiceProps<T>) {
  const { label, value: order, able, nameOf = (one) => one, add, noneLeft, detailOf, error, onChange } = props
  const say = useWords(words)
  const [news, setNews] = useState('')
  const left = able.filter((one) => !order.includes(one))
  const move = (one: T, by: -1 | 1) => {
    const from = order.indexOf(one)
    const without = order.filter((other) => other !== one)
    onChange(without.toSpliced(from + by, 0, one))
    setNews(say.moved(nameOf(one), from + by + 1, order.length))
  }
  return (
    <Input.Wrapper label={label} labelElement="div" error={error}>
      <Stack gap="xs" my={4}>
        {order.length > 0 && (
          <Stack component="ol" gap="xs">
            {order.map((one, index) => (
              <Paper component="li" key={one} withBorder px="sm" py={6}>
                <Group justify="space-between" wrap="nowrap" gap="xs">
                  <Group gap="xs" wrap="nowrap">
                    <Badge variant="light" circle aria-hidden>
                      {index + 1}
                    </Badge>
                    <AsWritten size="sm">{nameOf(one)}</AsWritten>
                  </Group>
                  <Group gap={4} wrap="nowrap">
                    <ActionIcon
                      variant="default"
                      aria-label={say.up(nameOf(one))}
                      // Not disabled at the end, because a disabled button loses the focus.
                      aria-disabled={index === 0}
                      onClick={() => index > 0 && move(one, -1)}
                    >
                      <IconArrowUp size={16} aria-hidden />
                    </ActionIcon>
                    <ActionIcon
                      variant="default"
                      aria-label={say.down(nameOf(one))}
                      aria-disabled={index === order.length - 1}
                      onClick={() => index < order.length - 1 && move(one, 1)}
                    >
                      <IconArrowDown size={16} aria-hidden />
                    </ActionIcon>
                    <ActionIcon
                      variant="subtle"
                      color="red"
                      aria-label={say.leaveOut(nameOf(one))}
                      onClick={() => onChange(order.filter((other) => other !== one))}
                    >
                      <IconX size={16} aria-hidden />
                    </ActionIcon>
                  </Group>
                </Group>
                {detailOf?.(one, index)}
              </Paper>
            ))}
          </Stack>
        )}
        <NativeSelect
          aria-label={add}
          disabled={left.length === 0}
          value=""
          data={[
            { value: '', label: left.length === 0 ? noneLeft : add },
            ...left.map((one) => ({ value: one, label: nameOf(one) })),
          ]}
          onChange={(event) => {
            const chosen = left.find((one) => one === event.currentTarget.value)
            if (chosen !== undefined) onChange([...order, chosen])
          }}
        />
        <VisuallyHidden role="status">{news}</VisuallyHidden>
      </Stack>
    </Input.Wrapper>
  )
}
