/** Adds an endpoint, or changes one. */
import { Button, Checkbox, Fieldset, Grid, Group, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, queries } from '../../api'
import { frameWords } from '../../i18n/frame'
import { useWords } from '../../i18n/words'
import { ProblemNote } from '../../parts/problem-note'
import { tellDone } from '../../parts/tell'
import { useAppScope } from '../../scope'
import { BodyFields } from './body-fields'
import { type EndpointDraft, endpointDraft, newEndpoint, settingsOf } from './draft'
import type { Endpoint } from './endpoint-state'
import { FilterFields } from './filter-fields'
import { formWords } from './form-words'
import { HeaderFields } from './header-fields'
import { showSecret } from './secret'
import { EVENT_TYPES, type EventType, webhookWords } from './words'

export function EndpointForm({ known }: { known?: Endpoint | undefined }) {
  const say = useWords(formWords)
  const words = useWords(webhookWords)
  const common = useWords(frameWords)
  const { appId, mode } = useAppScope()
  const navigate = useNavigate()
  const [draft, setDraft] = useState(() => (known ? endpointDraft(known) : newEndpoint()))
  const change = (changes: Partial<EndpointDraft>) => setDraft((before) => ({ ...before, ...changes }))
  const open = async (endpointId: string) => {
    await queries.invalidateQueries({ queryKey: api.webhooks.key() })
    await navigate({ to: '/webhooks/$endpointId', params: { endpointId } })
  }
  const add = useMutation(
    api.webhooks.add.mutationOptions({
      async onSuccess({ endpoint, secret }) {
        showSecret({ secret })
        await open(endpoint.endpointId)
      },
    }),
  )
  const update = useMutation(
    api.webhooks.update.mutationOptions({
      async onSuccess({ endpointId }) {
        tellDone(say.saved)
        await open(endpointId)
      },
    }),
  )
  const doing = known ? update : add
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (doing.isPending) return
    const settings = settingsOf(draft)
    if (known) update.mutate({ endpointId: known.endpointId, ...settings })
    else add.mutate({ appId, mode, ...settings })
  }
  return (
    <form onSubmit={submit}>
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
              value={draft.url}
              spellCheck={false}
              onChange={(event) => change({ url: event.currentTarget.value })}
            />
            <Fieldset legend={words.events}>
              <Checkbox.Group
                aria-label={words.events}
                description={say.eventsHelp}
                value={draft.events}
                onChange={(value) => change({ events: value as EventType[] })}
              >
                <Stack gap="sm" mt="xs">
                  {EVENT_TYPES.map((type) => (
                    <Checkbox key={type} value={type} label={type} description={words.eventMeans[type]} />
                  ))}
                </Stack>
              </Checkbox.Group>
            </Fieldset>
            <FilterFields draft={draft} onChange={change} />
            <HeaderFields draft={draft} onChange={change} known={known?.headers ?? []} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <BodyFields draft={draft} onChange={change} />
        </Grid.Col>
      </Grid>
      <Stack mt="lg">
        {doing.isError && <ProblemNote failure={doing.error} />}
        <Group>
          <Button type="submit" loading={doing.isPending}>
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
