/** The one answer that all sections of the overview show. */

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, type client } from '../../api'
import { safetyNet } from '../../live'
import { useScope } from '../../scope'

export type Report = Awaited<ReturnType<typeof client.overview.show>>

export function useReport() {
  const { app, isAll, mode } = useScope()
  return useQuery(
    api.overview.show.queryOptions({
      input: { ...(app && !isAll && { appId: app.appId }), mode },
      enabled: app !== undefined,
      refetchInterval: safetyNet,
      placeholderData: keepPreviousData,
    }),
  )
}
