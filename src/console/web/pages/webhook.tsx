/** One endpoint: how it is, how it is set, and what it was told. */
import { Alert, Anchor, Stack } from '@mantine/core'
import { IconAlertTriangle, IconPlayerPause, IconWebhook } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { api } from '../api'
import { refusalInWords } from '../i18n/refusals'
import { useWords } from '../i18n/words'
import { AsWritten } from '../parts/as-written'
import { EmptyState } from '../parts/empty-state'
import { PageHeader } from '../parts/page-header'
import { useAppScope } from '../scope'
import { EndpointActions } from './webhooks/actions'
import { Deliveries } from './webhooks/deliveries'
import { whyDisabled } from './webhooks/endpoint-state'
import { EndpointSettings } from './webhooks/settings'
import { webhookWords } from './webhooks/words'

export default function Webhook() {
  const say = useWords(webhookWords)
  const { appId } = useAppScope()
  const { endpointId } = useParams({ from: '/inside/webhooks/$endpointId' })
  const { endpoints } = useSuspenseQuery(
    api.webhooks.list.queryOptions({ input: { appId }, refetchInterval: 3_000 }),
  ).data
  const endpoint = endpoints.find((one) => one.endpointId === endpointId)
  const back = (
    <Anchor component={Link} to="/webhooks" size="sm">
      {say.back}
    </Anchor>
  )
  if (!endpoint) return <EmptyState icon={IconWebhook} title={say.notFound} next={back} />
  return (
    <>
      <PageHeader
        title={say.title}
        about={
          <AsWritten component="span" inherit>
            {endpoint.url}
          </AsWritten>
        }
      >
        <EndpointActions endpoint={endpoint} />
      </PageHeader>
      <Stack gap="lg">
        {!endpoint.enabled && (
          <Alert color="gray" icon={<IconPlayerPause aria-hidden />} title={say.disabledTitle}>
            {whyDisabled(endpoint)}
          </Alert>
        )}
        {endpoint.warning !== undefined && (
          <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={say.warningTitle}>
            {say.warningNext} {refusalInWords(endpoint.warning)}
          </Alert>
        )}
        <EndpointSettings endpoint={endpoint} />
        <Deliveries endpoint={endpoint} />
        <div>{back}</div>
      </Stack>
    </>
  )
}
