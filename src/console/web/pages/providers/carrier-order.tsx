/** Carriers in the order they are tried, moved by buttons, so that keyboards and screen readers can do it too. */
import { ActionIcon, Badge, Group, Input, NativeSelect, Paper, Stack, VisuallyHidden } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconX } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useWords } from '../../i18n/words'
import { AsWritten } from '../../parts/as-written'
import { routeWords } from './routes-words'

export interface CarrierOrderProps {
  value: readonly string[]
  /** Who could be in it. */
  able: readonly string[]
  error?: ReactNode
  onChange(order: readonly string[]): void
}

export function CarrierOrder({ value: order, able, error, onChange }: CarrierOrderProps) {
  const say = useWords(routeWords)
  const [news, setNews] = useState('')
  const left = able.filter((name) => !order.includes(name))
  const move = (name: string, by: -1 | 1) => {
    const from = order.indexOf(name)
    const without = order.filter((one) => one !== name)
    onChange(without.toSpliced(from + by, 0, name))
    setNews(say.moved(name, from + by + 1, order.length))
  }
  return (
    <Input.Wrapper label={say.carriers} labelElement="div" error={error}>
      <Stack gap="xs" my={4}>
        {order.length > 0 && (
          <Stack component="ol" gap="xs">
            {order.map((name, index) => (
              <Paper component="li" key={name} withBorder px="sm" py={6}>
                <Group justify="space-between" wrap="nowrap" gap="xs">
                  <Group gap="xs" wrap="nowrap">
                    <Badge variant="light" circle aria-hidden>
                      {index + 1}
                    </Badge>
                    <AsWritten size="sm">{name}</AsWritten>
                  </Group>
                  <Group gap={4} wrap="nowrap">
                    <ActionIcon
                      variant="default"
                      aria-label={say.up(name)}
                      // Not disabled at the end: the focus would be lost with it.
                      aria-disabled={index === 0}
                      onClick={() => index > 0 && move(name, -1)}
                    >
                      <IconArrowUp size={16} aria-hidden />
                    </ActionIcon>
                    <ActionIcon
                      variant="default"
                      aria-label={say.down(name)}
                      aria-disabled={index === order.length - 1}
                      onClick={() => index < order.length - 1 && move(name, 1)}
                    >
                      <IconArrowDown size={16} aria-hidden />
                    </ActionIcon>
                    <ActionIcon
                      variant="subtle"
                      color="red"
                      aria-label={say.leaveOut(name)}
                      onClick={() => onChange(order.filter((one) => one !== name))}
                    >
                      <IconX size={16} aria-hidden />
                    </ActionIcon>
                  </Group>
                </Group>
              </Paper>
            ))}
          </Stack>
        )}
        <NativeSelect
          aria-label={say.addCarrier}
          disabled={left.length === 0}
          value=""
          data={[{ value: '', label: left.length === 0 ? say.noneLeft : say.addCarrier }, ...left]}
          onChange={(event) => {
            const name = event.currentTarget.value
            if (name !== '') onChange([...order, name])
          }}
        />
        <VisuallyHidden role="status">{news}</VisuallyHidden>
      </Stack>
    </Input.Wrapper>
  )
}
