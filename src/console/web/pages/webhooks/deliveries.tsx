/** Live list of the deliveries of an endpoint. */

import { Badge, Button, Group, SegmentedControl, Stack, Text, TextInput, Title } from '@mantine/core'
import { modals } from '@mantine/modals'
import { IconMailForward } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { isoAt, timeOfWall } from '../../../../domain/shared/time-zone'
import { DAY_MS } from '../../../../domain/shared/value'
import { api, client, paging, queries } from '../../api'
import { useFormats } from '../../i18n/format'
import { frameWords } from '../../i18n/frame'
import { useWords, wordsNow } from '../../i18n/words'
import { safetyNetWhileShort } from '../../live'
import { DataTable, fromPages } from '../../parts/data-table'
import { EmptyState } from '../../parts/empty-state'
import { Form, useServerForm } from '../../parts/form'
import { RowAction } from '../../parts/row-action'
import { tellDone } from '../../parts/tell'
import { AsWritten } from '../../parts/text'
import { Time } from '../../parts/time'
import { useMay } from '../../session'
import { timeZone } from '../../time-zone'
import { DeliveryDetails, deliveryWords, type ShownDelivery, STATUS_COLORS } from './delivery-details'
import type { ShownEndpoint } from './endpoint-state'

export function Deliveries({ endpoint }: { endpoint: ShownEndpoint }) {
  const say = useWords(deliveryWords)
  const common = useWords(frameWords)
  const formats = useFormats()
  const may = useMay()
  const { endpointId, enabled } = endpoint
  const [status, setStatus] = useState<'all' | ShownDelivery['status']>('all')
  const [opened, setOpened] = useState<string>()
  const asked = { endpointId, ...(status !== 'all' && { status }) }
  const deliveries = useInfiniteQuery(
    api.webhooks.events.infiniteOptions({
      input: (after: string | undefined) => ({ ...asked, after }),
      ...paging,
      refetchInterval: safetyNetWhileShort,
    }),
  )
  const pages = fromPages(deliveries)
  const { all, states } = say
  return (
    <div>
      <Group justify="space-between" mb="sm">
        <Title order={2}>{say.title}</Title>
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label={say.filter}
            value={status}
            data={[
              { value: 'all', label: all },
              ...(['pending', 'delivered', 'failed'] as const).map((value) => ({ value, label: states[value] })),
            ]}
            onChange={(value) => setStatus(value as typeof status)}
          />
          {may('find') && (
            <Button size="xs" variant="default" disabled={!enabled} onClick={() => openReplay(endpointId)}>
              {say.replayAll}
            </Button>
          )}
        </Group>
      </Group>
      <DataTable
        {...pages}
        label={say.title}
        keyOf={({ deliveryId }) => deliveryId}
        file={{ name: 'deliveries', load: (after) => client.webhooks.events({ ...asked, after, limit: 200 }) }}
        columns={[
          {
            key: 'type',
            header: say.type,
            cell: ({ type, issueId }) => (
              <Stack gap={2} align="flex-start">
                <Text size="sm" ff="monospace">
                  {type}
                </Text>
                {issueId === undefined && (
                  <Text size="xs" c="dimmed">
                    {say.test}
                  </Text>
                )}
              </Stack>
            ),
          },
          {
            key: 'status',
            header: say.status,
            cell: (row) => (
              <Badge variant="light" color={STATUS_COLORS[row.status]}>
                {states[row.status]}
              </Badge>
            ),
          },
          { key: 'when', header: say.when, isMinor: true, cell: ({ createdAt }) => <Time at={createdAt} relative /> },
          {
            key: 'attempts',
            header: say.attempts,
            isNumber: true,
            isMinor: true,
            cell: ({ attempts }) => formats.number(attempts),
          },
          {
            key: 'last',
            header: say.last,
            isMinor: true,
            cell: ({ lastStatus, lastError }) => {
              const answer = [lastStatus, lastError].filter((part) => part !== undefined).join(' · ') || common.none
              return (
                <AsWritten size="sm" maw={260} lineClamp={2} title={answer}>
                  {answer}
                </AsWritten>
              )
            },
          },
          {
            key: 'next',
            header: say.next,
            isMinor: true,
            cell: ({ nextAttemptAt }) =>
              nextAttemptAt === undefined ? common.none : <Time at={nextAttemptAt} relative />,
          },
          {
            key: 'details',
            header: say.details,
            cell: ({ deliveryId, type, eventId }) => (
              <RowAction name={say.detailsOf(type, eventId)} onClick={() => setOpened(deliveryId)}>
                {say.details}
              </RowAction>
            ),
          },
        ]}
        empty={
          <EmptyState
            icon={IconMailForward}
            title={status === 'all' ? say.emptyTitle : say.emptyFiltered}
            next={status === 'all' ? say.emptyNext : say.emptyFilteredNext}
          />
        }
      />
      <DeliveryDetails
        endpoint={endpoint}
        delivery={pages.rows?.find(({ deliveryId }) => deliveryId === opened)}
        onClose={() => setOpened(undefined)}
      />
    </div>
  )
}

/** Replays every event that failed since a time. */
function openReplay(endpointId: string): void {
  const modalId = modals.open({
    title: wordsNow(deliveryWords).replayAll,
    children: <Replay endpointId={endpointId} onClose={() => modals.close(modalId)} />,
  })
}

/** A time in the format of the browser's field. */
const localText = (at: number) => isoAt(at, timeZone()).slice(0, 16)

function Replay({ endpointId, onClose }: { endpointId: string; onClose(): void }) {
  const say = useWords(deliveryWords)
  const form = useServerForm({
    initialValues: { since: localText(Date.now() - DAY_MS) },
    send: ({ since }) => client.webhooks.replay({ endpointId, since: timeOfWall(Date.parse(`${since}Z`), timeZone()) }),
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
