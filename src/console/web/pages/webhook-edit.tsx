/** A new endpoint, or the settings of one. */
import { Anchor } from '@mantine/core'
import { IconWebhook } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { api } from '../api'
import { useWords } from '../i18n/words'
import { EmptyState } from '../parts/empty-state'
import { PageHeader } from '../parts/page-header'
import { useAppScope } from '../scope'
import { EndpointForm } from './webhooks/form'
import { formWords } from './webhooks/form-words'
import { webhookWords } from './webhooks/words'

export default function WebhookEdit() {
  const say = useWords(webhookWords)
  const form = useWords(formWords)
  const { appId, mode } = useAppScope()
  const { endpoint: endpointId } = useSearch({ from: '/inside/webhooks/edit' })
  const { endpoints } = useSuspenseQuery(api.webhooks.list.queryOptions({ input: { appId } })).data
  const known = endpoints.find((endpoint) => endpoint.endpointId === endpointId)
  const back = (
    <Anchor component={Link} to="/webhooks" size="sm">
      {say.back}
    </Anchor>
  )
  if (endpointId !== undefined && !known) return <EmptyState icon={IconWebhook} title={say.notFound} next={back} />
  return (
    <>
      <PageHeader title={known ? form.editTitle : form.newTitle[mode]} about={known?.url}>
        {back}
      </PageHeader>
      <EndpointForm key={`${appId} ${endpointId}`} known={known} />
    </>
  )
}
