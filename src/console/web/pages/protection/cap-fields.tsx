/** Fields for caps. */
import { ActionIcon, Button, Fieldset, Group, NativeSelect, NumberInput, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { capWords, kindWords } from '../../i18n/protection'
import { inWords, useWords } from '../../i18n/words'
import type { ShownApp } from '../../scope'

const words = inWords({
  en: {
    legend: 'Caps',
    none: 'There is no cap.',
    kind: 'Keys',
    per: 'Scope',
    of: 'Unit',
    every: 'Period',
    add: 'Add a cap',
    remove: (cap: string) => `Remove the cap “${cap}”`,
  },
  ko: {
    legend: '상한',
    none: '설정한 상한이 없습니다.',
    kind: '키',
    per: '대상',
    of: '단위',
    every: '기간',
    add: '상한 추가',
    remove: (cap) => `“${cap}” 상한 삭제`,
  },
})

type ShownCap = ShownApp['protection']['caps'][number]
type CapSubject = Omit<ShownCap, 'max'>

const FIRST: CapSubject = { kind: 'pk', per: 'country', of: 'messages', every: 'day' }
const MAX = 1_000
const LARGEST = 1_000_000_000

/** One cap for each combination. */
const nameOf = ({ kind, per, of, every }: CapSubject) => [kind, per, of, every].join('/')

interface CapFieldsProps {
  caps: readonly ShownCap[]
  error: ReactNode
  onChange(caps: ShownCap[]): void
}

export function CapFields({ caps, error, onChange }: CapFieldsProps) {
  const say = useWords(words)
  const kinds = useWords(kindWords)
  const { counted, of, per, every } = useWords(capWords)
  const change = (cap: ShownCap, max: number) =>
    onChange(caps.map((one) => (nameOf(one) === nameOf(cap) ? { ...one, max } : one)))
  return (
    <Fieldset legend={say.legend}>
      <Stack>
        {caps.length === 0 && <Text size="sm">{say.none}</Text>}
        {caps.map((cap) => {
          const label = counted(kinds[cap.kind], of[cap.of], per[cap.per], every[cap.every])
          return (
            <Group key={nameOf(cap)} align="flex-end" wrap="nowrap" gap="xs">
              <NumberInput
                flex={1}
                label={label}
                min={1}
                max={LARGEST}
                allowDecimal={false}
                hideControls
                thousandSeparator
                // An empty cap is refused.
                value={cap.max || ''}
                onChange={(max) => change(cap, Number(max))}
              />
              <ActionIcon
                variant="subtle"
                color="red"
                size="lg"
                aria-label={say.remove(label)}
                onClick={() => onChange(caps.filter((one) => nameOf(one) !== nameOf(cap)))}
              >
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            </Group>
          )
        })}
        {error !== undefined && (
          <Text size="sm" c="red" role="alert">
            {error}
          </Text>
        )}
        <AddCap caps={caps} onAdd={(cap) => onChange([...caps, cap])} />
      </Stack>
    </Fieldset>
  )
}

function AddCap({ caps, onAdd }: { caps: readonly ShownCap[]; onAdd(cap: ShownCap): void }) {
  const say = useWords(words)
  const kinds = useWords(kindWords)
  const { of, per, every } = useWords(capWords)
  const [draft, setDraft] = useState(FIRST)
  const choice = <Name extends keyof CapSubject>(name: Name, names: Readonly<Record<CapSubject[Name], string>>) => (
    <NativeSelect
      label={say[name]}
      value={draft[name]}
      data={(Object.keys(names) as CapSubject[Name][]).map((value) => ({ value, label: names[value] }))}
      onChange={(event) => setDraft({ ...draft, [name]: event.currentTarget.value })}
    />
  )
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs">
        {choice('kind', kinds)}
        {choice('of', of)}
        {choice('per', per)}
        {choice('every', every)}
      </SimpleGrid>
      <Group>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          disabled={caps.some((cap) => nameOf(cap) === nameOf(draft))}
          onClick={() => onAdd({ ...draft, max: MAX })}
        >
          {say.add}
        </Button>
      </Group>
    </Stack>
  )
}
