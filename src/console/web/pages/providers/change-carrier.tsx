/** Dialogs that change a carrier, rotate its credentials, and remove it. */
import { Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, client, queries } from '../../api'
import { useWords, wordsNow } from '../../i18n/words'
import { confirmByName } from '../../parts/confirm-by-name'
import { Loading } from '../../parts/empty-state'
import { ProblemNote } from '../../parts/problem-note'
import { tellDone } from '../../parts/tell'
import { CarrierForm } from './carrier-form'
import { TestOutcome } from './carrier-test'
import { TestFields } from './test-fields'
import { providerWords, routesInWords, type ShownRoute } from './words'

export function openCarrierChange(name: string): void {
  open(wordsNow(providerWords).changeOf(name), (onClose) => <ChangeCarrier name={name} onClose={onClose} />)
}

export function openRotation(name: string): void {
  open(wordsNow(providerWords).rotateOf(name), (onClose) => <ChangeCarrier name={name} isRotation onClose={onClose} />)
}

function open(title: string, contentOf: (onClose: () => void) => ReactNode): void {
  const modalId = modals.open({ title, size: 'lg', children: contentOf(() => modals.close(modalId)) })
}

interface ChangeCarrierProps {
  name: string
  isRotation?: boolean
  onClose(): void
}

function ChangeCarrier({ name, isRotation = false, onClose }: ChangeCarrierProps) {
  const say = useWords(providerWords)
  // The form begins with what is stored now.
  const asked = useQuery(api.carriers.settings.queryOptions({ input: { name }, gcTime: 0 }))
  if (asked.isError) return <ProblemNote failure={asked.error} />
  if (asked.isPending) return <Loading />
  const { type, channels, settings, secrets } = asked.data
  if (isRotation) return <RotateCarrier name={name} stored={asked.data} onClose={onClose} />
  return (
    <CarrierForm
      type={type}
      initialValues={{ name, channels, settings }}
      stored={secrets}
      action={say.save}
      send={(filled) => client.carriers.change(filled)}
      onDone={() => {
        tellDone(say.changed(name))
        queries.invalidateQueries({ queryKey: api.carriers.key() })
        onClose()
      }}
      onCancel={onClose}
    />
  )
}

interface RotateCarrierProps {
  name: string
  stored: Awaited<ReturnType<typeof client.carriers.settings>>
  onClose(): void
}

/** Asks for the secrets alone, and for the names of an account, which some vendors change with them. */
function RotateCarrier({ name, stored: { type, channels, settings, secrets }, onClose }: RotateCarrierProps) {
  const say = useWords(providerWords)
  const [channel, setChannel] = useState(channels[0] ?? 'sms')
  const [test, setTest] = useState({ to: '', templateCode: '' })
  const [report, setReport] = useState<Awaited<ReturnType<typeof client.carriers.rotate>>>()
  const credentials = type.settings.filter(
    ({ name: setting, secret, url, optional, default: given }) =>
      !url && (secret ? secrets.includes(setting) : !optional && given === undefined && setting in settings),
  )
  const typed = (field: keyof typeof test) => ({
    value: test[field],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      setTest((known) => ({ ...known, [field]: value })),
  })
  return (
    <CarrierForm
      type={{ ...type, channels: [], settings: credentials }}
      initialValues={{ name, channels, settings }}
      stored={secrets}
      action={say.rotateAction}
      send={({ settings }) => {
        setReport(undefined)
        const { to, templateCode } = test
        const order = { to, channel, ...(channel === 'alimtalk' && { templateCode: templateCode.trim() }) }
        return client.carriers.rotate({ name, channels, settings, test: order })
      }}
      onDone={(answer) => {
        queries.invalidateQueries({ queryKey: api.carriers.key() })
        if (!answer.isRotated) return setReport(answer)
        tellDone(say.rotated(name))
        onClose()
      }}
      onCancel={onClose}
      before={
        <Text size="sm" c="dimmed">
          {say.rotateMeans}
        </Text>
      }
    >
      <TestFields
        channels={channels}
        channel={channel}
        to={typed('to')}
        channelField={{
          value: channel,
          onChange: (event: { currentTarget: { value: string } }) =>
            setChannel(channels.find((one) => one === event.currentTarget.value) ?? channel),
        }}
        templateCode={typed('templateCode')}
      />
      <div aria-live="polite">
        {report && (
          <Stack gap="xs">
            <TestOutcome {...report} />
            <Text size="sm" fw={600}>
              {say.notRotated}
            </Text>
          </Stack>
        )}
      </div>
    </CarrierForm>
  )
}

/** `routes`: those that name it. */
export function removeCarrier(name: string, routes: readonly ShownRoute[]): void {
  const say = wordsNow(providerWords)
  const inWords = routesInWords(routes, say.everyCountry)
  confirmByName({
    title: say.removeOf(name),
    name,
    consequence: [say.removeMeans, ...(routes.length > 0 ? [say.removeRoutes(inWords)] : [])].join(' '),
    action: say.remove,
    async run() {
      await client.carriers.remove({ name })
      tellDone(say.removed(name))
      await queries.invalidateQueries({ queryKey: api.carriers.key() })
    },
  })
}
