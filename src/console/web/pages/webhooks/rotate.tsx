/** A new secret, with a time in which the one before counts too. */
import { NumberInput, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { api, client, queries } from '../../api'
import { inWords, useWords, wordsNow } from '../../i18n/words'
import { Form, useServerForm } from '../../parts/form'
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
  const form = useServerForm({
    initialValues: { hours: 24 as number | string },
    send: ({ hours }) => client.webhooks.rotate({ endpointId, overlapHours: Number(hours) }),
    onDone({ secret, previousValidUntil }) {
      queries.invalidateQueries({ queryKey: api.webhooks.list.key() })
      onClose()
      showSecret({ secret, ...(previousValidUntil > Date.now() && { previousValidUntil }) })
    },
  })
  return (
    <Form form={form} action={say.rotate} onCancel={onClose}>
      <Text size="sm">{say.about}</Text>
      <NumberInput
        data-autofocus
        label={say.overlap}
        description={say.overlapHelp}
        required
        min={0}
        max={168}
        allowDecimal={false}
        {...form.field('hours', 'overlapHours')}
      />
    </Form>
  )
}
