/** The app and mode on display. Both are in the URL, so that a shared link shows the same. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { client } from './api'
import { kept } from './kept'
import { appsQuery } from './session'

export type ShownMode = 'live' | 'test'

/** In place of an app's id. */
export const ALL_APPS = 'all'

export interface ScopeSearch {
  app?: string
  mode?: ShownMode
}

export function scopeSearch({ app, mode }: Record<string, unknown>): ScopeSearch {
  return {
    ...(typeof app === 'string' && app !== '' && { app }),
    ...((mode === 'live' || mode === 'test') && { mode }),
  }
}

const lastApp = kept('app')
const lastWasAll = kept('all-apps')
const lastMode = kept('mode')

export type ShownApp = Awaited<ReturnType<typeof client.apps.list>>['apps'][number]

export const useApps = () => useSuspenseQuery(appsQuery()).data.apps

/** Region for national phone formats of apps without their own. */
export const useDefaultRegion = () => useSuspenseQuery(appsQuery()).data.defaultRegion

/** Retention of live issues of apps without their own. */
export const useServerRetention = () => useSuspenseQuery(appsQuery()).data.liveRetentionDays

export interface AppScope {
  /** Missing while there is no app. */
  app: { appId: string; name: string } | undefined
  /** All apps together, on a page that shows them so; others show `app`. */
  isAll: boolean
  mode: ShownMode
  choose(scope: ScopeSearch): void
}

export function useScope(): AppScope {
  const apps = useApps()
  // The router passes parameters that `validateSearch` did not return, so they are validated again.
  const search = scopeSearch(useSearch({ strict: false }))
  const navigate = useNavigate()
  const known = (wanted: string | undefined) => apps.find(({ appId }) => appId === wanted)
  const wanted = search.app ?? (lastWasAll.get() === 'yes' ? ALL_APPS : lastApp.get())
  return {
    app: known(wanted) ?? known(lastApp.get()) ?? apps[0],
    isAll: apps.length > 1 && known(wanted) === undefined,
    mode: search.mode ?? (lastMode.get() === 'live' ? 'live' : 'test'),
    choose({ app, mode }) {
      if (app !== undefined) {
        lastWasAll.set(app === ALL_APPS ? 'yes' : 'no')
        if (app !== ALL_APPS) lastApp.set(app)
      }
      if (mode !== undefined) lastMode.set(mode)
      navigate({
        to: '.',
        search: (previous: ScopeSearch) => ({ ...previous, ...(app && { app }), ...(mode && { mode }) }),
      })
    },
  }
}

/** In pages whose route says `needsApp`: the frame shows them only once there is one. */
export function useAppScope(): { appId: string; appName: string; mode: ShownMode } {
  const { app, mode } = useScope()
  if (!app) throw new Error('This page needs an app')
  return { appId: app.appId, appName: app.name, mode }
}
