/** A new key in place of an old one, which goes on working for a while, so that nobody has to hurry. */
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, queries } from '../../api'
import { frameWords } from '../../i18n/frame'
import { inWords, useWords } from '../../i18n/words'
import { ProblemNote } from '../../parts/problem-note'
import type { Key } from './key-table'
import type { ShownKey } from './new-key'
import { keyWords } from './words'

const words = inWords({
  en: {
    about: 'Makes a new key with the same rights. The old one goes on working for as long as you choose here.',
    overlap: 'The old key works for another',
    hours: (hours: number) =>
      hours === 0 ? 'No time at all: it has leaked' : hours === 1 ? '1 hour' : `${hours} hours`,
    days: (days: number) => `${days} days`,
  },
  ko: {
    about: '같은 권한의 새 키를 만듭니다. 이전 키는 아래에서 고른 시간 동안 계속 사용할 수 있습니다.',
    overlap: '이전 키의 남은 사용 시간',
    hours: (hours) => (hours === 0 ? '즉시 중단(유출된 경우)' : `${hours}시간`),
    days: (days) => `${days}일`,
  },
})

const OVERLAPS = [0, 1, 24, 72, 168]

export function RotateKey({ of, onDone, onCancel }: { of: Key; onDone(made: ShownKey): void; onCancel(): void }) {
  const say = useWords(words)
  const common = useWords(frameWords)
  const known = useWords(keyWords)
  const [hours, setHours] = useState(24)
  const rotate = useMutation(
    api.keys.rotate.mutationOptions({
      onSuccess({ key, previousWorksUntil }) {
        queries.invalidateQueries({ queryKey: api.keys.key() })
        onDone({ ...of, key, previousWorksUntil })
      },
    }),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!rotate.isPending) rotate.mutate({ keyId: of.keyId, overlapHours: hours })
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{say.about}</Text>
        <NativeSelect
          data-autofocus
          label={say.overlap}
          value={String(hours)}
          onChange={(event) => setHours(Number(event.currentTarget.value))}
          data={OVERLAPS.map((overlap) => ({
            value: String(overlap),
            label: overlap > 24 ? say.days(overlap / 24) : say.hours(overlap),
          }))}
        />
        {rotate.isError && <ProblemNote failure={rotate.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={rotate.isPending}>
            {known.rotate}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
