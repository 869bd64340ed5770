/** Form that creates an account, for the set-up link and for invitations. */
import { Button, Stack, Text, TextInput } from '@mantine/core'
import { Link, useLocation } from '@tanstack/react-router'
import { problemOf } from '../../api'
import { inWords, useWords } from '../../i18n/words'
import { useServerForm } from '../../parts/form'
import { NewPasswordField, useNewPassword } from '../../parts/password-field'
import { ProblemNote } from '../../parts/problem-note'
import { NoCookie, SessionLost, useEnter } from './enter'

interface Person {
  name: string
  email: string
  password: string
}

interface PersonFormProps {
  /** Label of the button. */
  action: string
  /** Creates the account and signs in. */
  make(person: Person): Promise<unknown>
}

const words = inWords({
  en: {
    name: 'Your name',
    email: 'E-mail address',
    emailUse: 'You sign in with it. No e-mail is sent.',
    password: 'Password',
    needsName: 'Enter your name.',
    needsEmail: 'Enter an e-mail address, such as kim@example.com.',
    signIn: 'Your account is created: sign in',
  },
  ko: {
    name: '이름',
    email: '이메일',
    emailUse: '로그인할 때 사용합니다. 메일은 보내지 않습니다.',
    password: '비밀번호',
    needsName: '이름을 입력하세요.',
    needsEmail: '이메일 주소를 입력하세요. 예: kim@example.com',
    signIn: '계정이 만들어졌습니다. 로그인하기',
  },
})

export function PersonForm({ action, make }: PersonFormProps) {
  const say = useWords(words)
  const passwordProblem = useNewPassword()
  const enter = useEnter()
  const form = useServerForm({
    initialValues: { name: '', email: '', password: '' },
    validate: {
      name: (name) => (name.trim() === '' ? say.needsName : undefined),
      email: (email) => (/^\S+@\S+\.\S+$/.test(email.trim()) ? undefined : say.needsEmail),
      password: passwordProblem,
    },
    send: ({ email, ...rest }) => make({ ...rest, email: email.trim() }),
    onDone: () => enter(),
  })
  if (isUsedLink(form.failure)) return <UsedLink />
  if (form.failure instanceof SessionLost)
    return (
      <Stack>
        <NoCookie />
        <Button component={Link} to="/sign-in" fullWidth>
          {say.signIn}
        </Button>
      </Stack>
    )
  return (
    <form onSubmit={form.submit} noValidate>
      <Stack>
        <TextInput label={say.name} autoComplete="name" autoFocus maxLength={100} {...form.field('name')} />
        <TextInput
          label={say.email}
          description={say.emailUse}
          type="email"
          autoComplete="username"
          maxLength={254}
          {...form.field('email')}
        />
        <NewPasswordField label={say.password} maxLength={256} {...form.field('password')} />
        {form.failure && <ProblemNote failure={form.failure} />}
        <Button type="submit" loading={form.isPending || form.isDone} fullWidth>
          {action}
        </Button>
      </Stack>
    </form>
  )
}

export const isUsedLink = (failure: unknown) => failure !== null && problemOf(failure).code === 'NOT_FOUND'

const usedLinkWords = inWords({
  en: {
    about:
      'This link is no longer valid: it was used, withdrawn or replaced, it is older than three days, or it was cut off when it was copied.',
    next: 'Ask the sender for a new one. If you set up the server, a restart prints a new link.',
    signIn: 'I have an account: sign in',
  },
  ko: {
    about:
      '더 이상 사용할 수 없는 링크입니다. 이미 사용했거나, 취소되었거나, 새 링크로 바뀌었거나, 유효 기간 3일이 지났습니다. 복사하면서 링크가 잘렸을 수도 있습니다.',
    next: '링크를 보낸 사람에게 새 링크를 요청하세요. 서버를 처음 설정하는 경우, 서버를 다시 시작하면 새 링크가 출력됩니다.',
    signIn: '계정이 있습니다. 로그인하기',
  },
})

/** Explains a link that is no longer valid. */
export function UsedLink() {
  const say = useWords(usedLinkWords)
  return (
    <Stack role="alert">
      <Text size="sm">{say.about}</Text>
      <Text size="sm">{say.next}</Text>
      <Button component={Link} to="/sign-in" variant="default">
        {say.signIn}
      </Button>
    </Stack>
  )
}

const LEAST = 20

/** Token of the link. It stands after the #, so it reaches no server. Undefined if the link was cut off. */
export function useLinkToken(): string | undefined {
  const hash = useLocation({ select: (location) => location.hash })
  return hash.length >= LEAST ? hash : undefined
}
