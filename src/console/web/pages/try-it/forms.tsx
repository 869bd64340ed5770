/** Form to issue a test code. Its defaults need one click only. */
import { Alert, Button, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { IconSend, IconShieldCheck, IconShieldX } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import type { Channel } from '../../../../../contract/constants'
import { CHANNELS } from '../../../../../contract/constants'
import { api, client, queries } from '../../api'
import { statusWords } from '../../i18n/names'
import { magicNumber, SCENARIOS, useScenarios } from '../../i18n/scenarios'
import { inWords, useWords } from '../../i18n/words'
import { type ServerForm, useServerForm } from '../../parts/form'
import { ProblemNote } from '../../parts/problem-note'

const words = inWords({
  en: {
    scenario: 'Scenario',
    other: 'Another magic number',
    otherAbout: 'Test mode takes magic numbers only: 010-0000-00xx, +44 7700 9000xx or +1 <area> 555-01xx.',
    number: 'Phone number',
    purpose: 'Purpose',
    channel: 'Channel',
    byScenario: 'Chosen by the scenario',
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
            // Once there is a code, the verify button is the primary one.
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

export interface TryItRequest {
  phoneNumber: string
  purpose: string
  /** Missing: chosen by the scenario. */
  channel?: Channel
}

export const FIRST_ORDER: TryItRequest = { phoneNumber: magicNumber(0), purpose: 'signup' }

/** Finds the scenario of a Korean magic number in any spelling. */
export function scenarioOfNumber(phoneNumber: string): number | undefined {
  const xx = /^(?:0|82)10000000(\d\d)$/.exec(phoneNumber.replace(/\D/g, ''))?.[1]
  return xx === undefined ? undefined : Number(xx)
}

const verifyFormWords = inWords({
  en: {
    code: 'Code',
    hint: '000000 verifies every magic number except scenario 05.',
    verify: 'Verify',
    verified: 'Verified',
    verifiedAbout: 'This is all your app has to do: issue, then verify. A code verifies once.',
    not: 'Not verified',
    remaining: (count: number) => (count === 1 ? 'One attempt remains.' : `${count} attempts remain.`),
    reasons: {
      MISMATCH: 'The code is wrong.',
      EXPIRED: 'The code has expired.',
      MAX_ATTEMPTS: 'Too many wrong codes.',
      ALREADY_VERIFIED: 'The code has been verified already.',
      REPLACED: 'A newer code was issued for the same number and purpose.',
      NOT_FOUND: 'There is no such issue.',
    },
  },
  ko: {
    code: '인증번호',
    hint: '05 시나리오를 뺀 모든 매직 번호는 000000으로 인증됩니다.',
    verify: '확인',
    verified: '인증되었습니다',
    verifiedAbout: '앱에서 할 일은 발급과 확인뿐입니다. 인증번호는 한 번만 인증됩니다.',
    not: '인증되지 않았습니다',
    remaining: (count) => `${count}회 더 시도할 수 있습니다.`,
    reasons: {
      MISMATCH: '인증번호가 틀렸습니다.',
      EXPIRED: '인증번호가 만료되었습니다.',
      MAX_ATTEMPTS: '인증번호를 너무 많이 틀렸습니다.',
      ALREADY_VERIFIED: '이미 인증된 번호입니다.',
      REPLACED: '같은 번호와 용도로 새 인증번호가 발급되었습니다.',
      NOT_FOUND: '해당 발급 건이 없습니다.',
    },
  },
})

/** Form to verify the code, and its result. */
export function VerifyForm({ appId, issueId }: { appId: string; issueId: string }) {
  const say = useWords(verifyFormWords)
  const field = useRef<HTMLInputElement>(null)
  // Focuses the code with its text selected, so that Enter verifies it and typing replaces it.
  useEffect(() => field.current?.select(), [])
  const form = useServerForm({
    initialValues: { code: '000000' },
    send: ({ code }) => client.inbox.verify({ appId, issueId, code: code.trim() }),
    onDone() {
      queries.invalidateQueries({ queryKey: api.issues.key() })
      queries.invalidateQueries({ queryKey: api.inbox.key() })
    },
  })
  const result = form.answer
  const reason = result?.reasonCode as keyof typeof say.reasons | undefined
  return (
    <Stack gap="sm">
      <form onSubmit={form.submit}>
        <Group align="flex-end" gap="sm">
          <TextInput
            ref={field}
            label={say.code}
            description={say.hint}
            inputMode="numeric"
            autoComplete="off"
            required
            maxLength={20}
            flex="1 1 14rem"
            {...form.field('code')}
          />
          <Button type="submit" loading={form.isPending} variant={result?.verified ? 'default' : 'filled'}>
            {say.verify}
          </Button>
        </Group>
      </form>
      <div aria-live="polite">
        {result?.verified && (
          <Alert color="green" icon={<IconShieldCheck aria-hidden />} title={say.verified}>
            {say.verifiedAbout}
          </Alert>
        )}
        {result && !result.verified && (
          <Alert color="orange" icon={<IconShieldX aria-hidden />} title={say.not}>
            <Text size="sm">
              {reason ? (say.reasons[reason] ?? reason) : ''}{' '}
              {reason === 'MISMATCH' && say.remaining(result.attemptsRemaining)}
            </Text>
          </Alert>
        )}
      </div>
      {form.failure && <ProblemNote failure={form.failure} />}
    </Stack>
  )
}
