/** A route: for which channel, country and app, and the carriers in order. */
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { CHANNELS } from '../../../../../contract/channel'
import { api, queries } from '../../api'
import { channelWords, countryName } from '../../i18n/delivery'
import { frameWords } from '../../i18n/frame'
import { useLanguage } from '../../i18n/language'
import { useWords, wordsNow } from '../../i18n/words'
import { CountryChoice } from '../../parts/country-choice'
import { ProblemNote } from '../../parts/problem-note'
import { tellDone } from '../../parts/tell'
import type { Carrier, Route } from './answers'
import { CarrierOrder } from './carrier-order'
import { routeWords } from './routes-words'

export interface RouteFormProps {
  apps: readonly { appId: string; name: string }[]
  carriers: readonly Carrier[]
  /** One that is there: whose it is stays, the carriers change. */
  route?: Route
}

export function openRouteForm(props: RouteFormProps): void {
  const modalId = modals.open({
    title: props.route ? wordsNow(routeWords).change : wordsNow(routeWords).set,
    children: <RouteForm {...props} onClose={() => modals.close(modalId)} />,
  })
}

type Channel = Route['channel']

function RouteForm({ apps, carriers, route, onClose }: RouteFormProps & { onClose(): void }) {
  const say = useWords(routeWords)
  const common = useWords(frameWords)
  const channels = useWords(channelWords)
  const language = useLanguage()
  const [channel, setChannel] = useState<Channel>(route?.channel ?? carriers[0]?.channels[0] ?? 'sms')
  const [country, setCountry] = useState<string | undefined | null>(route?.country)
  const [appId, setAppId] = useState(route?.appId ?? '')
  const [order, setOrder] = useState<readonly string[]>(route?.providers ?? [])
  const save = useMutation(
    api.carriers.setRoute.mutationOptions({
      onSuccess() {
        tellDone(say.saved)
        queries.invalidateQueries({ queryKey: api.carriers.key() })
        onClose()
      },
    }),
  )
  const [isEmpty, setEmpty] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setEmpty(order.length === 0)
    // What was typed there names no country.
    if (country === null) return
    if (order.length > 0 && !save.isPending)
      save.mutate({ channel, providers: [...order], ...(country && { country }), ...(appId && { appId }) })
  }
  const able = carriers.filter((carrier) => carrier.channels.includes(channel)).map(({ name }) => name)
  const inCountry = country ? countryName(country, language) : say.everyCountry
  const ofApp = apps.find((app) => app.appId === appId)?.name ?? (appId || say.everyApp)
  return (
    <form onSubmit={submit}>
      <Stack>
        {route ? (
          <Text size="sm">{[channels[channel], inCountry, ofApp].join(' · ')}</Text>
        ) : (
          <>
            <NativeSelect
              data-autofocus
              label={say.channel}
              data={CHANNELS.map((value) => ({ value, label: channels[value] }))}
              value={channel}
              onChange={(event) => {
                setChannel(event.currentTarget.value as Channel)
                setOrder([])
              }}
            />
            <CountryChoice
              label={say.country}
              description={say.countryHelp}
              none={say.everyCountry}
              value={country}
              onChange={setCountry}
            />
            <NativeSelect
              label={say.app}
              data={[{ value: '', label: say.everyApp }, ...apps.map((app) => ({ value: app.appId, label: app.name }))]}
              value={appId}
              onChange={(event) => setAppId(event.currentTarget.value)}
            />
          </>
        )}
        <CarrierOrder
          order={order}
          able={able}
          error={isEmpty && order.length === 0 ? say.none : undefined}
          onChange={setOrder}
        />
        {save.isError && <ProblemNote failure={save.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {say.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
