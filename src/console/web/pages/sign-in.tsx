import { Alert, Anchor, Button, Code, Collapse, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { client, problemOf, refusedIn } from '../api'
import { inWords, useWords } from '../i18n/words'
import { useServerForm } from '../parts/form'
import { PageHeader } from '../parts/page-header'
import { digitsOf, isTotp, PasswordField } from '../parts/password-field'
import { ProblemNote } from '../parts/problem-note'
import { useSession } from '../session'
import { NoCookie, SessionLost, useEnter } from './entering/enter'

const words = inWords({
  en: {
    title: 'Sign in',
    needsSetup:
      'There is no account yet. Open the set-up link that the server printed when it started; a restart prints a new one.',
  },
  ko: {
    title: '로그인',
    needsSetup:
      '아직 계정이 없습니다. 서버가 시작할 때 출력한 설정 링크를 여세요. 서버를 다시 시작하면 새 링크가 출력됩니다.',
  },
})

export default function SignIn() {
  const say = useWords(words)
  const { from } = useSearch({ from: '/outside/sign-in' })
  const { operator, needsSetup } = useSession()
  const enter = useEnter()
  const isSignedIn = operator !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for who comes here and is signed in already
  useEffect(() => {
    if (isSignedIn) enter(from)
  }, [])
  return (
    <>
      <PageHeader title={say.title} />
      {needsSetup ? <Alert role="note">{say.needsSetup}</Alert> : <SignInForm onSignedIn={() => enter(from)} />}
    </>
  )
}

const signInFormWords = inWords({
  en: {
    email: 'E-mail address',
    password: 'Password',
    totp: 'Code from your authenticator app',
    totpAbout: 'Six digits; they change every 30 seconds.',
    signIn: 'Sign in',
    needsEmail: 'Enter your e-mail address.',
    needsPassword: 'Enter your password.',
    needsTotp: 'Enter the six digits.',
    forgotten: 'Forgot your password?',
    reset: 'The operator of the server creates a new one with this command:',
  },
  ko: {
    email: '이메일',
    password: '비밀번호',
    totp: '인증 앱 코드',
    totpAbout: '6자리 숫자이며 30초마다 바뀝니다.',
    signIn: '로그인',
    needsEmail: '이메일을 입력하세요.',
    needsPassword: '비밀번호를 입력하세요.',
    needsTotp: '6자리 숫자를 입력하세요.',
    forgotten: '비밀번호를 잊으셨나요?',
    reset: '서버 운영자가 다음 명령으로 새 비밀번호를 만들 수 있습니다.',
  },
})

/** E-mail and password, and a TOTP code if the account has an authenticator app. */
function SignInForm({ onSignedIn }: { onSignedIn(): Promise<void> }) {
  const say = useWords(signInFormWords)
  const [needsTotp, setNeedsTotp] = useState(false)
  const [isForgotten, { toggle }] = useDisclosure()
  const form = useServerForm({
    initialValues: { email: '', password: '', totp: '' },
    validate: {
      email: (email) => (email.trim() === '' ? say.needsEmail : undefined),
      password: (password) => (password === '' ? say.needsPassword : undefined),
      totp: (totp) => (needsTotp && !isTotp(totp) ? say.needsTotp : undefined),
    },
    async send({ email, password, totp }) {
      try {
        return await client.session.signIn({
          ...{ email: email.trim(), password },
          ...(needsTotp && { totp: digitsOf(totp) }),
        })
      } catch (failure) {
        if (refusedIn(failure).reason !== 'totp_needed') throw failure
        return setNeedsTotp(true)
      }
    },
    onDone: (signedIn) => signedIn && onSignedIn(),
  })
  return (
    <form onSubmit={form.submit} noValidate>
      <Stack>
        <TextInput label={say.email} type="email" autoComplete="username" autoFocus {...form.field('email')} />
        <PasswordField label={say.password} {...form.field('password')} />
        {needsTotp && (
          <TextInput
            label={say.totp}
            description={say.totpAbout}
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={10}
            autoFocus
            {...form.field('totp')}
          />
        )}
        {form.failure && <NotSignedIn failure={form.failure} />}
        <Button type="submit" loading={form.isPending || form.answer !== undefined} fullWidth>
          {say.signIn}
        </Button>
        <Anchor component="button" type="button" size="sm" onClick={toggle} aria-expanded={isForgotten}>
          {say.forgotten}
        </Anchor>
        <Collapse expanded={isForgotten}>
          <Stack gap={6}>
            <Text size="sm">{say.reset}</Text>
            <Code block>watchword operator reset {form.values.email.trim() || 'EMAIL'}</Code>
          </Stack>
        </Collapse>
      </Stack>
    </form>
  )
}

function NotSignedIn({ failure }: { failure: unknown }) {
  if (failure instanceof SessionLost) return <NoCookie />
  const { code = '', message } = problemOf(failure)
  if (!['UNAUTHORIZED', 'TOO_MANY_REQUESTS'].includes(code)) return <ProblemNote failure={failure} />
  return (
    <Alert color="red" role="alert">
      {message}
    </Alert>
  )
}
