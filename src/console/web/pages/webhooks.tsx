/** Webhook endpoints of an app in the current mode. */
import { Button, Stack, Text } from '@mantine/core'
import { IconPlus, IconWebhook } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../api'
import { frameWords } from '../i18n/frame'
import { refusalInWords } from '../i18n/refusals'
import { useWords } from '../i18n/words'
import { safetyNet } from '../live'
import { DataTable, fromList } from '../parts/data-table'
import { EmptyState } from '../parts/empty-state'
import { PageHeader } from '../parts/page-header'
import { AsWritten } from '../parts/text'
import { Time } from '../parts/time'
import { useAppScope } from '../scope'
import { useMay } from '../session'
import { EndpointState, whyDisabled } from './webhooks/endpoint-state'
import { webhookWords } from './webhooks/words'

export default function Webhooks() {
  const say = useWords(webhookWords)
  const common = useWords(frameWords)
  const may = useMay()
  const { appId, mode } = useAppScope()
  const list = useQuery(api.webhooks.list.queryOptions({ input: { appId }, refetchInterval: safetyNet }))
  const endpoints = list.data?.endpoints.filter((endpoint) => endpoint.mode === mode)
  const others = (list.data?.endpoints.length ?? 0) - (endpoints?.length ?? 0)
  const make = may('webhooks') && (
    <Button component={Link} to="/webhooks/edit" leftSection={<IconPlus size={16} aria-hidden />}>
      {say.make}
    </Button>
  )
  return (
    <>
      <PageHeader title={common.pages.webhooks} about={say.about}>
        {make}
      </PageHeader>
      <Stack>
        <DataTable
          {...fromList(endpoints, list)}
          label={common.pages.webhooks}
          keyOf={({ endpointId }) => endpointId}
          file={{ name: 'webhooks' }}
          linkOf={({ endpointId }) => ({ to: '/webhooks/$endpointId', params: { endpointId } })}
          columns={[
            { key: 'url', header: say.url, cell: ({ url }) => <AsWritten inherit>{url}</AsWritten> },
            {
              key: 'state',
              header: say.state,
              cell: (endpoint) => (
                <Stack gap={4} align="flex-start">
                  <EndpointState endpoint={endpoint} />
                  <Text size="xs" c="dimmed">
                    {endpoint.enabled ? endpoint.warning && refusalInWords(endpoint.warning) : whyDisabled(endpoint)}
                  </Text>
                </Stack>
              ),
            },
            {
              key: 'events',
              header: say.events,
              isMinor: true,
              cell: ({ events }) => (
                <Text size="xs" ff="monospace" maw={300}>
                  {events.join(', ')}
                </Text>
              ),
            },
            { key: 'created', header: say.created, isMinor: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
          ]}
          empty={
            <EmptyState icon={IconWebhook} title={say.emptyTitle[mode]} next={say.emptyNext}>
              {make}
            </EmptyState>
          }
        />
        {others > 0 && (
          <Text size="sm" c="dimmed" ta="center">
            {say.otherMode[mode](others)}
          </Text>
        )}
      </Stack>
    </>
  )
}
