/** Details of a delivery: attempts, request and a replay button. */
import { Badge, Button, Code, Drawer, Group, Stack, Text, Timeline, Title } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, type client, queries } from '../../api'
import { useFormats } from '../../i18n/format'
import { frameWords } from '../../i18n/frame'
import { inWords, useWords } from '../../i18n/words'
import { safetyNet } from '../../live'
import { CopyBlock, CopyButton } from '../../parts/copy'
import { ProblemNote } from '../../parts/problem-note'
import { tellDone, tellProblem } from '../../parts/tell'
import { AsWritten, RowLink } from '../../parts/text'
import { Time } from '../../parts/time'
import { useMay } from '../../session'
import type { ShownEndpoint } from './endpoint-state'

export const deliveryWords = inWords({
  en: {
    title: 'Deliveries',
    filter: 'Status',
    all: 'All',
    states: { pending: 'Pending', delivered: 'Delivered', failed: 'Failed' },
    type: 'Event',
    status: 'Status',
    attempts: 'Attempts',
    last: 'Last response',
    when: 'Time',
    next: 'Next retry',
    test: 'Test event',
    details: 'Details',
    detailsOf: (type: string, id: string) => `Details of ${type} ${id}`,
    emptyTitle: 'Nothing sent yet',
    emptyNext: 'Send a test event, or issue a code: its deliveries appear here.',
    emptyFiltered: 'No delivery has this status',
    emptyFilteredNext: 'Choose another status to see more.',
    replay: 'Replay',
    replayed: (count: number) => (count === 1 ? 'The event is being replayed' : `${count} events are being replayed`),
    replayAll: 'Replay failed events',
    replayAbout: 'Every event that failed since then is sent again, with a new schedule of retries.',
    since: 'Failed since',
    noAttempt: 'No attempt has been made yet.',
    nth: (n: number) => `Attempt ${n}`,
    took: (latency: string) => `took ${latency}`,
    noAnswer: 'No response',
    answer: 'First bytes of the response',
    request: 'Request',
    requestAbout: {
      sent: 'The request of the last attempt, rebuilt from the event and the current endpoint, since requests are not stored. If the endpoint was changed, the real request was different.',
      unsent: 'The request as it would be sent now. There was no attempt yet.',
    },
    noRequest: 'It cannot be shown: the event is deleted, or the template cannot be filled in.',
    headers: 'Headers',
    notShown: '(value not shown)',
    body: 'Payload',
    event: 'Event id',
    issue: 'Issue',
    endpoint: 'Endpoint',
  },
  ko: {
    title: '전송 기록',
    filter: '상태',
    all: '전체',
    states: { pending: '대기', delivered: '성공', failed: '실패' },
    type: '이벤트',
    status: '상태',
    attempts: '시도',
    last: '마지막 응답',
    when: '시각',
    next: '다음 재시도',
    test: '테스트 이벤트',
    details: '자세히',
    detailsOf: (type, id) => `${type} ${id} 자세히`,
    emptyTitle: '아직 보낸 이벤트가 없습니다',
    emptyNext: '테스트 이벤트를 보내거나 인증번호를 발급하면 결과가 여기에 표시됩니다.',
    emptyFiltered: '이 상태의 기록이 없습니다',
    emptyFilteredNext: '다른 상태를 선택해 보세요.',
    replay: '재전송',
    replayed: (count) => `이벤트 ${count}건을 재전송합니다`,
    replayAll: '실패한 이벤트 재전송',
    replayAbout: '선택한 시각 이후에 실패한 이벤트를 모두 재전송합니다. 재시도 일정도 처음부터 다시 시작합니다.',
    since: '실패 기준 시각',
    noAttempt: '아직 시도하지 않았습니다.',
    nth: (n) => `시도 ${n}`,
    took: (latency) => `${latency} 소요`,
    noAnswer: '응답 없음',
    answer: '응답의 첫 부분',
    request: '요청',
    requestAbout: {
      sent: '마지막 시도에서 보낸 요청입니다. 요청은 저장하지 않으므로 이벤트와 지금의 엔드포인트 설정으로 다시 만들었습니다. 그 뒤에 설정을 바꿨다면 실제로 보낸 것과 다릅니다.',
      unsent: '지금 보낸다면 이렇게 보냅니다. 아직 시도하지 않았습니다.',
    },
    noRequest: '표시할 수 없습니다. 이벤트가 삭제되었거나 템플릿을 채울 수 없습니다.',
    headers: '헤더',
    notShown: '(값은 표시하지 않음)',
    body: '페이로드',
    event: '이벤트 ID',
    issue: '발급 내역',
    endpoint: '엔드포인트',
  },
})

export type ShownDelivery = Awaited<ReturnType<typeof client.webhooks.events>>['rows'][number]

/** A delivery as the details show it, whether it was found at its endpoint or with its issue. */
type DetailedDelivery = Pick<
  ShownDelivery,
  'deliveryId' | 'eventId' | 'issueId' | 'type' | 'status' | 'attempts' | 'nextAttemptAt'
>

export const STATUS_COLORS = { pending: 'blue', delivered: 'teal', failed: 'red' } as const

interface DeliveryDetailsProps {
  endpoint: Pick<ShownEndpoint, 'endpointId' | 'url' | 'enabled'>
  delivery: DetailedDelivery | undefined
  onClose(): void
}

