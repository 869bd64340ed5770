import { useQuery } from '@tanstack/react-query'
import { api } from '../../api'
import { safetyNet } from '../../live'
import { useAppScope } from '../../scope'

/** What holds now: blocks, exemptions, baselines and locked phones. */
export function useProtectionState() {
  const { appId } = useAppScope()
  return useQuery(api.protection.state.queryOptions({ input: { appId }, refetchInterval: safetyNet }))
}
