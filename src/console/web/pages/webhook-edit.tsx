/** A new endpoint, or the settings of one. */
import { Anchor, Button, Checkbox, Fieldset, Grid, Group, Stack, TextInput } from '@mantine/core'
import { IconWebhook } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { api, client, queries } from '../api'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import { EmptyState } from '../parts/empty-state'
import { useServerForm } from '../parts/form'
import { PageHeader } from '../parts/page-header'
import { ProblemNote } from '../parts/problem-note'
import { tellDone } from '../parts/tell'
import { useAppScope } from '../scope'
import { endpointDraft, formWords, newEndpoint, settingsOf } from './webhooks/draft'
import type { ShownEndpoint } from './webhooks/endpoint-state'
import { BodyFields, FilterFields, HeaderFields } from './webhooks/fields'
import { showSecret } from './webhooks/secret'
import { EVENT_TYPES, webhookWords } from './webhooks/words'

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

/** Form for a new or an existing endpoint. */
function EndpointForm({ known }: { known?: ShownEndpoint | undefined }) {
  const say = useWords(formWords)
  const words = useWords(webhookWords)
  const common = useWords(frameWords)
  const { appId, mode } = useAppScope()
  const navigate = useNavigate()
  const form = useServerForm({
    initialValues: known ? endpointDraft(known) : newEndpoint(),
    async send(draft): Promise<{ endpoint: Pick<ShownEndpoint, 'endpointId'>; secret?: string }> {
      const settings = settingsOf(draft)
      if (!known) return client.webhooks.add({ appId, mode, ...settings })
      return { endpoint: await client.webhooks.update({ endpointId: known.endpointId, ...settings }) }
    },
    async onDone({ endpoint: { endpointId }, secret }) {
      if (secret === undefined) tellDone(say.saved)
      else showSecret({ secret })
      await queries.invalidateQueries({ queryKey: api.webhooks.key() })
      await navigate({ to: '/webhooks/$endpointId', params: { endpointId } })
    },
  })
  const draft = { draft: form.values, onChange: form.set }
  return (
    <form onSubmit={form.submit}>
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <Stack>
            <TextInput
              label={words.url}
              description={say.urlHelp}
              type="url"
              required
              maxLength={2_048}
              placeholder="https://app.example.com/webhooks/otp"
              spellCheck={false}
              {...form.field('url')}
            />
            <Fieldset legend={words.events}>
              <Checkbox.Group aria-label={words.events} description={say.eventsHelp} {...form.field('events')}>
                <Stack gap="sm" mt="xs">
                  {EVENT_TYPES.map((type) => (
                    <Checkbox key={type} value={type} label={type} description={words.eventMeans[type]} />
                  ))}
                </Stack>
              </Checkbox.Group>
            </Fieldset>
            <FilterFields {...draft} />
            <HeaderFields {...draft} known={known?.headers ?? []} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <BodyFields {...draft} />
        </Grid.Col>
      </Grid>
      <Stack mt="lg">
        {form.failure && <ProblemNote failure={form.failure} />}
        <Group>
          <Button type="submit" loading={form.isPending}>
            {known ? say.save : say.add}
          </Button>
          <Button
            variant="default"
            onClick={() =>
              known
                ? navigate({ to: '/webhooks/$endpointId', params: { endpointId: known.endpointId } })
                : navigate({ to: '/webhooks' })
            }
          >
            {common.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
