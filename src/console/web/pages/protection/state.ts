import { useQuery } from '@tanstack/react-query'
import { api } from '../../api'
import { useAppScope } from '../../scope'

const LOOK_MS = 5_000

/** What holds now: blocks, exemptions, baselines and locked phones. */
export function useProtectionState() {
  const { appId } = useAppScope()
  return useQuery(api.protection.state.queryOptions({ input: { appId }, refetchInterval: LOOK_MS }))
}
