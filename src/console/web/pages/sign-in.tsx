import { Alert } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { inWords, useWords } from '../i18n/words'
import { PageHeader } from '../parts/page-header'
import { useSession } from '../session'
import { useEnter } from './entering/enter'
import { SignInForm } from './entering/sign-in-form'

const words = inWords({
  en: {
    title: 'Sign in',
    needsSetup:
      'Nobody has an account yet. Open the set-up link that the server printed when it started; a restart prints a new one.',
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
