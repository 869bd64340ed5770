/** E-mail address and password; the code of the authenticator app only where the account has one. */

import { Alert, Anchor, Button, Code, Collapse, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ORPCError } from '@orpc/client'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api'
import { useFormats } from '../../i18n/format'
import { inWords, useWords } from '../../i18n/words'
import { useFields } from '../../parts/fields'
import { PasswordField } from '../../parts/password-field'
import { ProblemNote } from '../../parts/problem-note'
import { SessionLost } from './enter'
import { NoCookie } from './no-cookie'

const words = inWords({
  en: {
    email: 'E-mail address',
    password: 'Password',
    totp: 'Code of your authenticator app',
    totpAbout: 'Six digits; they change every half minute.',
    signIn: 'Sign in',
    needsEmail: 'Enter your e-mail address.',
    needsPassword: 'Enter your password.',
    needsTotp: 'Enter the six digits.',
    wrong: 'E-mail address or password is wrong.',
    wrongTotp: 'This code is wrong or too old. Enter the one that is shown now.',
    throttled: (wait: string) => `Too many failed attempts from your address. Try again in ${wait}.`,
    forgotten: 'Forgotten the password?',
    reset: 'Whoever runs the server makes a new one with this command:',
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
    wrong: '이메일 또는 비밀번호가 올바르지 않습니다.',
    wrongTotp: '코드가 틀렸거나 만료되었습니다. 지금 표시된 코드를 입력하세요.',
    throttled: (wait) => `이 주소에서 로그인에 여러 번 실패했습니다. ${wait} 후에 다시 시도하세요.`,
    forgotten: '비밀번호를 잊으셨나요?',
    reset: '서버 운영자가 다음 명령으로 새 비밀번호를 만들 수 있습니다.',
  },
})

export function SignInForm({ onSignedIn }: { onSignedIn(): Promise<void> }) {
  const say = useWords(words)
  const [needsTotp, setNeedsTotp] = useState(false)
  const [isForgotten, { toggle }] = useDisclosure()
  const fields = useFields({ email: '', password: '', totp: '' }, ({ email, password, totp }) => ({
    email: email.trim() === '' ? say.needsEmail : undefined,
    password: password === '' ? say.needsPassword : undefined,
    totp: needsTotp && !/^\d{6}$/.test(digitsOf(totp)) ? say.needsTotp : undefined,
  }))
  const signIn = useMutation(
    api.session.signIn.mutationOptions({
      onSuccess: onSignedIn,
      onError: (failure) => {
        const isUnfinished = asksForTotp(failure)
        if (isUnfinished) setNeedsTotp(true)
        if (isUnfinished || fields.refuse(failure, () => say.needsEmail)) signIn.reset()
      },
    }),
  )
  const send = ({ email, password, totp }: Record<'email' | 'password' | 'totp', string>) =>
    signIn.mutate({ email: email.trim(), password, ...(needsTotp && { totp: digitsOf(totp) }) })
  return (
    <form onSubmit={fields.onSubmit(send)} noValidate>
      <Stack>
        <TextInput label={say.email} type="email" autoComplete="username" autoFocus {...fields.of('email')} />
        <PasswordField label={say.password} {...fields.of('password')} />
        {needsTotp && (
          <TextInput
            label={say.totp}
            description={say.totpAbout}
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={10}
            autoFocus
            {...fields.of('totp')}
          />
        )}
        {signIn.isError && <Refused failure={signIn.error} hadTotp={needsTotp} />}
        <Button type="submit" loading={signIn.isPending || signIn.isSuccess} fullWidth>
          {say.signIn}
        </Button>
        <Anchor component="button" type="button" size="sm" onClick={toggle} aria-expanded={isForgotten}>
          {say.forgotten}
        </Anchor>
        <Collapse expanded={isForgotten}>
          <Stack gap={6}>
            <Text size="sm">{say.reset}</Text>
            <Code block>watchword operator reset {fields.values.email.trim() || 'EMAIL'}</Code>
          </Stack>
        </Collapse>
      </Stack>
    </form>
  )
}

function Refused({ failure, hadTotp }: { failure: unknown; hadTotp: boolean }) {
  const say = useWords(words)
  const formats = useFormats()
  if (failure instanceof SessionLost) return <NoCookie />
  const code = failure instanceof ORPCError ? failure.code : undefined
  if (code === 'UNAUTHORIZED')
    return (
      <Alert color="red" role="alert">
        {hadTotp ? say.wrongTotp : say.wrong}
      </Alert>
    )
  if (code === 'TOO_MANY_REQUESTS')
    return (
      <Alert color="red" role="alert">
        {say.throttled(formats.wait(Number(dataOf(failure).retryAfterMs)))}
      </Alert>
    )
  return <ProblemNote failure={failure} />
}

const digitsOf = (totp: string) => totp.replaceAll(/\s/g, '')

const dataOf = (failure: unknown): Record<string, unknown> =>
  failure instanceof ORPCError && typeof failure.data === 'object' ? { ...failure.data } : {}

const asksForTotp = (failure: unknown) => dataOf(failure).reason === 'totp_needed'
