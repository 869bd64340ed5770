/** How far an installation has come on the way from nothing to messages that arrive. */
import { useQueries } from '@tanstack/react-query'
import { api } from '../../api'

export interface SetUpProgress {
  app: boolean
  /** A test code was verified. */
  tried: boolean
  key: boolean
  carrier: boolean
  credit: boolean
  webhook: boolean
}

export const STEPS = ['app', 'tried', 'key', 'carrier', 'credit', 'webhook'] as const satisfies (keyof SetUpProgress)[]
export type SetUpStep = (typeof STEPS)[number]

/** Not everybody wants webhooks. */
export const OPTIONAL: readonly SetUpStep[] = ['webhook']

export const isDone = (progress: SetUpProgress) => STEPS.every((step) => progress[step] || OPTIONAL.includes(step))

const LOOK_MS = 5_000

/** Undefined until all of it is known. */
export function useProgress(app: { appId: string } | undefined): SetUpProgress | undefined {
  const appId = app?.appId ?? ''
  const look = { enabled: app !== undefined, refetchInterval: LOOK_MS }
  const [tried, keys, carriers, wallet, webhooks] = useQueries({
    queries: [
      api.issues.list.queryOptions({ input: { appId, mode: 'test', status: 'verified', limit: 1 }, ...look }),
      api.keys.list.queryOptions({ input: { appId }, ...look }),
      api.carriers.list.queryOptions({ ...look }),
      api.wallet.show.queryOptions({ input: { appId }, ...look }),
      api.webhooks.list.queryOptions({ input: { appId }, ...look }),
    ],
  })
  if (!app) return { app: false, tried: false, key: false, carrier: false, credit: false, webhook: false }
  if (!tried.data || !keys.data || !carriers.data || !wallet.data || !webhooks.data) return undefined
  const hasLiveKey = keys.data.keys.some(({ state, mode }) => state === 'active' && mode === 'live')
  return {
    app: true,
    // Test issues are kept for a week; who has a key for real messages has tried before.
    tried: tried.data.rows.length > 0 || hasLiveKey,
    key: keys.data.keys.some(({ state }) => state === 'active'),
    carrier: carriers.data.providers.length > 0,
    credit: wallet.data.available > 0 || wallet.data.overdraftLimit > 0,
    webhook: webhooks.data.endpoints.length > 0,
  }
}
