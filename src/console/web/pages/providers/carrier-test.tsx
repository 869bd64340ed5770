/** One real message by one carrier, and exactly what it answered. */
import { Alert, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, type client, queries } from '../../api'
import { channelWords } from '../../i18n/delivery'
import { useFormats } from '../../i18n/format'
import { frameWords } from '../../i18n/frame'
import { useWords, wordsNow } from '../../i18n/words'
import { AsWritten } from '../../parts/as-written'
import { ProblemNote } from '../../parts/problem-note'
import type { Carrier } from './answers'
import { providerWords } from './words'

export function openCarrierTest(carrier: Carrier): void {
  const modalId = modals.open({
    title: wordsNow(providerWords).testOf(carrier.name),
    children: <CarrierTest carrier={carrier} onClose={() => modals.close(modalId)} />,
  })
}

type Outcome = Awaited<ReturnType<typeof client.carriers.test>>

function CarrierTest({ carrier: { name, channels }, onClose }: { carrier: Carrier; onClose(): void }) {
  const say = useWords(providerWords)
  const common = useWords(frameWords)
  const channelNames = useWords(channelWords)
  const [to, setTo] = useState('')
  const [channel, setChannel] = useState(channels[0] ?? 'sms')
  const [templateCode, setTemplateCode] = useState('')
  const test = useMutation(
    api.carriers.test.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: api.carriers.list.key() }),
    }),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!test.isPending)
      test.mutate({ name, to, channel, ...(channel === 'alimtalk' && { templateCode: templateCode.trim() }) })
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          data-autofocus
          label={say.to}
          description={say.toHelp}
          type="tel"
          required
          placeholder="010-1234-5678"
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
        <NativeSelect
          label={say.channel}
          data={channels.map((value) => ({ value, label: channelNames[value] }))}
          value={channel}
          onChange={(event) => setChannel(event.currentTarget.value as typeof channel)}
        />
        {channel === 'alimtalk' && (
          <TextInput
            label={say.templateCode}
            description={say.templateCodeHelp}
            required
            value={templateCode}
            spellCheck={false}
            onChange={(event) => setTemplateCode(event.currentTarget.value)}
          />
        )}
        <div aria-live="polite">
          {test.data && <Outcome {...test.data} />}
          {test.isError && <ProblemNote failure={test.error} />}
        </div>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {test.data ? common.done : common.cancel}
          </Button>
          <Button type="submit" loading={test.isPending}>
            {test.data ? say.again : say.send}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const COLORS = { accepted: 'teal', refused: 'red', ambiguous: 'orange' } as const

function Outcome({ kind, latencyMs, code, explanation, messageId }: Outcome) {
  const say = useWords(providerWords)
  const formats = useFormats()
  return (
    <Alert color={COLORS[kind]} title={say.outcomes[kind]}>
      <Text size="sm">{say.took(formats.milliseconds(latencyMs))}</Text>
      {messageId !== undefined && (
        <AsWritten size="sm">
          {say.messageId}: {messageId}
        </AsWritten>
      )}
      {code !== undefined && (
        <AsWritten size="sm">
          {say.code}: <b>{code}</b>
          {explanation !== undefined && ` (${explanation})`}
        </AsWritten>
      )}
    </Alert>
  )
}
