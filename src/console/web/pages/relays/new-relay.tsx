/** Shows what to enter in the platform: the URL, and a new secret once. */
import { Button, Group, Stack, Text } from '@mantine/core'
import { frameWords } from '../../i18n/frame'
import { useWords } from '../../i18n/words'
import { CopyBlock, SecretOnce } from '../../parts/copy'
import { type CreatedRelay, relayWords } from './words'

export function NewRelayShown({ made: { source, url, secret }, onDone }: { made: CreatedRelay; onDone(): void }) {
  const say = useWords(relayWords)
  const common = useWords(frameWords)
  const settings = (
    <>
      <CopyBlock value={url} label={say.url} />
      <Text size="sm">{say.setup[source]}</Text>
    </>
  )
  if (secret !== undefined)
    return (
      <SecretOnce secret={secret} label={say.secret} onDone={onDone}>
        {settings}
      </SecretOnce>
    )
  return (
    <Stack>
      {settings}
      <Group justify="flex-end">
        <Button onClick={onDone}>{common.done}</Button>
      </Group>
    </Stack>
  )
}
