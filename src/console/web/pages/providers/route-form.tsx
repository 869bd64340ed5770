/** A route: for which channel, country and app, and the carriers in order. */
import { NativeSelect, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { LEGS } from '../../../../../contract/constants'
import { api, client, queries } from '../../api'
import { channelWords, countryName } from '../../i18n/delivery'
import { useLanguage } from '../../i18n/language'
import { useWords, wordsNow } from '../../i18n/words'
import { type ChosenCountry, CountryChoice } from '../../parts/country-choice'
import { Form, useServerForm } from '../../parts/form'
import { tellDone } from '../../parts/tell'
import type { ShownCarrier, ShownRoute } from './answers'
import { CarrierOrder } from './carrier-order'
import { routeWords } from './routes-words'

export interface RouteFormProps {
  apps: readonly { appId: string; name: string }[]
  carriers: readonly ShownCarrier[]
  /** One that is there: whose it is stays, the carriers change. */
  route?: ShownRoute
}

export function openRouteForm(props: RouteFormProps): void {
  const modalId = modals.open({
    title: props.route ? wordsNow(routeWords).change : wordsNow(routeWords).set,
    children: <RouteForm {...props} onClose={() => modals.close(modalId)} />,
  })
}

function RouteForm({ apps, carriers, route, onClose }: RouteFormProps & { onClose(): void }) {
  const say = useWords(routeWords)
  const channels = useWords(channelWords)
  const language = useLanguage()
  const form = useServerForm({
    initialValues: {
      channel: route?.channel ?? carriers[0]?.channels[0] ?? 'sms',
      country: route?.country as ChosenCountry,
      appId: route?.appId ?? '',
      providers: route?.providers ?? [],
    },
    validate: {
      // What was typed there may name no country.
      country: (country) => country === null,
      providers: (providers) => (providers.length === 0 ? say.none : undefined),
    },
    send: ({ channel, country, appId, providers }) =>
      client.carriers.setRoute({ channel, providers, ...(country && { country }), ...(appId && { appId }) }),
    onDone() {
      tellDone(say.saved)
      queries.invalidateQueries({ queryKey: api.carriers.key() })
      onClose()
    },
  })
  const { channel, country, appId } = form.values
  const able = carriers.filter((carrier) => carrier.channels.includes(channel)).map(({ name }) => name)
  const inCountry = country ? countryName(country, language) : say.everyCountry
  const ofApp = apps.find((app) => app.appId === appId)?.name ?? (appId || say.everyApp)
  return (
    <Form form={form} action={say.save} onCancel={onClose}>
      {route ? (
        <Text size="sm">{[channels[channel], inCountry, ofApp].join(' · ')}</Text>
      ) : (
        <>
          <NativeSelect
            data-autofocus
            label={say.channel}
            data={LEGS.map((value) => ({ value, label: channels[value] }))}
            value={channel}
            onChange={(event) =>
              form.set({ channel: event.currentTarget.value as ShownRoute['channel'], providers: [] })
            }
          />
          <CountryChoice
            label={say.country}
            description={say.countryHelp}
            none={say.everyCountry}
            {...form.field('country')}
          />
          <NativeSelect
            label={say.app}
            data={[{ value: '', label: say.everyApp }, ...apps.map((app) => ({ value: app.appId, label: app.name }))]}
            {...form.plainField('appId')}
          />
        </>
      )}
      <CarrierOrder able={able} {...form.field('providers')} />
    </Form>
  )
}
