/** Checklist from an empty installation to live messages. */
import { Badge, Progress as Bar, Button, Group, Stack, Text, ThemeIcon, VisuallyHidden } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useQueries } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import type { Permission } from '../../../../domain/access/operator'
import { api } from '../../api'
import { useWhoMay } from '../../i18n/roles'
import { inWords, useWords } from '../../i18n/words'
import { safetyNet } from '../../live'
import { Section } from '../../parts/section'
import { useMay, useSeesAllApps } from '../../session'
import { NewApp } from '../apps/new-app'
import styles from './checklist.module.css'

const words = inWords({
  en: {
    title: 'First steps',
    about: 'The first two steps lead to a verified test code, the others to live messages.',
    progress: (done: number, all: number) => `${done} of ${all} done`,
  },
  ko: {
    title: '시작하기',
    about: '처음 두 단계만 거치면 테스트 인증번호를 인증할 수 있습니다. 나머지는 실제 메시지를 보내기 위한 단계입니다.',
    progress: (done, all) => `${all}단계 중 ${done}단계 완료`,
  },
})

export function Checklist({ progress }: { progress: SetUpProgress }) {
  const say = useWords(words)
  const done = STEPS.filter((step) => progress[step]).length
  const next = STEPS.find((step) => !progress[step] && !OPTIONAL.includes(step))
  const label = say.progress(done, STEPS.length)
  return (
    <Section title={say.title} about={say.about}>
      <Group gap="sm" wrap="nowrap">
        <Bar value={(done / STEPS.length) * 100} size="sm" color="teal" flex={1} maw={320} aria-label={label} />
        <Text size="sm" c="dimmed">
          {label}
        </Text>
      </Group>
      <Stack component="ol" gap={0}>
        {STEPS.map((step, index) => (
          <StepRow key={step} step={step} number={index + 1} isDone={progress[step]} isNext={step === next} />
        ))}
      </Stack>
    </Section>
  )
}

interface SetUpProgress {
  app: boolean
  /** A test code was verified. */
  tried: boolean
  key: boolean
  carrier: boolean
  credit: boolean
  webhook: boolean
}

/** Progress of an installation towards live messages. */
const STEPS = ['app', 'tried', 'key', 'carrier', 'credit', 'webhook'] as const satisfies (keyof SetUpProgress)[]
type SetUpStep = (typeof STEPS)[number]

/** Not everybody wants webhooks. */
const OPTIONAL: readonly SetUpStep[] = ['webhook']

export const isDone = (progress: SetUpProgress) => STEPS.every((step) => progress[step] || OPTIONAL.includes(step))

/** Undefined while loading. */
export function useProgress(app: { appId: string } | undefined): SetUpProgress | undefined {
  const appId = app?.appId ?? ''
  const look = { enabled: app !== undefined, refetchInterval: safetyNet }
  // Whoever sees some apps only has no part in the carriers.
  const seesAllApps = useSeesAllApps()
  const [tried, keys, carriers, wallet, webhooks] = useQueries({
    queries: [
      api.issues.list.queryOptions({ input: { appId, mode: 'test', status: 'verified', limit: 1 }, ...look }),
      api.keys.list.queryOptions({ input: { appId }, ...look }),
      api.carriers.list.queryOptions({ ...look, enabled: look.enabled && seesAllApps }),
      api.wallet.show.queryOptions({ input: { appId }, ...look }),
      api.webhooks.list.queryOptions({ input: { appId }, ...look }),
    ],
  })
  if (!app) return { app: false, tried: false, key: false, carrier: false, credit: false, webhook: false }
  if (!tried.data || !keys.data || (seesAllApps && !carriers.data) || !wallet.data || !webhooks.data) return undefined
  const hasLiveKey = keys.data.keys.some(({ state, mode }) => state === 'active' && mode === 'live')
  return {
    app: true,
    // Test issues are kept for a week, so a live key also counts as tried.
    tried: tried.data.rows.length > 0 || hasLiveKey,
    key: keys.data.keys.some(({ state }) => state === 'active'),
    carrier: carriers.data === undefined || carriers.data.providers.length > 0,
    credit: wallet.data.available > 0 || wallet.data.overdraftLimit > 0,
    webhook: webhooks.data.endpoints.length > 0,
  }
}

