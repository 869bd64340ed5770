/** The button that pauses a carrier, which asks and says what it touches, or resumes it, which harms nobody. */
import { Button, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { api, queries } from '../../api'
import { useFormats } from '../../i18n/format'
import { channelWords } from '../../i18n/names'
import { useWords } from '../../i18n/words'
import { confirm } from '../../parts/confirm'
import { RowAction } from '../../parts/row-action'
import { tellDone, tellProblem } from '../../parts/tell'
import { providerWords, routesInWords, type ShownCarrier } from './words'

export function PauseButton({ carrier }: { carrier: ShownCarrier }) {
  const say = useWords(providerWords)
  const { name, state } = carrier
  const done = (message: string) => ({
    onSuccess() {
      tellDone(message)
      queries.invalidateQueries({ queryKey: api.carriers.key() })
    },
    onError: tellProblem,
  })
  const pause = useMutation(api.carriers.pause.mutationOptions(done(say.paused(name))))
  const resume = useMutation(api.carriers.resume.mutationOptions(done(say.resumed(name))))
  const ask = () =>
    confirm({
      title: say.pauseOf(name),
      consequence: <Consequence carrier={carrier} />,
      action: say.pause,
      run: () => pause.mutate({ name }),
    })
  return state === 'paused' ? (
    <Button
      size="compact-sm"
      aria-label={say.resumeOf(name)}
      loading={resume.isPending}
      onClick={() => resume.mutate({ name })}
    >
      {say.resume}
    </Button>
  ) : (
    <RowAction isDestructive name={say.pauseOf(name)} isBusy={pause.isPending} onClick={ask}>
      {say.pause}
    </RowAction>
  )
}

function Consequence({ carrier: { name, channels, inFlight } }: { carrier: ShownCarrier }) {
  const say = useWords(providerWords)
  const channelNames = useWords(channelWords)
  const formats = useFormats()
  const carriers = useQuery(api.carriers.list.queryOptions()).data?.providers ?? []
  const routes = useQuery(api.carriers.routes.queryOptions()).data?.routes ?? []
  const others = carriers.filter((other) => other.name !== name && other.state !== 'paused')
  const alone = channels.filter((channel) => !others.some((other) => other.channels.includes(channel)))
  const helping = others.filter((other) => other.channels.some((channel) => channels.includes(channel)))
  const closed = routes.filter(
    ({ channel, providers }) =>
      !alone.includes(channel) && providers.includes(name) && !others.some((other) => providers.includes(other.name)),
  )
  return (
    <Stack gap="xs">
      <Text size="sm">{say.pauseMeans(formats.number(inFlight))}</Text>
      {helping.length > 0 && <Text size="sm">{say.pauseOthers(helping.map((other) => other.name).join(', '))}</Text>}
      {alone.length > 0 && (
        <Text size="sm" fw={600}>
          {say.pauseLast(alone.map((channel) => channelNames[channel]).join(', '))}
        </Text>
      )}
      {closed.length > 0 && (
        <Text size="sm" fw={600}>
          {say.pauseRoutes(routesInWords(closed, say.everyCountry))}
        </Text>
      )}
    </Stack>
  )
}
