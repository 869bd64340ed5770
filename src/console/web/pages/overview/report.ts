/** The one answer that all sections of the overview show. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, type client } from '../../api'
import { useScope } from '../../scope'

export type Report = Awaited<ReturnType<typeof client.overview.show>>

const LOOK_MS = 5_000

export function useReport() {
  const { app, isAll, mode } = useScope()
  return useQuery(
    api.overview.show.queryOptions({
      input: { ...(app && !isAll && { appId: app.appId }), mode },
      enabled: app !== undefined,
      refetchInterval: LOOK_MS,
      placeholderData: keepPreviousData,
    }),
  )
}