const stepRowWords = inWords({
  en: {
    done: 'Done',
    todo: 'To do',
    optional: 'Optional',
    mayNot: (theirs: string) => `Your role does not allow this. It needs the role ${theirs}.`,
    steps: {
      app: { title: 'Create an app', about: 'Keys, messages and credit belong to it.', go: 'Create an app' },
      tried: {
        title: 'Try it',
        about: 'Issue a test code to a magic number, watch its delivery and verify it. Nothing is sent or charged.',
        go: 'Try it',
      },
      key: { title: 'Create an API key', about: 'Your code calls the API with it.', go: 'Create an API key' },
      carrier: {
        title: 'Set up a carrier',
        about: 'A carrier delivers live messages. Its credentials are stored sealed and never shown again.',
        go: 'Add a carrier',
      },
      credit: { title: 'Top up', about: 'Live codes are charged to the prepaid wallet of the app.', go: 'Top up' },
      webhook: {
        title: 'Add a webhook',
        about: 'Get notified when a code is delivered or verified.',
        go: 'Add a webhook',
      },
    },
  },
  ko: {
    done: '완료',
    todo: '할 일',
    optional: '선택',
    mayNot: (theirs) => `현재 역할로는 할 수 없습니다. ${theirs} 역할만 할 수 있습니다.`,
    steps: {
      app: { title: '앱 만들기', about: '키, 메시지, 크레딧은 앱에 속합니다.', go: '앱 만들기' },
      tried: {
        title: '시험해 보기',
        about:
          '매직 번호로 테스트 인증번호를 발급하고 도달을 확인한 뒤 입력해 보세요. 실제로 발송되거나 과금되지 않습니다.',
        go: '시험해 보기',
      },
      key: { title: 'API 키 만들기', about: '서비스에서 API를 호출할 때 사용합니다.', go: 'API 키 만들기' },
      carrier: {
        title: '발송사 설정',
        about: '실제 메시지를 보낼 발송사입니다. 인증 정보는 암호화해 저장하며 다시 표시하지 않습니다.',
        go: '발송사 추가',
      },
      credit: {
        title: '크레딧 충전',
        about: '운영 모드의 인증번호는 앱의 선불 크레딧에서 차감됩니다.',
        go: '충전하기',
      },
      webhook: { title: '웹훅 추가', about: '인증번호가 도달하거나 인증되면 알림을 받습니다.', go: '웹훅 추가' },
    },
  },
})

const PLACE: Record<SetUpStep, { to: NonNullable<LinkProps['to']>; needs: Permission }> = {
  app: { to: '/apps', needs: 'apps' },
  tried: { to: '/try-it', needs: 'try' },
  key: { to: '/keys', needs: 'keys' },
  carrier: { to: '/providers', needs: 'carriers' },
  credit: { to: '/wallet', needs: 'money' },
  webhook: { to: '/webhooks', needs: 'webhooks' },
}

interface StepRowProps {
  step: SetUpStep
  number: number
  isDone: boolean
  /** The first open step. */
  isNext: boolean
}

/** One step: its state, its purpose and its button. */
function StepRow({ step, number, isDone, isNext }: StepRowProps) {
  const say = useWords(stepRowWords)
  const may = useMay()
  const whoMay = useWhoMay()
  const { title, about, go } = say.steps[step]
  const { to, needs } = PLACE[step]
  return (
    <li className={styles.step}>
      <Group gap="md" wrap="nowrap" align="flex-start">
        <ThemeIcon
          radius="xl"
          size={28}
          variant={isDone || isNext ? 'filled' : 'default'}
          color={isDone ? 'teal.9' : 'indigo'}
        >
          {isDone ? <IconCheck size={16} aria-hidden /> : number}
        </ThemeIcon>
        <Stack gap="xs" flex={1} miw={0}>
          <Group justify="space-between" gap="xs">
            <Stack gap={2} flex="1 1 240px">
              <Group gap="xs">
                <Text fw={600} {...(isDone && { c: 'dimmed' })}>
                  {title}
                </Text>
                <VisuallyHidden>{isDone ? say.done : say.todo}</VisuallyHidden>
                {!isDone && OPTIONAL.includes(step) && (
                  <Badge variant="light" color="gray" size="sm">
                    {say.optional}
                  </Badge>
                )}
              </Group>
              {!isDone && (
                <Text size="sm" c="dimmed">
                  {may(needs) ? about : say.mayNot(whoMay(needs))}
                </Text>
              )}
            </Stack>
            {!isDone && step !== 'app' && may(needs) && (
              <Button component={Link} to={to} size="xs" variant={isNext ? 'filled' : 'default'}>
                {go}
              </Button>
            )}
          </Group>
          {isNext && step === 'app' && may(needs) && <NewApp />}
        </Stack>
      </Group>
    </li>
  )
}
