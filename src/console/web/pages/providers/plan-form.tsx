/** Form of a delivery plan: whose it is, and the ordered channels with their waits. */
import { NativeSelect, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { CHANNELS } from '../../../../../contract/constants'
import { RESENDS } from '../../../../domain/delivery/plan'
import { api, client, queries } from '../../api'
import { channelWords, countryName } from '../../i18n/names'
import { inWords, useLanguage, useWords, wordsNow } from '../../i18n/words'
import { CountriesChoice } from '../../parts/country-choice'
import { Form, useServerForm } from '../../parts/form'
import { tellDone } from '../../parts/tell'
import type { ShownApp } from '../../scope'
import { LegsField, type ShownLeg } from './legs-field'

export const planWords = inWords({
  en: {
    title: 'Delivery plans',
    about:
      'The channels by which codes of an app are sent. The next one starts when one fails, or when its time is up without a delivery. Without a plan, SMS goes by SMS, and AlimTalk falls back to SMS.',
    set: 'Set a delivery plan',
    change: 'Change the delivery plan',
    edit: 'Change',
    editOf: (plan: string) => `Change the delivery plan ${plan}`,
    remove: 'Remove',
    removeOf: (plan: string) => `Remove the delivery plan ${plan}`,
    removeMeans: 'New codes then go by the plan of every country, or by the usual channels.',
    removed: 'The delivery plan is removed',
    saved: 'The delivery plan is set',
    app: 'App',
    channel: 'Requested channel',
    country: 'Country',
    everyCountry: 'Every country',
    countries: 'Countries',
    countriesHelp: 'Type names or codes such as KR. Without any the plan is for every country.',
    legs: 'Channels, in order',
    none: 'Choose at least one channel.',
    resend: 'A code that is asked for again begins with',
    resends: { next: 'the channel after the last one', first: 'the first channel' },
    save: 'Set delivery plan',
    actions: 'Actions',
    emptyTitle: 'No delivery plans',
    emptyNext: 'Codes go by the channel that is asked for. Set a plan to try other channels first, or next.',
  },
  ko: {
    title: '발송 순서',
    about:
      '앱의 인증번호를 어떤 채널로 보낼지 정합니다. 한 채널이 실패하거나 정한 시간 안에 도달하지 않으면 다음 채널로 보냅니다. 정하지 않으면 SMS는 SMS로, 알림톡은 실패 시 SMS로 보냅니다.',
    set: '발송 순서 설정',
    change: '발송 순서 변경',
    edit: '변경',
    editOf: (plan) => `${plan} 발송 순서 변경`,
    remove: '삭제',
    removeOf: (plan) => `${plan} 발송 순서 삭제`,
    removeMeans: '이후의 인증번호는 모든 국가의 발송 순서나 기본 채널로 보냅니다.',
    removed: '발송 순서를 삭제했습니다',
    saved: '발송 순서를 설정했습니다',
    app: '앱',
    channel: '요청 채널',
    country: '국가',
    everyCountry: '모든 국가',
    countries: '국가',
    countriesHelp: '이름이나 KR 같은 코드를 입력하세요. 비워 두면 모든 국가에 적용합니다.',
    legs: '채널 순서',
    none: '채널을 하나 이상 선택하세요.',
    resend: '인증번호를 다시 요청하면',
    resends: { next: '마지막으로 쓴 채널의 다음 채널부터', first: '첫 채널부터' },
    save: '발송 순서 설정',
    actions: '작업',
    emptyTitle: '발송 순서가 없습니다',
    emptyNext: '요청받은 채널로 보냅니다. 다른 채널을 먼저 또는 다음에 쓰려면 발송 순서를 설정하세요.',
  },
})

export type ShownPlan = NonNullable<ShownApp['plans']>[number] & { appId: string }

interface PlanFormProps {
  app: { appId: string; name: string }
  /** An existing plan: only its legs can change. */
  plan?: ShownPlan
}

export function openPlanForm(props: PlanFormProps): void {
  const modalId = modals.open({
    title: props.plan ? wordsNow(planWords).change : wordsNow(planWords).set,
    children: <PlanForm {...props} onClose={() => modals.close(modalId)} />,
  })
}

function PlanForm({ app, plan, onClose }: PlanFormProps & { onClose(): void }) {
  const say = useWords(planWords)
  const channels = useWords(channelWords)
  const language = useLanguage()
  const form = useServerForm({
    initialValues: {
      channel: plan?.channel ?? 'sms',
      countries: plan?.country === undefined ? [] : [plan.country],
      legs: (plan?.legs ?? []) as readonly ShownLeg[],
      resend: plan?.resend ?? 'next',
    },
    validate: {
      legs: (legs) => (legs.length === 0 ? say.none : undefined),
    },
    send: ({ channel, countries, legs, resend }) =>
      client.apps.setPlan({
        ...{ appId: app.appId, channel, legs: [...legs], resend },
        ...(countries.length > 0 && { countries }),
      }),
    onDone() {
      tellDone(say.saved)
      queries.invalidateQueries({ queryKey: api.apps.key() })
      onClose()
    },
  })
  const { channel, countries } = form.values
  return (
    <Form form={form} action={say.save} onCancel={onClose}>
      <Text size="sm">
        {[
          app.name,
          ...(plan ? [channels[channel], plan.country ? countryName(plan.country, language) : say.everyCountry] : []),
        ].join(' · ')}
      </Text>
      {!plan && (
        <>
          <NativeSelect
            data-autofocus
            label={say.channel}
            data={CHANNELS.map((value) => ({ value, label: channels[value] }))}
            {...form.plainField('channel')}
          />
          <CountriesChoice
            label={say.countries}
            description={say.countriesHelp}
            placeholder={countries.length === 0 ? say.everyCountry : ''}
            {...form.field('countries', 'country')}
          />
        </>
      )}
      <LegsField label={say.legs} {...form.field('legs')} />
      {form.values.legs.length > 1 && (
        <NativeSelect
          label={say.resend}
          data={RESENDS.map((value) => ({ value, label: say.resends[value] }))}
          {...form.plainField('resend')}
        />
      )}
    </Form>
  )
}
