/** Form that creates a key and then shows it once. */
import {
  Checkbox,
  Fieldset,
  NativeSelect,
  NumberInput,
  Radio,
  SimpleGrid,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core'
import type { Scope } from '../../../../../contract/scope'
import type { Allowance } from '../../../../domain/access/api-key'
import { api, client, queries } from '../../api'
import { dayFromNow, timesOf } from '../../days'
import { inWords, useWords } from '../../i18n/words'
import { Form, useServerForm } from '../../parts/form'
import { type ShownMode, useAppScope } from '../../scope'
import { AllowancesField } from './allowances'
import type { CreatedKey } from './new-key'
import { keyWords, scopeWords } from './words'

const words = inWords({
  en: {
    kind: 'Where is it used?',
    sk: 'On a server: secret key',
    skAbout: 'May do everything its scopes allow. It must never reach a browser or an app.',
    pk: 'In a browser: browser key',
    pkAbout: 'Anybody can read it there, so it may only issue and verify, and only from sites you list.',
    mode: 'Mode',
    test: 'Test',
    testAbout: 'Magic numbers only. Nothing is sent, nothing is charged.',
    live: 'Live',
    liveAbout: 'Messages are sent and charged.',
    scopes: 'Scopes',
    unlimited: 'Uncheck it to choose single scopes.',
    origins: 'Allowed origins',
    originsAbout: 'One per line, exactly as browsers write them: scheme, host and port, no path.',
    originsTest: 'http://localhost and http://127.0.0.1 are always allowed for test keys.',
    cidrs: 'Allowed networks',
    cidrsAbout: 'One per line, in CIDR notation. Empty: any network.',
    expiry: 'Expires',
    never: 'Never',
    in: (days: number) => `In ${days} days`,
    onDay: 'On a date of my choice',
    lastDay: 'Last day',
    limits: 'Rate limits of this key (optional)',
    limitsAbout: 'Each can only be stricter than the rate limits of the platform.',
  },
  ko: {
    kind: '어디에서 사용하나요?',
    sk: '서버: 비밀 키',
    skAbout: '권한 범위 안의 모든 작업을 할 수 있습니다. 브라우저나 앱에 노출하면 안 됩니다.',
    pk: '브라우저: 브라우저 키',
    pkAbout: '누구나 볼 수 있으므로 등록한 사이트에서 발급과 확인만 할 수 있습니다.',
    mode: '모드',
    test: '테스트',
    testAbout: '매직 번호만 사용합니다. 발송도 차감도 없습니다.',
    live: '운영',
    liveAbout: '실제로 발송되고 차감됩니다.',
    scopes: '권한 범위',
    unlimited: '체크를 해제하면 권한을 하나씩 고를 수 있습니다.',
    origins: '허용 출처',
    originsAbout: '한 줄에 하나씩, 브라우저가 쓰는 그대로 입력합니다. 스킴, 호스트, 포트만 쓰고 경로는 쓰지 않습니다.',
    originsTest: '테스트 키는 http://localhost와 http://127.0.0.1에서 항상 사용할 수 있습니다.',
    cidrs: '허용 네트워크',
    cidrsAbout: '한 줄에 하나씩 CIDR 표기로 입력합니다. 비워 두면 어디에서나 사용할 수 있습니다.',
    expiry: '만료',
    never: '없음',
    in: (days) => `${days}일 뒤`,
    onDay: '날짜 지정',
    lastDay: '마지막 날',
    limits: '이 키의 요청 한도(선택)',
    limitsAbout: '플랫폼의 요청 한도보다 엄격하게만 지정할 수 있습니다.',
  },
})

const SECRET_SCOPES = Object.keys(scopeWords.en) as Scope[]
const PUBLIC_SCOPES: Scope[] = ['otp:issue', 'otp:verify']
const LIFETIMES = [30, 90, 365]
const LIMITS = ['issuesPerMin', 'verifiesPerMin', 'readsPerMin', 'issuesPerMinPerIp'] as const

const linesOf = (text: string) => text.split(/[\s,]+/).filter(Boolean)

interface CreateKeyProps {
  mode: ShownMode
  onCreated(key: CreatedKey): void
  onCancel(): void
}

export function CreateKey({ mode: modeLookedAt, onCreated, onCancel }: CreateKeyProps) {
  const say = useWords(words)
  const known = useWords(keyWords)
  const meaning = useWords(scopeWords)
  const { appId } = useAppScope()
  const form = useServerForm({
    initialValues: {
      name: '',
      kind: 'sk' as 'sk' | 'pk',
      mode: modeLookedAt,
      secretScopes: ['*'] as Scope[],
      publicScopes: PUBLIC_SCOPES,
      origins: '',
      allows: [] as Allowance[],
      cidrs: '',
      expiry: 'never',
      lastDay: dayFromNow(30),
      limits: {} as Partial<Record<(typeof LIMITS)[number], number>>,
    },
    async send({ name, kind, mode, secretScopes, publicScopes, origins, cidrs, expiry, lastDay, limits, allows }) {
      const day = expiry === 'day' ? lastDay : expiry === 'never' ? undefined : dayFromNow(Number(expiry))
      const scopes = kind === 'sk' ? secretScopes : publicScopes
      const allowedOrigins = kind === 'pk' ? linesOf(origins) : []
      const { key } = await client.keys.create({
        ...{ appId, kind, mode, name, scopes, allowedOrigins },
        allowedCidrs: kind === 'sk' ? linesOf(cidrs) : [],
        ...(day !== undefined && { expiresAt: timesOf({ to: day }).to }),
        ...(mode === 'live' && { limits }),
        ...(mode === 'live' && kind === 'pk' && { allows }),
      })
      return { key, kind, mode, scopes, allowedOrigins }
    },
    onDone(made) {
      queries.invalidateQueries({ queryKey: api.keys.key() })
      onCreated(made)
    },
  })
  const { kind, mode, expiry, limits } = form.values
  const isLivePublic = kind === 'pk' && mode === 'live'
  const scopesOfKind = kind === 'sk' ? 'secretScopes' : 'publicScopes'
  const scopes = form.values[scopesOfKind]
  const isUnlimited = scopes.includes('*')
  const offered = kind === 'pk' ? PUBLIC_SCOPES : isUnlimited ? (['*'] satisfies Scope[]) : SECRET_SCOPES
  /** The scope for everything replaces the single ones; without it, an app needs these two. */
  const chooseScopes = (chosen: Scope[]) =>
    form.set({ [scopesOfKind]: chosen.includes('*') ? ['*'] : isUnlimited ? PUBLIC_SCOPES : chosen })

  return (
    <Form form={form} action={known.create} onCancel={onCancel}>
      <TextInput
        data-autofocus
        label={known.name}
        description={known.nameAbout}
        maxLength={100}
        autoComplete="off"
        {...form.field('name')}
      />
      <Radio.Group label={say.kind} {...form.plainField('kind')}>
        <Stack gap="xs" mt="xs">
          <Radio value="sk" label={say.sk} description={say.skAbout} />
          <Radio value="pk" label={say.pk} description={say.pkAbout} />
        </Stack>
      </Radio.Group>
      <Radio.Group label={say.mode} {...form.plainField('mode')}>
        <Stack gap="xs" mt="xs">
          <Radio value="test" label={say.test} description={say.testAbout} />
          <Radio value="live" label={say.live} description={say.liveAbout} />
        </Stack>
      </Radio.Group>
      <Checkbox.Group
        label={say.scopes}
        {...form.field(scopesOfKind, 'scope', 'scopes')}
        onChange={(chosen) => chooseScopes(chosen as Scope[])}
      >
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" mt="xs" mb={4}>
          {offered.map((scope) => (
            <Checkbox
              key={scope}
              value={scope}
              label={meaning[scope]}
              description={scope === '*' && isUnlimited ? say.unlimited : scope}
            />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
      {kind === 'pk' ? (
        <Textarea
          label={say.origins}
          description={mode === 'test' ? `${say.originsAbout} ${say.originsTest}` : say.originsAbout}
          placeholder="https://www.example.com"
          autosize
          minRows={2}
          required={mode === 'live'}
          spellCheck={false}
          {...form.field('origins', 'origin')}
        />
      ) : (
        <Textarea
          label={say.cidrs}
          description={say.cidrsAbout}
          placeholder="203.0.113.0/24"
          autosize
          minRows={2}
          spellCheck={false}
          {...form.field('cidrs', 'cidr')}
        />
      )}
      {isLivePublic && <AllowancesField {...form.plainField('allows')} />}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NativeSelect
          label={say.expiry}
          {...form.field('expiry', 'expires')}
          data={[
            { value: 'never', label: say.never },
            ...LIFETIMES.map((days) => ({ value: String(days), label: say.in(days) })),
            { value: 'day', label: say.onDay },
          ]}
        />
        {expiry === 'day' && (
          <TextInput type="date" label={say.lastDay} required min={dayFromNow(0)} {...form.plainField('lastDay')} />
        )}
      </SimpleGrid>
      {mode === 'live' && (
        <Fieldset legend={say.limits}>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
            {LIMITS.filter((name) => kind === 'sk' || name !== 'readsPerMin').map((name) => (
              <NumberInput
                key={name}
                label={known.limits[name]}
                min={1}
                allowDecimal={false}
                hideControls
                value={limits[name] ?? ''}
                onChange={(value) =>
                  form.set({ limits: { ...limits, [name]: typeof value === 'number' ? value : undefined } })
                }
              />
            ))}
          </SimpleGrid>
        </Fieldset>
      )}
    </Form>
  )
}
