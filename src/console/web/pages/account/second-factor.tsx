import { Badge, Button, Group } from '@mantine/core'
import { modals } from '@mantine/modals'
import { inWords, useWords } from '../../i18n/words'
import { Section } from '../../parts/section'
import { TotpOff } from './totp-off'
import { TotpOn } from './totp-on'

const words = inWords({
  en: {
    title: 'Authenticator app',
    about:
      'A second step at sign-in: a code of your phone that changes every half minute. Whoever learns your password then cannot get in with it.',
    on: 'On',
    off: 'Off',
    setUp: 'Set up',
    remove: 'Remove',
    removeTitle: 'Remove the authenticator app',
  },
  ko: {
    title: '인증 앱',
    about:
      '로그인할 때 휴대폰 앱에 표시되는 코드를 한 번 더 입력합니다. 코드는 30초마다 바뀌므로 비밀번호가 유출되어도 로그인할 수 없습니다.',
    on: '사용 중',
    off: '사용 안 함',
    setUp: '설정하기',
    remove: '해제하기',
    removeTitle: '인증 앱 해제',
  },
})

export function SecondFactor({ isOn }: { isOn: boolean }) {
  const say = useWords(words)
  const open = () => {
    const modalId = modals.open({
      title: isOn ? say.removeTitle : say.title,
      children: isOn ? (
        <TotpOff onClose={() => modals.close(modalId)} />
      ) : (
        <TotpOn onClose={() => modals.close(modalId)} />
      ),
    })
  }
  const badge = (
    <Badge variant="light" color={isOn ? 'teal' : 'gray'}>
      {isOn ? say.on : say.off}
    </Badge>
  )
  return (
    <Section title={say.title} about={say.about} actions={badge}>
      <Group>
        <Button variant={isOn ? 'default' : 'filled'} onClick={open}>
          {isOn ? say.remove : say.setUp}
        </Button>
      </Group>
    </Section>
  )
}
