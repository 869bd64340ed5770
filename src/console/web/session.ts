/** The current session. Pages inside the frame always have an operator. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { redirect } from '@tanstack/react-router'
import { everyApp } from '../../admin/every-app'
import type { Permission } from '../../domain/access/operator'
import { api, client, queries } from './api'
import { isElsewhere } from './pages/entering/elsewhere'

export const appsQuery = () => ({
  ...api.apps.list.queryOptions({ staleTime: 30_000 }),
  queryFn: () => everyApp(client),
})

const query = () => api.session.current.queryOptions({ staleTime: 30_000 })

/** Browsers keep the cookie of a session, which is `Secure`, from https and from their own machine only. */
export const canKeepSession = isSecureContext

/** Redirects to the sign-in page if nobody is signed in. */
export async function needSession(from: string): Promise<void> {
  if (!canKeepSession) throw redirect({ to: '/sign-in', search: { from } })
  const session = await queries.ensureQueryData({ ...query(), revalidateIfStale: true }).catch((failure) => {
    // The sign-in page explains the failure.
    if (isElsewhere(failure)) throw redirect({ to: '/sign-in', search: { from } })
    throw failure
  })
  if (!session.operator) throw redirect({ to: '/sign-in', search: { from } })
  // The frame needs the apps first; a failure is shown where they are used.
  await queries.prefetchQuery(appsQuery())
}

export const useSession = () => useSuspenseQuery(query()).data

/** Whether the operator sees the whole installation, and not some apps only. */
export const useSeesAllApps = (): boolean => useSession().operator?.appIds === undefined

/** Whether the role allows it. This only hides buttons; the server decides. */
export function useMay(): (permission: Permission) => boolean {
  const { operator } = useSession()
  return (permission) => operator?.permissions.includes(permission) ?? false
}
