/** A new secret, with a time in which the one before counts too. */
import { Button, Group, NumberInput, Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, queries } from '../../api'
import { frameWords } from '../../i18n/frame'
import { inWords, useWords, wordsNow } from '../../i18n/words'
import { ProblemNote } from '../../parts/problem-note'
import { showSecret } from './secret'

const words = inWords({
  en: {
    title: 'Rotate the secret',
    about:
      'Requests are signed with both secrets for as long as you say, so that your receiver can change over without losing one.',
    overlap: 'Hours both count',
    overlapHelp: '0 to 168; 0 ends the old one at once.',
    rotate: 'Make a new secret',
  },
  ko: {
    title: '시크릿 교체',
    about: '정한 시간 동안 두 시크릿으로 함께 서명하므로, 요청을 놓치지 않고 수신 서버의 시크릿을 바꿀 수 있습니다.',
    overlap: '함께 쓰는 시간(시간)',
    overlapHelp: '0~168시간. 0이면 이전 시크릿을 바로 폐기합니다.',
    rotate: '새 시크릿 만들기',
  },
})

export function openRotate(endpointId: string): void {
  const modalId = modals.open({
    title: wordsNow(words).title,
    children: <Rotate endpointId={endpointId} onClose={() => modals.close(modalId)} />,
  })
}

function Rotate({ endpointId, onClose }: { endpointId: string; onClose(): void }) {
  const say = useWords(words)
  const common = useWords(frameWords)
  const [hours, setHours] = useState<number | string>(24)
  const rotate = useMutation(
    api.webhooks.rotate.mutationOptions({
      onSuccess(made) {
        queries.invalidateQueries({ queryKey: api.webhooks.list.key() })
        onClose()
        showSecret({
          secret: made.secret,
          ...(made.previousValidUntil > Date.now() && { previousValidUntil: made.previousValidUntil }),
        })
      },
    }),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!rotate.isPending) rotate.mutate({ endpointId, overlapHours: Number(hours) })
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{say.about}</Text>
        <NumberInput
          data-autofocus
          label={say.overlap}
          description={say.overlapHelp}
          required
          min={0}
          max={168}
          allowDecimal={false}
          value={hours}
          onChange={setHours}
        />
        {rotate.isError && <ProblemNote failure={rotate.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={rotate.isPending}>
            {say.rotate}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
