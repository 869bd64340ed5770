/** Dialog that sends one test message by a carrier. */
import { Alert, NativeSelect, Text, TextInput } from '@mantine/core'
import { modals } from '@mantine/modals'
import { api, client, queries } from '../../api'
import { useFormats } from '../../i18n/format'
import { frameWords } from '../../i18n/frame'
import { channelWords } from '../../i18n/names'
import { useWords, wordsNow } from '../../i18n/words'
import { Form, useServerForm } from '../../parts/form'
import { AsWritten } from '../../parts/text'
import { providerWords, type ShownCarrier } from './words'

type TestedCarrier = Pick<ShownCarrier, 'name' | 'channels'>

/** Sends one real message by this carrier and shows its answer. */
export function openCarrierTest(carrier: TestedCarrier): void {
  const modalId = modals.open({
    title: wordsNow(providerWords).testOf(carrier.name),
    children: <CarrierTest carrier={carrier} onClose={() => modals.close(modalId)} />,
  })
}

type TestOutcome = Awaited<ReturnType<typeof client.carriers.test>>

function CarrierTest({ carrier: { name, channels }, onClose }: { carrier: TestedCarrier; onClose(): void }) {
  const say = useWords(providerWords)
  const common = useWords(frameWords)
  const channelNames = useWords(channelWords)
  const form = useServerForm({
    initialValues: { to: '', channel: channels[0] ?? 'sms', templateCode: '' },
    send: ({ to, channel, templateCode }) =>
      client.carriers.test({ name, to, channel, ...(channel === 'alimtalk' && { templateCode: templateCode.trim() }) }),
    onDone: () => queries.invalidateQueries({ queryKey: api.carriers.list.key() }),
  })
  return (
    <Form
      form={form}
      action={form.answer ? say.again : say.send}
      cancel={form.answer ? common.done : common.cancel}
      onCancel={onClose}
    >
      <TextInput
        data-autofocus
        label={say.to}
        description={say.toHelp}
        type="tel"
        required
        placeholder="010-1234-5678"
        {...form.field('to')}
      />
      <NativeSelect
        label={say.channel}
        data={channels.map((value) => ({ value, label: channelNames[value] }))}
        {...form.field('channel')}
      />
      {form.values.channel === 'alimtalk' && (
        <TextInput
          label={say.templateCode}
          description={say.templateCodeHelp}
          required
          spellCheck={false}
          {...form.field('templateCode', 'template-code')}
        />
      )}
      <div aria-live="polite">{form.answer && <TestOutcome {...form.answer} />}</div>
    </Form>
  )
}

const COLORS = { accepted: 'teal', refused: 'red', ambiguous: 'orange' } as const

function TestOutcome({ kind, latencyMs, code, explanation, messageId }: TestOutcome) {
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
