/** Chosen things in an order. They are dragged, or moved by buttons, so that keyboards and screen readers can do it. */
import { ActionIcon, Badge, Group, Input, NativeSelect, Paper, Stack, VisuallyHidden } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { IconArrowDown, IconArrowUp, IconGripVertical, IconX } from '@tabler/icons-react'
import { type ReactNode, useRef, useState } from 'react'
import { inWords, useWords } from '../i18n/words'
import styles from './ordered-choice.module.css'
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
  const moveTo = (one: T, place: number) => {
    onChange(order.filter((other) => other !== one).toSpliced(place, 0, one))
    setNews(say.moved(nameOf(one), place + 1, order.length))
  }
  const move = (one: T, by: -1 | 1) => moveTo(one, order.indexOf(one) + by)
  const { list, dragged, handleOf } = useDrag(order, moveTo)
  return (
    <Input.Wrapper label={label} labelElement="div" error={error}>
      <Stack gap="xs" my={4}>
        {order.length > 0 && (
          <Stack component="ol" gap="xs" ref={list}>
            {order.map((one, index) => (
              <Paper component="li" key={one} withBorder px="sm" py={6} shadow={one === dragged ? 'md' : ''}>
                <Group justify="space-between" wrap="nowrap" gap="xs">
                  <Group gap="xs" wrap="nowrap">
                    <span {...handleOf(one)} className={styles.handle} data-drag={one} aria-hidden>
                      <IconGripVertical size={16} />
                    </span>
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

/** Listens on the window, since the row under the pointer moves. */
function useDrag<T extends string>(order: readonly T[], moveTo: (one: T, place: number) => void) {
  const list = useRef<HTMLDivElement>(null)
  const [dragged, setDragged] = useState<T>()
  useWindowEvent('pointermove', ({ clientY }) => {
    if (dragged === undefined || !list.current) return
    const from = order.indexOf(dragged)
    const middles = [...list.current.children].map((row) => {
      const { top, bottom } = row.getBoundingClientRect()
      return (top + bottom) / 2
    })
    // It changes places with a row once it has passed the middle, so that rows of unlike height do not flicker.
    const place = middles.filter((middle, index) =>
      index < from ? clientY > middle : index > from && clientY >= middle,
    ).length
    if (place !== from) moveTo(dragged, place)
  })
  const end = () => setDragged(undefined)
  useWindowEvent('pointerup', end)
  useWindowEvent('pointercancel', end)
  const handleOf = (one: T) => ({ onPointerDown: () => setDragged(one) })
  return { list, dragged, handleOf }
}
