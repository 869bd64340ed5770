/** Dialog of the prices of carriers: a table, and a form that sets one. */
import { Autocomplete, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { modals } from '@mantine/modals'
import { IconCoin } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { LEGS, type Leg } from '../../../../../contract/constants'
import { dayAt } from '../../../../domain/shared/time-zone'
import { api, client, queries } from '../../api'
import { channelWords, countryWithCode } from '../../i18n/names'
import { inWords, useLanguage, useWords, wordsNow } from '../../i18n/words'
import { confirm } from '../../parts/confirm'
import { type ChosenCountry, CountryChoice } from '../../parts/country-choice'
import { DataTable, fromList } from '../../parts/data-table'
import { EmptyState } from '../../parts/empty-state'
import { Form, useServerForm } from '../../parts/form'
import { RowAction } from '../../parts/row-action'
import { Section } from '../../parts/section'
import { tellDone, tellProblem } from '../../parts/tell'
import { useMay } from '../../session'
import { timeZone } from '../../time-zone'
import { usageWords } from './words'

const words = inWords({
  en: {
    about:
      'What a message costs at a carrier. Of the prices for a message the one with the most fields counts, from its first day on. Reports of the past change with them.',
    list: 'Prices',
    carrier: 'Carrier',
    country: 'Country',
    channel: 'Channel',
    any: 'Any',
    amount: 'Price of one message',
    currency: 'Currency',
    from: 'From',
    actions: 'Actions',
    remove: 'Remove',
    removeOf: (price: string) => `Remove the price ${price}`,
    removeTitle: 'Remove this price?',
    removeText: (price: string) => `${price} no longer counts, also in reports of the past. Set it again to undo this.`,
    removed: 'The price is removed.',
    empty: 'No prices',
    emptyNext: 'Reports count messages without cost.',
    setTitle: 'Set a price',
    setAbout: 'It replaces the price of the same messages from the same day.',
    set: 'Set price',
    done: (price: string) => `The price is ${price}.`,
  },
  ko: {
    about:
      '발송사에 내는 메시지 한 건의 가격입니다. 한 메시지에 맞는 가격 중 조건이 가장 많은 것이 시작일부터 적용됩니다. 지난 보고서도 함께 바뀝니다.',
    list: '가격',
    carrier: '발송사',
    country: '국가',
    channel: '채널',
    any: '전체',
    amount: '메시지 한 건의 가격',
    currency: '통화',
    from: '시작일',
    actions: '작업',
    remove: '삭제',
    removeOf: (price) => `가격 ${price} 삭제`,
    removeTitle: '이 가격을 삭제할까요?',
    removeText: (price) =>
      `${price} 가격을 지난 보고서에서도 더 이상 적용하지 않습니다. 다시 설정하면 되돌릴 수 있습니다.`,
    removed: '가격을 삭제했습니다.',
    empty: '가격이 없습니다',
    emptyNext: '보고서는 비용 없이 메시지 수만 집계합니다.',
    setTitle: '가격 설정',
    setAbout: '같은 메시지와 같은 시작일의 가격이 있으면 바꿉니다.',
    set: '가격 설정',
    done: (price) => `가격을 ${price}(으)로 설정했습니다.`,
  },
})

export const openPrices = (): void => {
  modals.open({
    title: wordsNow(usageWords).prices,
    size: 'xl',
    children: <Prices />,
  })
}

type ListedPrice = Awaited<ReturnType<typeof client.prices.list>>['prices'][number]

const priceText = ({ amount, currency }: { amount: string; currency: string }) => `${amount} ${currency}`

/** Reports and the list show the change. */
const refresh = () =>
  Promise.all([api.prices.key(), api.usage.report.key()].map((queryKey) => queries.invalidateQueries({ queryKey })))

function Prices() {
  const say = useWords(words)
  const channels = useWords(channelWords)
  const language = useLanguage()
  const mayChange = useMay()('finance')
  const query = useQuery(api.prices.list.queryOptions())
  const remove = useMutation(
    api.prices.remove.mutationOptions({
      async onSuccess() {
        await refresh()
        tellDone(say.removed)
      },
      onError: tellProblem,
    }),
  )
  const askToRemove = (price: ListedPrice) =>
    confirm({
      title: say.removeTitle,
      consequence: say.removeText(priceText(price)),
      action: say.remove,
      run: () => remove.mutate({ priceId: price.priceId }),
    })
  const prices = query.data?.prices
  return (
    <Stack>
      <Text size="sm">{say.about}</Text>
      <DataTable<ListedPrice>
        {...fromList(prices, query)}
        label={say.list}
        keyOf={({ priceId }) => priceId}
        columns={[
          { key: 'carrier', header: say.carrier, cell: ({ carrier }) => carrier || say.any, isHeading: true },
          {
            key: 'country',
            header: say.country,
            cell: ({ country }) => (country ? countryWithCode(country, language) : say.any),
          },
          { key: 'channel', header: say.channel, cell: ({ channel }) => (channel ? channels[channel] : say.any) },
          { key: 'amount', header: say.amount, cell: priceText, isNumber: true, isUnbroken: true },
          { key: 'from', header: say.from, cell: ({ validFrom }) => validFrom, isUnbroken: true },
          mayChange && {
            key: 'actions',
            header: say.actions,
            cell: (price) => (
              <RowAction isDestructive name={say.removeOf(priceText(price))} onClick={() => askToRemove(price)}>
                {say.remove}
              </RowAction>
            ),
          },
        ]}
        file={{ name: 'prices' }}
        empty={<EmptyState icon={IconCoin} title={say.empty} next={say.emptyNext} />}
      />
      {mayChange && (
        <Section title={say.setTitle} about={say.setAbout}>
          <SetPrice />
        </Section>
      )}
    </Stack>
  )
}

function SetPrice() {
  const say = useWords(words)
  const channels = useWords(channelWords)
  const carriers = useQuery(api.carriers.list.queryOptions()).data?.providers ?? []
  const form = useServerForm({
    initialValues: {
      ...{ carrier: '', country: undefined as ChosenCountry, channel: '' as Leg | '' },
      ...{ amount: '', currency: '', validFrom: dayAt(Date.now(), timeZone()) },
    },
    send: ({ country, currency, ...price }) =>
      client.prices.set({ ...price, country: country ?? '', currency: currency.trim().toUpperCase() }),
    async onDone(price) {
      await refresh()
      form.set({ amount: '' })
      tellDone(say.done(priceText(price)))
    },
  })
  return (
    <Form form={form} action={say.set} disabled={form.values.country === null}>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <Autocomplete
          label={say.carrier}
          placeholder={say.any}
          data={carriers.map(({ name }) => name)}
          {...form.field('carrier')}
        />
        <CountryChoice label={say.country} none={say.any} {...form.field('country')} />
        <NativeSelect
          label={say.channel}
          data={[{ value: '', label: say.any }, ...LEGS.map((leg) => ({ value: leg, label: channels[leg] }))]}
          {...form.field('channel')}
        />
        <TextInput
          label={say.amount}
          placeholder="0.0079"
          inputMode="decimal"
          required
          maxLength={12}
          autoComplete="off"
          {...form.field('amount')}
        />
        <TextInput
          label={say.currency}
          placeholder="KRW"
          required
          maxLength={3}
          autoComplete="off"
          {...form.field('currency')}
        />
        <TextInput type="date" label={say.from} required {...form.field('validFrom')} />
      </SimpleGrid>
    </Form>
  )
}
