/** Who is signed in. Pages inside the frame always have somebody; others are for those who come to sign in. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { redirect } from '@tanstack/react-router'
import type { Permission } from '../../domain/access/role'
import { api, queries } from './api'
import { isElsewhere } from './pages/entering/elsewhere'

export const appsQuery = () => api.apps.list.queryOptions({ staleTime: 30_000 })

const query = () => api.session.current.queryOptions({ staleTime: 30_000 })

/** Browsers keep the cookie of a session, which is `Secure`, from https and from their own machine only. */
export const canKeepSession = isSecureContext

/** Before a page of the frame: leads whoever is not signed in to where they can be. */
export async function needSession(from: string): Promise<void> {
  if (!canKeepSession) throw redirect({ to: '/sign-in', search: { from } })
  const session = await queries.ensureQueryData({ ...query(), revalidateIfStale: true }).catch((failure) => {
    // There it is explained.
    if (isElsewhere(failure)) throw redirect({ to: '/sign-in', search: { from } })
    throw failure
  })
  if (!session.operator) throw redirect({ to: '/sign-in', search: { from } })
  // The frame shows them first of all; a failure is told where they are shown.
  await queries.prefetchQuery(appsQuery())
}

export const useSession = () => useSuspenseQuery(query()).data

/** Whether the operator may do it. Hides what would only be refused; the server decides. */
export function useMay(): (permission: Permission) => boolean {
  const { operator } = useSession()
  return (permission) => operator?.permissions.includes(permission) ?? false
}
