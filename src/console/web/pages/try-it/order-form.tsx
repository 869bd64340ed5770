/** Which scenario, for what. Ready as it comes: one click issues. */
import { Button, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { CHANNELS } from '../../../../../contract/constants'
import type { client } from '../../api'
import { magicNumber, SCENARIOS, useScenarios } from '../../i18n/scenarios'
import { statusWords } from '../../i18n/statuses'
import { inWords, useWords } from '../../i18n/words'
import type { ServerForm } from '../../parts/form'
import { scenarioOfNumber, type TryItRequest } from './order'

const words = inWords({
  en: {
    scenario: 'Scenario',
    other: 'Another magic number',
    otherAbout: 'Test mode takes magic numbers only: 010-0000-00xx, +44 7700 9000xx or +1 <area> 555-01xx.',
    number: 'Phone number',
    purpose: 'Purpose',
    channel: 'Channel',
    byScenario: 'As the scenario has it',
    issue: 'Issue code',
    again: 'Issue another',
  },
  ko: {
    scenario: '시나리오',
    other: '다른 매직 번호',
    otherAbout: '테스트 모드에서는 매직 번호만 사용합니다: 010-0000-00xx, +44 7700 9000xx, +1 <지역 번호> 555-01xx.',
    number: '전화번호',
    purpose: '용도',
    channel: '채널',
    byScenario: '시나리오에 따름',
    issue: '인증번호 발급',
    again: '다시 발급',
  },
})

type TryItAnswer = Awaited<ReturnType<typeof client.inbox.tryIt>>

export function OrderForm({ form }: { form: ServerForm<TryItRequest, TryItAnswer> }) {
  const say = useWords(words)
  const names = useWords(statusWords)
  const scenarioOf = useScenarios()
  const scenario = scenarioOfNumber(form.values.phoneNumber)
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <NativeSelect
          label={say.scenario}
          value={scenario === undefined ? 'other' : String(scenario)}
          onChange={({ currentTarget: { value } }) =>
            form.set({ phoneNumber: value === 'other' ? '' : magicNumber(Number(value)) })
          }
          data={[
            ...[...SCENARIOS, ...(scenario !== undefined && scenario > 10 ? [scenario] : [])].map((number) => ({
              value: String(number),
              label: `${magicNumber(number).slice(-2)} · ${scenarioOf(number).name}`,
            })),
            { value: 'other', label: say.other },
          ]}
        />
        <Text size="sm" c="dimmed" role="status">
          {scenario === undefined ? say.otherAbout : scenarioOf(scenario).about}
        </Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            type="tel"
            label={say.number}
            required
            maxLength={40}
            autoComplete="off"
            {...form.field('phoneNumber')}
          />
          <TextInput label={say.purpose} required maxLength={64} autoComplete="off" {...form.field('purpose')} />
        </SimpleGrid>
        <NativeSelect
          label={say.channel}
          value={form.values.channel ?? ''}
          onChange={({ currentTarget: { value } }) =>
            form.set({ channel: CHANNELS.find((channel) => channel === value) })
          }
          data={[
            { value: '', label: say.byScenario },
            ...CHANNELS.map((value) => ({ value, label: names.channels[value] })),
          ]}
        />
        <Group>
          <Button
            type="submit"
            loading={form.isPending}
            // Once there is a code, the button steps back behind the one that verifies it.
            variant={form.answer ? 'default' : 'filled'}
            leftSection={<IconSend size={16} aria-hidden />}
          >
            {form.answer ? say.again : say.issue}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
