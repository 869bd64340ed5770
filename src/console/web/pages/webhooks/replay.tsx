/** All that failed since a time, sent again. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, queries } from '../../api'
import { frameWords } from '../../i18n/frame'
import { useWords, wordsNow } from '../../i18n/words'
import { ProblemNote } from '../../parts/problem-note'
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
  const common = useWords(frameWords)
  const [since, setSince] = useState(() => localText(Date.now() - DAY_MS))
  const replay = useMutation(
    api.webhooks.replay.mutationOptions({
      onSuccess({ replayed }) {
        tellDone(say.replayed(replayed))
        queries.invalidateQueries({ queryKey: api.webhooks.key() })
        onClose()
      },
    }),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!replay.isPending) replay.mutate({ endpointId, since: new Date(since).getTime() })
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{say.replayAbout}</Text>
        <TextInput
          data-autofocus
          type="datetime-local"
          label={say.since}
          required
          value={since}
          onChange={(event) => setSince(event.currentTarget.value)}
        />
        {replay.isError && <ProblemNote failure={replay.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={replay.isPending}>
            {say.replay}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
