/** Dialog that says which carrier would get a code for a number now, and why. The number is kept nowhere. */
import { Alert, Badge, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { modals } from '@mantine/modals'
import { CHANNELS } from '../../../../../contract/constants'
import { client } from '../../api'
import { frameWords } from '../../i18n/frame'
import { channelWords, countryWithCode } from '../../i18n/names'
import { kindWords, ruleWords } from '../../i18n/protection'
import { inWords, useLanguage, useWords, wordsNow } from '../../i18n/words'
import { Form, useServerForm } from '../../parts/form'
import { AsWritten } from '../../parts/text'
import type { ShownApp } from '../../scope'
import { Legs } from './legs-field'

export const explainWords = inWords({
  en: {
    open: 'Check a number',
    title: 'Which carrier would this number get?',
    about: 'For a code that is asked for now. Nothing is sent, and the number is not stored.',
    to: 'Phone number',
    app: 'App',
    channel: 'Requested channel',
    kind: 'Key',
    ask: 'Check',
    refused: 'The code would be refused',
    allowed: 'No rule refuses the code',
    plan: 'By the delivery plan:',
    noPlan: 'Without a delivery plan:',
    route: (of: string) => `Route ${of}`,
    everyCountry: 'of every country',
    noRoute: 'No route: every carrier of the channel, in the order it was added',
    absent: 'The phone is known not to be on this channel, so it is passed over.',
    nobody: 'No carrier serves this channel here, so it is passed over.',
    states: {
      next: 'First',
      later: 'If those before refuse',
      unhealthy: 'Unhealthy',
      paused: 'Paused',
      unheeded: 'Not in the route',
    },
  },
  ko: {
    open: '번호 확인',
    title: '이 번호는 어느 발송사로 보낼까요?',
    about: '지금 요청하는 인증번호를 기준으로 합니다. 아무것도 보내지 않으며 번호를 저장하지 않습니다.',
    to: '휴대폰 번호',
    app: '앱',
    channel: '요청 채널',
    kind: '키',
    ask: '확인',
    refused: '인증번호가 거절됩니다',
    allowed: '거절하는 규칙이 없습니다',
    plan: '발송 순서 적용:',
    noPlan: '발송 순서 없음:',
    route: (of) => `${of} 경로`,
    everyCountry: '모든 국가',
    noRoute: '경로 없음: 해당 채널의 모든 발송사를 등록된 순서대로 사용',
    absent: '이 휴대폰은 이 채널을 사용하지 않아 건너뜁니다.',
    nobody: '이 채널을 보내는 발송사가 없어 건너뜁니다.',
    states: {
      next: '가장 먼저',
      later: '앞의 발송사가 거절하면',
      unhealthy: '장애',
      paused: '일시 중지',
      unheeded: '경로에 없음',
    },
  },
})

export function openExplainRoute(apps: readonly ShownApp[], appId: string): void {
  const modalId = modals.open({
    title: wordsNow(explainWords).title,
    size: 'lg',
    children: <ExplainRoute apps={apps} appId={appId} onClose={() => modals.close(modalId)} />,
  })
}

const KINDS = ['sk', 'pk'] as const

interface ExplainRouteProps {
  apps: readonly ShownApp[]
  appId: string
  onClose(): void
}

function ExplainRoute({ apps, appId, onClose }: ExplainRouteProps) {
  const say = useWords(explainWords)
  const channels = useWords(channelWords)
  const kinds = useWords(kindWords)
  const common = useWords(frameWords)
  const form = useServerForm({
    initialValues: { to: '', appId, channel: 'sms' as (typeof CHANNELS)[number], kind: 'sk' as (typeof KINDS)[number] },
    send: (asked) => client.carriers.explain(asked),
  })
  return (
    <Form form={form} action={say.ask} cancel={common.done} onCancel={onClose}>
      <Text size="sm" c="dimmed">
        {say.about}
      </Text>
      <TextInput
        data-autofocus
        label={say.to}
        type="tel"
        required
        autoComplete="off"
        placeholder="+82 10-1234-5678"
        {...form.field('to', 'phoneNumber')}
      />
      <Group grow align="flex-start" preventGrowOverflow={false}>
        {apps.length > 1 && (
          <NativeSelect
            label={say.app}
            title={apps.find(({ appId }) => appId === form.values.appId)?.name}
            data={apps.map((app) => ({ value: app.appId, label: app.name }))}
            {...form.field('appId')}
          />
        )}
        <NativeSelect
          label={say.channel}
          data={CHANNELS.map((value) => ({ value, label: channels[value] }))}
          {...form.field('channel')}
        />
        <NativeSelect
          label={say.kind}
          data={KINDS.map((value) => ({ value, label: kinds[value] }))}
          {...form.field('kind')}
        />
      </Group>
      <div aria-live="polite">{form.answer && <Explained {...form.answer} apps={apps} />}</div>
    </Form>
  )
}

type ShownExplanation = Awaited<ReturnType<typeof client.carriers.explain>>

function Explained({ country, isPlanned, refusals, legs, apps }: ShownExplanation & Pick<ExplainRouteProps, 'apps'>) {
  const say = useWords(explainWords)
  const rules = useWords(ruleWords)
  const language = useLanguage()
  return (
    <Stack gap="sm">
      {refusals.length > 0 ? (
        <Alert color="red" title={say.refused}>
          {refusals.map((rule) => rules[rule]).join(', ')}
        </Alert>
      ) : (
        <Alert color="teal" title={say.allowed} />
      )}
      <Text size="sm">
        {country !== undefined && `${countryWithCode(country, language)} · `}
        {isPlanned ? say.plan : say.noPlan} <Legs of={legs} />
      </Text>
      {legs.map((leg) => (
        <ExplainedLeg key={leg.channel} leg={leg} apps={apps} />
      ))}
    </Stack>
  )
}

const COLORS = { next: 'teal', later: 'gray', unhealthy: 'red', paused: 'yellow', unheeded: 'gray' } as const

function ExplainedLeg({ leg, apps }: { leg: ShownExplanation['legs'][number] } & Pick<ExplainRouteProps, 'apps'>) {
  const say = useWords(explainWords)
  const channels = useWords(channelWords)
  const language = useLanguage()
  const { channel, route, isAbsent, carriers } = leg
  const ofRoute = ({ country, appId }: NonNullable<typeof route>) =>
    [
      country === undefined ? say.everyCountry : countryWithCode(country, language),
      ...(appId === undefined ? [] : [apps.find((app) => app.appId === appId)?.name ?? appId]),
    ].join(' · ')
  const isServed = carriers.some(({ state }) => state !== 'unheeded')
  return (
    <Stack gap={6}>
      <div>
        <Text fw={600}>{channels[channel]}</Text>
        {[
          isServed ? (route ? say.route(ofRoute(route)) : say.noRoute) : say.nobody,
          ...(isAbsent ? [say.absent] : []),
        ].map((sentence) => (
          <Text key={sentence} size="sm" c="dimmed">
            {sentence}
          </Text>
        ))}
      </div>
      {carriers.length > 0 && (
        <Stack component="ol" gap={6} p={0} m={0}>
          {carriers.map(({ name, state, code, explanation }) => (
            <Group component="li" key={name} gap="xs">
              <Text size="sm">{name}</Text>
              <Badge variant="light" color={COLORS[state]}>
                {say.states[state]}
              </Badge>
              {code !== undefined && (
                <AsWritten size="sm">
                  {code}
                  {explanation !== undefined && `: ${explanation}`}
                </AsWritten>
              )}
            </Group>
          ))}
        </Stack>
      )}
    </Stack>
  )
}
