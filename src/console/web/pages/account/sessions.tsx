import { Button, Group, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api, queries } from '../../api'
import { frameWords } from '../../i18n/frame'
import { inWords, useWords } from '../../i18n/words'
import { Section } from '../../parts/section'
import { tellDone, tellProblem } from '../../parts/tell'

const words = inWords({
  en: {
    title: 'Sessions',
    about: 'Ends every session of your account, this one too. Do it when a device is lost.',
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

export function Sessions() {
  const say = useWords(words)
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
        <Button variant="default" onClick={ask} loading={signOut.isPending}>
          {say.action}
        </Button>
      </Group>
    </Section>
  )
}
