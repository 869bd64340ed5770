/** One carrier: health, current load and results of the last hour. */
import {
  Alert,
  Badge,
  Button,
  Group,
  NativeSelect,
  Paper,
  Progress,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { modals } from '@mantine/modals'
import { IconAlertTriangle, IconSend } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { api, client, queries } from '../../api'
import { useFormats } from '../../i18n/format'
import { frameWords } from '../../i18n/frame'
import { channelWords } from '../../i18n/names'
import { useWords, wordsNow } from '../../i18n/words'
import { Form, useServerForm } from '../../parts/form'
import { AsWritten } from '../../parts/text'
import { Time } from '../../parts/time'
import { useMay } from '../../session'
import { providerWords, type ShownCarrier } from './words'

export function CarrierCard({ carrier }: { carrier: ShownCarrier }) {
  const say = useWords(providerWords)
  const channels = useWords(channelWords)
  const formats = useFormats()
  const may = useMay()
  const { name, type, state, inFlight, concurrency, waiting, timeoutMs } = carrier
  const isHealthy = state === 'healthy'
  return (
    <Paper component="article" withBorder p="md" aria-label={name}>
      <Stack gap="sm" h="100%">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Stack gap={2}>
            <Title order={3}>{name}</Title>
            <Text size="sm" c="dimmed">
              {type} · {carrier.channels.map((channel) => channels[channel]).join(', ')}
            </Text>
          </Stack>
          <Badge variant="light" color={isHealthy ? 'teal' : 'red'} miw="max-content">
            {say.states[state]}
          </Badge>
        </Group>
        {!isHealthy && <CarrierState carrier={carrier} />}
        <Stack gap={4}>
          <Line name={say.inFlight}>{say.inFlightOf(formats.number(inFlight), formats.number(concurrency))}</Line>
          <Progress
            size="sm"
            value={concurrency === 0 ? 0 : (inFlight / concurrency) * 100}
            aria-label={`${say.inFlight}: ${name}`}
          />
        </Stack>
        <Line name={say.waiting}>{formats.number(waiting)}</Line>
        <Line name={say.timeout}>{formats.milliseconds(timeoutMs)}</Line>
        <LastHour {...carrier.recent} />
        {may('carriers') && (
          <Button
            mt="auto"
            variant="default"
            aria-label={say.testOf(name)}
            leftSection={<IconSend size={16} aria-hidden />}
            onClick={() => openCarrierTest(carrier)}
          >
            {say.test}
          </Button>
        )}
      </Stack>
    </Paper>
  )
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Group justify="space-between" gap="xs">
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text size="sm">{children}</Text>
    </Group>
  )
}

function CarrierState({ carrier: { since, code, explanation, retryAt } }: { carrier: ShownCarrier }) {
  const say = useWords(providerWords)
  return (
    <Alert color="red" p="xs" icon={<IconAlertTriangle aria-hidden />}>
      <Stack gap={4}>
        {since !== undefined && (
          <Text size="sm">
            {say.states.unhealthy} · {say.since} <Time at={since} relative />
          </Text>
        )}
        {code !== undefined && (
          <Text size="sm">
            <b>{code}</b>
            {explanation !== undefined && `: ${explanation}`}
          </Text>
        )}
        <Text size="sm">
          {retryAt === undefined || retryAt <= Date.now() ? (
            say.retryNow
          ) : (
            <>
              {say.retry} <Time at={retryAt} relative />
            </>
          )}
        </Text>
      </Stack>
    </Alert>
  )
}

const OUTCOMES = [
  ['accepted', 'teal.7'],
  ['refused', 'red.8'],
  ['ambiguous', 'orange.7'],
] as const

function LastHour(recent: ShownCarrier['recent']) {
  const say = useWords(providerWords)
  const formats = useFormats()
  const total = recent.accepted + recent.refused + recent.ambiguous
  const inWords = OUTCOMES.map(([kind]) => `${formats.number(recent[kind])} ${say[kind]}`).join(' · ')
  return (
    <Stack gap={4}>
      <Line name={say.lastHour}>{total === 0 ? say.nothing : inWords}</Line>
      {total > 0 && (
        <Progress.Root size="sm">
          {OUTCOMES.map(([kind, color]) => (
            <Progress.Section key={kind} value={(recent[kind] / total) * 100} color={color} aria-label={say[kind]} />
          ))}
        </Progress.Root>
      )}
    </Stack>
  )
}

/** Sends one real message by this carrier and shows its answer. */
function openCarrierTest(carrier: ShownCarrier): void {
  const modalId = modals.open({
    title: wordsNow(providerWords).testOf(carrier.name),
    children: <CarrierTest carrier={carrier} onClose={() => modals.close(modalId)} />,
  })
}

type TestOutcome = Awaited<ReturnType<typeof client.carriers.test>>

function CarrierTest({ carrier: { name, channels }, onClose }: { carrier: ShownCarrier; onClose(): void }) {
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
