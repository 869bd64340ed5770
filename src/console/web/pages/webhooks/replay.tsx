/** All that failed since a time, sent again. */
import { Text, TextInput } from '@mantine/core'
import { modals } from '@mantine/modals'
import { api, client, queries } from '../../api'
import { useWords, wordsNow } from '../../i18n/words'
import { Form, useServerForm } from '../../parts/form'
import { tellDone } from '../../parts/tell'
import { deliveryWords } from './delivery-words'

export function openReplay(endpointId: string): void {
  const modalId = modals.open({
    title: wordsNow(deliveryWords).replayAll,
    children: <Replay endpointId={endpointId} onClose={() => modals.close(modalId)} />,
  })
}

const DAY_MS = 86_400_000

/** As the browser's own field wants it, where the reader is. */
const localText = (at: number) => new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

function Replay({ endpointId, onClose }: { endpointId: string; onClose(): void }) {
  const say = useWords(deliveryWords)
  const form = useServerForm({
    initialValues: { since: localText(Date.now() - DAY_MS) },
    send: ({ since }) => client.webhooks.replay({ endpointId, since: new Date(since).getTime() }),
    onDone({ replayed }) {
      tellDone(say.replayed(replayed))
      queries.invalidateQueries({ queryKey: api.webhooks.key() })
      onClose()
    },
  })
  return (
    <Form form={form} action={say.replay} onCancel={onClose}>
      <Text size="sm">{say.replayAbout}</Text>
      <TextInput data-autofocus type="datetime-local" label={say.since} required {...form.field('since')} />
    </Form>
  )
}
