/** One event for one endpoint: every attempt, and another one if it is asked for. */
import { Badge, Button, Code, Drawer, Group, Stack, Text, Timeline } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, queries } from '../../api'
import { useFormats } from '../../i18n/format'
import { frameWords } from '../../i18n/frame'
import { useWords } from '../../i18n/words'
import { AsWritten } from '../../parts/as-written'
import { CopyButton } from '../../parts/copy'
import { ProblemNote } from '../../parts/problem-note'
import { RowLink } from '../../parts/row-link'
import { tellDone, tellProblem } from '../../parts/tell'
import { Time } from '../../parts/time'
import { useMay } from '../../session'
import { type ShownDelivery, STATUS_COLORS } from './delivery'
import { deliveryWords } from './delivery-words'
import type { ShownEndpoint } from './endpoint-state'
import { Request } from './request'

export interface DeliveryDetailsProps {
  endpoint: ShownEndpoint
  delivery: ShownDelivery | undefined
  onClose(): void
}

export function DeliveryDetails({ endpoint, delivery, onClose }: DeliveryDetailsProps) {
  const common = useWords(frameWords)
  // What was shown stays while the drawer slides out.
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

function Details({ endpoint, delivery }: { endpoint: ShownEndpoint; delivery: ShownDelivery }) {
  const say = useWords(deliveryWords)
  const may = useMay()
  const { endpointId, enabled } = endpoint
  const { deliveryId, eventId, issueId, status } = delivery
  const attempts = useQuery(
    api.webhooks.attempts.queryOptions({
      input: { deliveryId },
      refetchInterval: status === 'pending' ? 1_000 : 5_000,
    }),
  )
  const replay = useMutation(
    api.webhooks.replay.mutationOptions({
      onSuccess({ replayed }) {
        tellDone(say.replayed(replayed))
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
        {may('webhooks') && (
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