export function DeliveryDetails({ endpoint, delivery, onClose }: DeliveryDetailsProps) {
  const common = useWords(frameWords)
  // Keeps the content while the drawer closes.
  const [shown, setShown] = useState(delivery)
  useEffect(() => {
    if (delivery) setShown(delivery)
  }, [delivery])
  return (
    <Drawer
      opened={delivery !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title={shown?.type}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      {shown && <Details endpoint={endpoint} delivery={delivery ?? shown} />}
    </Drawer>
  )
}

function Details({ endpoint, delivery }: { endpoint: DeliveryDetailsProps['endpoint']; delivery: DetailedDelivery }) {
  const say = useWords(deliveryWords)
  const may = useMay()
  const { endpointId, enabled } = endpoint
  const { deliveryId, eventId, issueId, status } = delivery
  const attempts = useQuery(
    api.webhooks.attempts.queryOptions({
      input: { deliveryId },
      refetchInterval: safetyNet,
    }),
  )
  const replay = useMutation(
    api.webhooks.replay.mutationOptions({
      onSuccess({ replayed }) {
        tellDone(say.replayed(replayed))
        queries.invalidateQueries({ queryKey: api.issues.key() })
        return queries.invalidateQueries({ queryKey: api.webhooks.key() })
      },
      onError: tellProblem,
    }),
  )
  return (
    <Stack>
      <Group justify="space-between">
        <Badge variant="light" color={STATUS_COLORS[status]}>
          {say.states[status]}
        </Badge>
        {may('find') && (
          <Button
            size="xs"
            disabled={!enabled}
            loading={replay.isPending}
            leftSection={<IconRefresh size={14} aria-hidden />}
            onClick={() => replay.mutate({ endpointId, eventId })}
          >
            {say.replay}
          </Button>
        )}
      </Group>
      <Group gap={4} wrap="nowrap">
        <AsWritten size="sm">
          {say.event} <Code>{eventId}</Code>
        </AsWritten>
        <CopyButton value={eventId} what={say.event} />
      </Group>
      <Text size="sm">
        {say.endpoint}{' '}
        <RowLink to="/webhooks/$endpointId" params={{ endpointId }}>
          {endpoint.url}
        </RowLink>
      </Text>
      {issueId !== undefined && (
        <Text size="sm">
          {say.issue}{' '}
          <RowLink to="/issues/$issueId" params={{ issueId }}>
            {issueId}
          </RowLink>
        </Text>
      )}
      {delivery.nextAttemptAt !== undefined && (
        <Text size="sm">
          {say.next} <Time at={delivery.nextAttemptAt} relative />
        </Text>
      )}
      {attempts.isError && <ProblemNote failure={attempts.error} />}
      {attempts.data?.attempts.length === 0 && (
        <Text size="sm" c="dimmed">
          {say.noAttempt}
        </Text>
      )}
      <Timeline bulletSize={16} lineWidth={2}>
        {attempts.data?.attempts.map((attempt) => (
          <Timeline.Item key={attempt.number} title={say.nth(attempt.number)}>
            <Attempt {...attempt} />
          </Timeline.Item>
        ))}
      </Timeline>
      <Request deliveryId={deliveryId} attempts={delivery.attempts} />
    </Stack>
  )
}

interface AttemptProps {
  calledAt: number
  latencyMs: number
  status?: number | undefined
  error?: string | undefined
  answer?: string | undefined
}

function Attempt({ calledAt, latencyMs, status, error, answer }: AttemptProps) {
  const say = useWords(deliveryWords)
  const formats = useFormats()
  return (
    <Stack gap={4}>
      <Text size="sm" c="dimmed">
        <Time at={calledAt} /> · {say.took(formats.milliseconds(latencyMs))}
      </Text>
      <Text size="sm" fw={500}>
        {status === undefined ? say.noAnswer : `HTTP ${status}`}
        {error !== undefined && ` · ${error}`}
      </Text>
      {answer !== undefined && answer !== '' && (
        <div>
          <Text size="xs" c="dimmed">
            {say.answer}
          </Text>
          <Code block tabIndex={0} role="region" aria-label={say.answer}>
            {answer}
          </Code>
        </div>
      )}
    </Stack>
  )
}

/** Shows the last of `attempts`. */
function Request({ deliveryId, attempts }: { deliveryId: string; attempts: number }) {
  const say = useWords(deliveryWords)
  const found = useQuery(
    api.webhooks.request.queryOptions({
      input: { deliveryId, ...(attempts > 0 && { attempt: attempts }) },
      placeholderData: keepPreviousData,
    }),
  )
  if (found.isError) return <ProblemNote failure={found.error} />
  if (!found.data) return null
  const { request } = found.data
  return (
    <Stack gap="xs" component="section" aria-label={say.request}>
      <Title order={3} size="h5">
        {say.request}
      </Title>
      <Text size="sm" c="dimmed">
        {request ? say.requestAbout[request.sentAt === undefined ? 'unsent' : 'sent'] : say.noRequest}
      </Text>
      {request && (
        <>
          <CopyBlock
            label={say.headers}
            value={[
              `POST ${request.url}`,
              ...request.headers.map(({ name, value = say.notShown }) => `${name}: ${value}`),
            ].join('\n')}
          />
          <CopyBlock label={say.body} value={request.body} />
        </>
      )}
    </Stack>
  )
}
