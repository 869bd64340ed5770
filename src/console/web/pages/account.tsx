import { Badge, Button, Group, Select, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { api, client, queries } from '../api'
import { frameWords } from '../i18n/frame'
import { roleWords } from '../i18n/roles'
import { inWords, useWords } from '../i18n/words'
import { confirm } from '../parts/confirm'
import { Form, useServerForm } from '../parts/form'
import { PageHeader } from '../parts/page-header'
import { NewPasswordField, PasswordField, useNewPassword } from '../parts/password-field'
import { Section } from '../parts/section'
import { SessionTable } from '../parts/session-table'
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
      queries.invalidateQueries({ queryKey: api.session.list.key() })
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
    about: 'Where you are signed in. End what you do not recognize, and everything when a device is lost.',
    ended: 'The session is ended.',
    others: 'End all others',
    action: 'Sign out everywhere',
    confirm: 'You will be signed out on all devices and sign in again here.',
    done: (count: number) => `${count} ${count === 1 ? 'session' : 'sessions'} ended.`,
  },
  ko: {
    title: '세션',
    about: '로그인되어 있는 기기입니다. 모르는 기기는 종료하고, 기기를 잃어버렸다면 모두 종료하세요.',
    ended: '세션을 종료했습니다.',
    others: '다른 세션 모두 종료',
    action: '모든 기기에서 로그아웃',
    confirm: '모든 기기에서 로그아웃되며, 이 기기에서도 다시 로그인해야 합니다.',
    done: (count) => `세션 ${count}개를 끝냈습니다.`,
  },
})

function Sessions() {
  const say = useWords(sessionsWords)
  const navigate = useNavigate()
  const sessions = useQuery(api.session.list.queryOptions())
  const lookAgain = () => queries.invalidateQueries({ queryKey: api.session.list.key() })
  const end = useMutation(
    api.session.end.mutationOptions({
      onSuccess: () => tellDone(say.ended),
      onError: tellProblem,
      onSettled: lookAgain,
    }),
  )
  const endOthers = useMutation(
    api.session.endOthers.mutationOptions({
      onSuccess: ({ sessions }) => tellDone(say.done(sessions)),
      onError: tellProblem,
      onSettled: lookAgain,
    }),
  )
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
    confirm({
      title: say.action,
      consequence: say.confirm,
      action: say.action,
      run: () => signOut.mutate(undefined),
    })
  return (
    <Section title={say.title} about={say.about}>
      <SessionTable
        query={sessions}
        ending={end.isPending ? end.variables.sessionId : undefined}
        onEnd={(sessionId) => end.mutate({ sessionId })}
      />
      <Group>
        {(sessions.data?.sessions.length ?? 0) > 1 && (
          <Button variant="default" onClick={() => endOthers.mutate(undefined)} loading={endOthers.isPending}>
            {say.others}
          </Button>
        )}
        <Button variant="light" color="red" onClick={ask} loading={signOut.isPending}>
          {say.action}
        </Button>
      </Group>
    </Section>
  )
}
