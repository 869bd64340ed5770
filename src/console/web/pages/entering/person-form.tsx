/** Who makes an account: the form of set-up and of invitations. */
import { Button, Stack, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { inWords, useWords } from '../../i18n/words'
import { useServerForm } from '../../parts/form'
import { NewPasswordField, useNewPassword } from '../../parts/password-field'
import { ProblemNote } from '../../parts/problem-note'
import { SessionLost, useEnter } from './enter'
import { NoCookie } from './no-cookie'
import { isUsedLink, UsedLink } from './used-link'

export interface Person {
  name: string
  email: string
  password: string
}

export interface PersonFormProps {
  /** The button's word. */
  action: string
  /** Makes the account, which also signs in. */
  make(person: Person): Promise<unknown>
}

const words = inWords({
  en: {
    name: 'Your name',
    email: 'E-mail address',
    emailUse: 'You sign in with it. Nothing is sent to it.',
    password: 'Password',
    needsName: 'Enter your name.',
    needsEmail: 'Enter an e-mail address, such as kim@example.com.',
    signIn: 'Your account is made: sign in',
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
