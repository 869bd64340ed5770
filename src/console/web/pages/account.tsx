import { Badge, Button, Group, Select, Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { api, client, queries } from '../api'
import { frameWords } from '../i18n/frame'
import { roleWords } from '../i18n/roles'
import { inWords, useWords } from '../i18n/words'
import { Form, useServerForm } from '../parts/form'
import { PageHeader } from '../parts/page-header'
import { NewPasswordField, PasswordField, useNewPassword } from '../parts/password-field'
import { Section } from '../parts/section'
import { tellDone, tellProblem } from '../parts/tell'
import { useSession } from '../session'
import { browserTimeZone, setTimeZone, useTimeZone } from '../time-zone'
import { SecondFactor } from './account/second-factor'

const words = inWords({
  en: { about: 'How you sign in. Language and appearance are in the menu at the top.', you: 'You' },
  ko: { about: '로그인 방법을 관리합니다. 언어와 화면 모드는 오른쪽 위 메뉴에 있습니다.', you: '내 정보' },
})

export default function Account() {
  const say = useWords(words)
  const common = useWords(frameWords)
  const roles = useWords(roleWords)
  const { operator } = useSession()
  if (!operator) return null
  return (
    <>
      <PageHeader title={common.pages.account} about={say.about} />
      <Stack maw={720}>
        <Section title={say.you}>
          <Stack gap={6}>
            <Group gap="xs">
              <Text fw={600}>{operator.name}</Text>
              <Badge variant="light">{roles.names[operator.role]}</Badge>
            </Group>
            <Text size="sm">{operator.email}</Text>
            <Text size="sm" c="dimmed">
              {roles.about[operator.role]}
            </Text>
          </Stack>
        </Section>
        <ChangePassword />
        <SecondFactor isOn={operator.hasTotp} />
        <TimeZone />
        <Sessions />
      </Stack>
    </>
  )
}

const changePasswordWords = inWords({
  en: {
    title: 'Password',
    about: 'Changing it signs you out on every other device.',
    current: 'Current password',
    next: 'New password',
    change: 'Change password',
    changed: 'Your password is changed.',
    needsCurrent: 'Enter your current password.',
  },
  ko: {
    title: '비밀번호',
    about: '비밀번호를 변경하면 다른 모든 기기에서 로그아웃됩니다.',
    current: '현재 비밀번호',
    next: '새 비밀번호',
    change: '비밀번호 변경',
    changed: '비밀번호를 변경했습니다.',
    needsCurrent: '현재 비밀번호를 입력하세요.',
  },
})

function ChangePassword() {
  const say = useWords(changePasswordWords)
  const passwordProblem = useNewPassword()
  const form = useServerForm({
    initialValues: { current: '', password: '' },
    validate: { current: (current) => (current === '' ? say.needsCurrent : undefined), password: passwordProblem },
    send: client.session.changePassword,
    onDone() {
      form.reset()
      tellDone(say.changed)
    },
  })
  return (
    <Section title={say.title} about={say.about}>
      <Form form={form} action={say.change}>
        <PasswordField label={say.current} maxLength={256} {...form.field('current')} />
        <NewPasswordField label={say.next} maxLength={256} {...form.field('password')} />
      </Form>
    </Section>
  )
}

const timeZoneWords = inWords({
  en: {
    about: 'Lists, charts, days and exports use it. It is kept in this browser.',
    ofBrowser: (zone: string) => `As this browser: ${zone}`,
  },
  ko: {
    about: '목록, 차트, 날짜, 내보내기에 쓰이며 이 브라우저에 저장됩니다.',
    ofBrowser: (zone) => `이 브라우저와 같게: ${zone}`,
  },
})

function TimeZone() {
  const say = useWords(timeZoneWords)
  const common = useWords(frameWords)
  const chosen = useTimeZone()
  const ofBrowser = browserTimeZone()
  const others = useMemo(
    () => ['UTC', ...Intl.supportedValuesOf('timeZone')].filter((zone) => zone !== ofBrowser),
    [ofBrowser],
  )
  return (
    <Section title={common.timeZone} about={say.about} id="time-zone">
      <Select
        aria-label={common.timeZone}
        searchable
        limit={ZONES_AT_MOST}
        allowDeselect={false}
        maw={360}
        value={chosen}
        data={[{ value: ofBrowser, label: say.ofBrowser(ofBrowser) }, ...others]}
        onChange={(zone) => setTimeZone(zone === ofBrowser ? undefined : (zone ?? undefined))}
      />
    </Section>
  )
}

/** The rest is found by typing. */
const ZONES_AT_MOST = 50

const sessionsWords = inWords({
  en: {
    title: 'Sessions',
    about: 'Ends every session of your account, including this one. Use it when a device is lost.',
    action: 'Sign out everywhere',
    confirm: 'You will be signed out on all devices and sign in again here.',
    done: (count: number) => `${count} ${count === 1 ? 'session' : 'sessions'} ended.`,
  },
  ko: {
    title: '세션',
    about: '지금 사용 중인 세션을 포함해 내 계정의 모든 세션을 끝냅니다. 기기를 잃어버렸을 때 사용하세요.',
    action: '모든 기기에서 로그아웃',
    confirm: '모든 기기에서 로그아웃되며, 이 기기에서도 다시 로그인해야 합니다.',
    done: (count) => `세션 ${count}개를 끝냈습니다.`,
  },
})

function Sessions() {
  const say = useWords(sessionsWords)
  const common = useWords(frameWords)
  const navigate = useNavigate()
  const signOut = useMutation(
    api.session.signOutEverywhere.mutationOptions({
      async onSuccess({ sessions }) {
        queries.clear()
        tellDone(say.done(sessions))
        await navigate({ to: '/sign-in', search: {} })
      },
      onError: tellProblem,
    }),
  )
  const ask = () =>
    modals.openConfirmModal({
      title: say.action,
      children: <Text size="sm">{say.confirm}</Text>,
      labels: { confirm: say.action, cancel: common.cancel },
      confirmProps: { color: 'red' },
      onConfirm: () => signOut.mutate(undefined),
    })
  return (
    <Section title={say.title} about={say.about}>
      <Group>
        <Button variant="light" color="red" onClick={ask} loading={signOut.isPending}>
          {say.action}
        </Button>
      </Group>
    </Section>
  )
}
