import { useQuery } from '@tanstack/react-query'
import { api } from '../../api'
import { safetyNet } from '../../live'
import { useAppScope } from '../../scope'

/** Blocks, exemptions, baselines and locked phones that hold now. */
export function useProtectionState() {
  const { appId } = useAppScope()
  return useQuery(api.protection.state.queryOptions({ input: { appId }, refetchInterval: safetyNet }))
}
