/** Form that creates a relay in the mode of the page. */
import { NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { platformMakesSecret, RELAY_SOURCES, type RelaySource } from '../../../../domain/relays/relay'
import { api, client, queries } from '../../api'
import { useWords } from '../../i18n/words'
import { Form, useServerForm } from '../../parts/form'
import { useAppScope } from '../../scope'
import { LegsField, type ShownLeg } from '../providers/legs-field'
import { type CreatedRelay, relayWords } from './words'

interface CreateRelayProps {
  onCreated(made: CreatedRelay): void
  onCancel(): void
}

export function CreateRelay({ onCreated, onCancel }: CreateRelayProps) {
  const say = useWords(relayWords)
  const { appId, mode } = useAppScope()
  const templates = useQuery(api.templates.list.queryOptions({ input: { appId } })).data?.templates ?? []
  const form = useServerForm({
    initialValues: {
      name: '',
      source: RELAY_SOURCES[0] as RelaySource,
      secret: '',
      templateId: '',
      legs: [] as readonly ShownLeg[],
    },
    send: ({ name, source, secret, templateId, legs }) =>
      client.relays.create({
        ...{ appId, mode, name: name.trim(), source },
        ...(platformMakesSecret(source) && secret.trim() !== '' && { secret: secret.trim() }),
        ...(templateId !== '' && { templateId }),
        ...(legs.length > 0 && { legs: [...legs] }),
      }),
    async onDone(made) {
      await queries.invalidateQueries({ queryKey: api.relays.key() })
      onCreated(made)
    },
  })
  const { source } = form.values
  return (
    <Form form={form} action={say.create} onCancel={onCancel}>
      <TextInput
        data-autofocus
        label={say.name}
        description={say.nameAbout}
        placeholder="login"
        required
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        {...form.field('name')}
      />
      <NativeSelect
        label={say.source}
        data={RELAY_SOURCES.map((value) => ({ value, label: say.sources[value] }))}
        {...form.field('source')}
      />
      {platformMakesSecret(source) && <GivenSecretField source={source} {...form.field('secret')} />}
      <NativeSelect
        label={say.template}
        data={[
          { value: '', label: say.platformText },
          ...templates.map(({ templateId, name }) => ({ value: templateId, label: name })),
        ]}
        {...form.field('templateId')}
      />
      <LegsField label={say.legs} {...form.field('legs')} />
    </Form>
  )
}

type GivenSecretProps = Omit<React.ComponentProps<typeof TextInput>, 'label'> & { source: RelaySource }

/** The secret that the platform has made. */
export function GivenSecretField({ source, ...field }: GivenSecretProps) {
  const say = useWords(relayWords)
  return (
    <TextInput
      label={say.givenSecret}
      description={say.givenSecretAbout(say.sources[source])}
      maxLength={256}
      autoComplete="off"
      spellCheck={false}
      {...field}
    />
  )
}
