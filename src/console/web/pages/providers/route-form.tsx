/** Form of a route: channel, country, app and ordered carriers. */
import { NativeSelect, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { LEGS } from '../../../../../contract/constants'
import { api, client, queries } from '../../api'
import { channelWords, countryName } from '../../i18n/names'
import { inWords, useLanguage, useWords, wordsNow } from '../../i18n/words'
import { CountriesChoice } from '../../parts/country-choice'
import { Form, useServerForm } from '../../parts/form'
import { OrderedChoice } from '../../parts/ordered-choice'
import { tellDone } from '../../parts/tell'
import type { ShownCarrier, ShownRoute } from './words'

interface RouteFormProps {
  apps: readonly { appId: string; name: string }[]
  carriers: readonly ShownCarrier[]
  /** An existing route: only its carriers can change. */
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
      countries: route?.country === undefined ? [] : [route.country],
      appId: route?.appId ?? '',
      providers: route?.providers ?? [],
    },
    validate: {
      providers: (providers) => (providers.length === 0 ? say.none : undefined),
    },
    send: ({ channel, countries, appId, providers }) =>
      client.carriers.setRoute({
        ...{ channel, providers },
        ...(countries.length > 0 && { countries }),
        ...(appId && { appId }),
      }),
    onDone() {
      tellDone(say.saved)
      queries.invalidateQueries({ queryKey: api.carriers.key() })
      onClose()
    },
  })
  const { channel, appId } = form.values
  const able = carriers.filter((carrier) => carrier.channels.includes(channel)).map(({ name }) => name)
  const inCountry = route?.country ? countryName(route.country, language) : say.everyCountry
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
          <CountriesChoice
            label={say.countries}
            description={say.countriesHelp}
            placeholder={form.values.countries.length === 0 ? say.everyCountry : ''}
            {...form.field('countries', 'country')}
          />
          <NativeSelect
            label={say.app}
            data={[{ value: '', label: say.everyApp }, ...apps.map((app) => ({ value: app.appId, label: app.name }))]}
            {...form.plainField('appId')}
          />
        </>
      )}
      <OrderedChoice
        label={say.carriers}
        able={able}
        add={say.addCarrier}
        noneLeft={say.noneLeft}
        {...form.field('providers')}
      />
    </Form>
  )
}

export const routeWords = inWords({
  en: {
    title: 'Routes',
    about:
      'The carriers of a channel, in order. The most specific route applies; without a route, every carrier of the channel is tried in the order it was added.',
    set: 'Set a route',
    edit: 'Change',
    change: 'Change the route',
    editOf: (route: string) => `Change the route ${route}`,
    remove: 'Remove',
    removeOf: (route: string) => `Remove the route ${route}`,
    removeMeans: 'Messages then use the next most specific route, or every carrier of the channel.',
    removed: 'The route is removed',
    saved: 'The route is set',
    channel: 'Channel',
    country: 'Country',
    everyCountry: 'Every country',
    countries: 'Countries',
    countriesHelp: 'Type names or codes such as KR. Without any the route is for every country.',
    app: 'App',
    everyApp: 'Every app',
    carriers: 'Carriers, in order',
    order: 'Order',
    actions: 'Actions',
    emptyTitle: 'No routes',
    emptyNext: 'Every carrier of a channel is tried in the order it was added. Set a route to choose.',
    addCarrier: 'Add a carrier',
    noneLeft: 'No other carrier is available',
    none: 'Choose at least one carrier.',
    save: 'Set route',
  },
  ko: {
    title: '경로',
    about:
      '채널을 전달할 발송사와 순서입니다. 조건이 가장 구체적인 경로를 사용하며, 경로가 없으면 해당 채널의 모든 발송사를 등록된 순서대로 사용합니다.',
    set: '경로 설정',
    edit: '변경',
    change: '경로 변경',
    editOf: (route) => `${route} 경로 변경`,
    remove: '삭제',
    removeOf: (route) => `${route} 경로 삭제`,
    removeMeans: '이후의 메시지는 그다음으로 구체적인 경로나 해당 채널의 모든 발송사를 사용합니다.',
    removed: '경로를 삭제했습니다',
    saved: '경로를 설정했습니다',
    channel: '채널',
    country: '국가',
    everyCountry: '모든 국가',
    countries: '국가',
    countriesHelp: '이름이나 KR 같은 코드를 입력하세요. 비워 두면 모든 국가에 적용합니다.',
    app: '앱',
    everyApp: '모든 앱',
    carriers: '발송사 순서',
    order: '순서',
    actions: '작업',
    emptyTitle: '경로가 없습니다',
    emptyNext: '채널의 모든 발송사를 등록된 순서대로 시도합니다. 직접 정하려면 경로를 설정하세요.',
    addCarrier: '발송사 추가',
    noneLeft: '더 추가할 발송사가 없습니다',
    none: '발송사를 하나 이상 선택하세요.',
    save: '경로 설정',
  },
})
