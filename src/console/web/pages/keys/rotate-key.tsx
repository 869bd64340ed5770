/** A new key in place of an old one, which goes on working for a while, so that nobody has to hurry. */
import { NativeSelect, Text } from '@mantine/core'
import { api, client, queries } from '../../api'
import { inWords, useWords } from '../../i18n/words'
import { Form, useServerForm } from '../../parts/form'
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
  const known = useWords(keyWords)
  const form = useServerForm({
    initialValues: { hours: '24' },
    send: ({ hours }) => client.keys.rotate({ keyId: of.keyId, overlapHours: Number(hours) }),
    onDone({ key, previousWorksUntil }) {
      queries.invalidateQueries({ queryKey: api.keys.key() })
      onDone({ ...of, key, previousWorksUntil })
    },
  })
  return (
    <Form form={form} action={known.rotate} onCancel={onCancel}>
      <Text size="sm">{say.about}</Text>
      <NativeSelect
        data-autofocus
        label={say.overlap}
        {...form.plainField('hours')}
        data={OVERLAPS.map((overlap) => ({
          value: String(overlap),
          label: overlap > 24 ? say.days(overlap / 24) : say.hours(overlap),
        }))}
      />
    </Form>
  )
}
