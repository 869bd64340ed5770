/** Steps after a successful sign-in. */
import { Alert } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { api, queries } from '../../api'
import { inWords, useWords } from '../../i18n/words'

/** The sign-in succeeded, but the browser did not keep the cookie. */
export class SessionLost extends Error {}

/** Clears the cache of the previous operator and opens a page of the frame. Throws `SessionLost`. */
export function useEnter(): (to?: string) => Promise<void> {
  const router = useRouter()
  return async (to = '/') => {
    const session = api.session.current.queryOptions()
    queries.removeQueries({ predicate: ({ queryHash }) => !queryHash.includes('"session"') })
    const { operator } = await queries.fetchQuery({ ...session, staleTime: 0 })
    if (!operator) throw new SessionLost()
    // Replaces the history entry, which may contain the token of a link.
    await router.navigate({ href: pathWithin(to), replace: true })
  }
}

/** Restricts the target to this origin. */
function pathWithin(to: string): string {
  const url = new URL(to, location.origin)
  return url.origin === location.origin ? `${url.pathname}${url.search}${url.hash}` : '/'
}

const words = inWords({
  en: {
    title: 'Your browser did not keep you signed in',
    about:
      'The sign-in succeeded, but the browser did not keep the session cookie. Allow cookies for this site, or use another browser, and sign in again. Some browsers accept it over https only, even on your own machine.',
  },
  ko: {
    title: '브라우저가 로그인 상태를 저장하지 못했습니다',
    about:
      '로그인에는 성공했지만 로그인 쿠키가 저장되지 않았습니다. 이 사이트의 쿠키를 허용하거나 다른 브라우저에서 다시 로그인하세요. 내 컴퓨터에서 열어도 https에서만 쿠키를 저장하는 브라우저도 있습니다.',
  },
})

/** Explains that the browser did not keep the session cookie. */
export function NoCookie() {
  const say = useWords(words)
  return (
    <Alert color="yellow" role="alert" title={say.title}>
      {say.about}
    </Alert>
  )
}
