/** The password was right, and yet nobody is signed in: the browser did not keep the cookie. */
import { Alert } from '@mantine/core'
import { inWords, useWords } from '../../i18n/words'

const words = inWords({
  en: {
    title: 'Your browser did not keep you signed in',
    about:
      'You were let in, but the cookie that says so did not stay. Allow cookies for this site, or use another browser, and sign in again. Some browsers keep it from https only, even on your own machine.',
  },
  ko: {
    title: '브라우저가 로그인 상태를 저장하지 못했습니다',
    about:
      '로그인에는 성공했지만 로그인 쿠키가 저장되지 않았습니다. 이 사이트의 쿠키를 허용하거나 다른 브라우저에서 다시 로그인하세요. 내 컴퓨터에서 열어도 https에서만 쿠키를 저장하는 브라우저도 있습니다.',
  },
})

export function NoCookie() {
  const say = useWords(words)
  return (
    <Alert color="yellow" role="alert" title={say.title}>
      {say.about}
    </Alert>
  )
}
