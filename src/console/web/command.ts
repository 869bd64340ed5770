/** How commands are to be typed on the server. */
import { useQuery } from '@tanstack/react-query'
import { api } from './api'

/** Writes a command as this server's program is called: “provider list” to “watchword provider list”. */
export function useCommand(): (words: string) => string {
  const { data } = useQuery(api.system.show.queryOptions({ staleTime: Number.POSITIVE_INFINITY }))
  return (words) => `${data?.command ?? 'watchword'} ${words}`
}
