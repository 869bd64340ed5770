/** Dialog that sends one test message by a carrier, and shows how far it came. */
import { Alert, Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { IconCheck, IconQuestionMark, IconX } from '@tabler/icons-react'
import { api, client, queries } from '../../api'
import { useFormats } from '../../i18n/format'
import { frameWords } from '../../i18n/frame'
import { inWords, useWords, wordsNow } from '../../i18n/words'
import { Form, useServerForm } from '../../parts/form'
import { Steps, type StepView } from '../../parts/steps'
import { AsWritten } from '../../parts/text'
import { TestFields } from './test-fields'
import { providerWords, type ShownCarrier } from './words'

const words = inWords({
  en: {
    steps: 'How far the test came',
    done: {
      address: 'The address was found',
      connection: 'The connection was made',
      certificate: 'The certificate is valid, where the connection is encrypted',
      answer: 'The carrier answered',
      account: 'The account is accepted',
      message: 'The message is accepted',
    },
    failed: {
      address: 'The address was not found',
      connection: 'No connection could be made',
      certificate: 'The certificate was refused',
      answer: 'The carrier did not answer in time',
      account: 'The account was refused',
      message: 'The message was refused',
    },
    unknown: {
      answer: 'The carrier did not answer in time, so the message may have been sent',
      message: 'The answer does not say whether the message was accepted',
    },
    reports: 'Look at the phone. The carrier’s delivery report of a test is not awaited.',
  },
  ko: {
    steps: '테스트 진행 단계',
    done: {
      address: '주소를 찾았습니다',
      connection: '연결했습니다',
      certificate: '암호화 연결의 인증서가 유효합니다',
      answer: '발송사가 응답했습니다',
      account: '계정이 승인되었습니다',
      message: '메시지가 접수되었습니다',
    },
    failed: {
      address: '주소를 찾지 못했습니다',
      connection: '연결하지 못했습니다',
      certificate: '인증서를 신뢰할 수 없습니다',
      answer: '발송사가 제때 응답하지 않았습니다',
      account: '계정이 거절되었습니다',
      message: '메시지가 거절되었습니다',
    },
    unknown: {
      answer: '발송사가 제때 응답하지 않아 메시지가 발송되었을 수 있습니다',
      message: '응답만으로는 접수 여부를 알 수 없습니다',
    },
    reports: '휴대폰을 확인하세요. 테스트의 전송 결과는 기다리지 않습니다.',
  },
})

/** Sends one real message by this carrier and shows its answer. */
export function openCarrierTest(carrier: Pick<ShownCarrier, 'name' | 'channels'>): void {
  const modalId = modals.open({
    title: wordsNow(providerWords).testOf(carrier.name),
    children: <CarrierTest carrier={carrier} onClose={() => modals.close(modalId)} />,
  })
}

type ShownTest = Awaited<ReturnType<typeof client.carriers.test>>

interface CarrierTestProps {
  carrier: Pick<ShownCarrier, 'name' | 'channels'>
  onClose(): void
}

function CarrierTest({ carrier: { name, channels }, onClose }: CarrierTestProps) {
  const say = useWords(providerWords)
  const common = useWords(frameWords)
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
      <TestFields
        isFirst
        channels={channels}
        channel={form.values.channel}
        to={form.field('to')}
        channelField={form.field('channel')}
        templateCode={form.field('templateCode', 'template-code')}
      />
      <div aria-live="polite">{form.answer && <TestOutcome {...form.answer} />}</div>
    </Form>
  )
}

const COLORS = { accepted: 'teal', refused: 'red', ambiguous: 'orange' } as const

export function TestOutcome({ kind, latencyMs, code, explanation, messageId, steps }: ShownTest) {
  const say = useWords(providerWords)
  const { steps: label, reports } = useWords(words)
  const formats = useFormats()
  return (
    <Stack gap="sm">
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
      <Steps label={label} since={0} steps={useStepViews(steps)} />
      {kind !== 'refused' && (
        <Text size="sm" c="dimmed">
          {reports}
        </Text>
      )}
    </Stack>
  )
}

/** The steps that were not reached are left out: the one before them says why. */
function useStepViews(steps: ShownTest['steps']): StepView[] {
  const { done, failed, unknown } = useWords(words)
  return steps.flatMap(({ name, state }): StepView[] => {
    if (state === 'not_reached') return []
    if (state === 'done') return [{ key: name, icon: IconCheck, tone: 'good', title: done[name] }]
    if (state === 'failed') return [{ key: name, icon: IconX, tone: 'bad', title: failed[name] }]
    const title = unknown[name as keyof typeof unknown] ?? failed[name]
    return [{ key: name, icon: IconQuestionMark, tone: 'doubtful', title }]
  })
}
