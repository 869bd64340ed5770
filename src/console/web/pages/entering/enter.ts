/** What follows once somebody is let in. */
import { useRouter } from '@tanstack/react-router'
import { api, queries } from '../../api'

/** The server let them in, and the browser has no cookie to show for it. */
export class SessionLost extends Error {}

/** Forgets what was known of whoever was here before, and goes on to a page of the frame. Throws `SessionLost`. */
export function useEnter(): (to?: string) => Promise<void> {
  const router = useRouter()
  return async (to = '/') => {
    const session = api.session.current.queryOptions()
    queries.removeQueries({ predicate: ({ queryHash }) => !queryHash.includes('"session"') })
    const { operator } = await queries.fetchQuery({ ...session, staleTime: 0 })
    if (!operator) throw new SessionLost()
    // Replaces the address, and with it the token of a link.
    await router.navigate({ href: pathWithin(to), replace: true })
  }
}

/** An address of the console, whatever was asked for. */
function pathWithin(to: string): string {
  const url = new URL(to, location.origin)
  return url.origin === location.origin ? `${url.pathname}${url.search}${url.hash}` : '/'
}
