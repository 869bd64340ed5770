/** Form that replaces the secret of a relay by a new one of ours, or by the platform's. */
import { Text } from '@mantine/core'
import { platformMakesSecret } from '../../../../domain/relays/relay'
import { api, client, queries } from '../../api'
import { useWords } from '../../i18n/words'
import { Form, useServerForm } from '../../parts/form'
import { tellDone } from '../../parts/tell'
import { GivenSecretField } from './create-relay'
import { type CreatedRelay, relayWords, type ShownRelay } from './words'

interface ChangeSecretProps {
  of: ShownRelay
  /** There is a secret to show. */
  onChanged(made: CreatedRelay): void
  onCancel(): void
}

export function ChangeSecret({ of: { relayId, name, source, isReady }, onChanged, onCancel }: ChangeSecretProps) {
  const say = useWords(relayWords)
  const isGiven = platformMakesSecret(source)
  const form = useServerForm({
    initialValues: { secret: '' },
    send: ({ secret }) => client.relays.changeSecret({ relayId, ...(isGiven && { secret: secret.trim() }) }),
    async onDone(made) {
      await queries.invalidateQueries({ queryKey: api.relays.key() })
      if (made.secret !== undefined) return onChanged(made)
      tellDone(say.saved(name))
      onCancel()
    },
  })
  return (
    <Form form={form} action={say.changeSecret} onCancel={onCancel}>
      {isReady && <Text size="sm">{say.changeSecretMeans}</Text>}
      {isGiven && <GivenSecretField data-autofocus source={source} required {...form.field('secret')} />}
    </Form>
  )
}
