/**
 * Every address of the console. Each page is a file in `pages/`, loaded when it is visited. A page with filters in its
 * address says what they are with `validateSearch` here, and reads them with `useSearch({ from: … })`.
 */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  retainSearchParams,
} from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { Frame } from './frame/frame'
import { Loading } from './frame/loading'
import { NotFound } from './frame/not-found'
import { ProblemPage } from './frame/problem-page'
import { SignedOutFrame } from './frame/signed-out-frame'
import { type ScopeSearch, scopeSearch } from './scope'
import { needSession } from './session'

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
  interface StaticDataRouteOption {
    /** Shown only once there is an app to show it of. */
    needsApp?: boolean
  }
}

type Load = () => Promise<{ default: ComponentType }>

const root = createRootRoute({
  component: Outlet,
  validateSearch: scopeSearch,
  search: { middlewares: [retainSearchParams<ScopeSearch>(['app', 'mode'])] },
})

const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Frame,
  beforeLoad: ({ location }) => needSession(location.href),
})

/** For people who come to sign in. */
const outside = createRoute({ getParentRoute: () => root, id: 'outside', component: SignedOutFrame })

const page = <const Path extends string>(path: Path, load: Load) =>
  createRoute({ getParentRoute: () => inside, path, component: lazyRouteComponent(load) })

const pageOfApp = <const Path extends string>(path: Path, load: Load) =>
  createRoute({
    getParentRoute: () => inside,
    path,
    component: lazyRouteComponent(load),
    staticData: { needsApp: true },
  })

const routes = root.addChildren([
  inside.addChildren([
    page('/', () => import('./pages/overview')),
    pageOfApp('/issues', () => import('./pages/issues')),
    page('/issues/$issueId', () => import('./pages/issue')),
    pageOfApp('/usage', () => import('./pages/usage')),
    pageOfApp('/inbox', () => import('./pages/inbox')),
    pageOfApp('/try-it', () => import('./pages/try-it')),
    page('/apps', () => import('./pages/apps')),
    pageOfApp('/keys', () => import('./pages/keys')),
    pageOfApp('/templates', () => import('./pages/templates')),
    pageOfApp('/webhooks', () => import('./pages/webhooks')),
    pageOfApp('/wallet', () => import('./pages/wallet')),
    page('/providers', () => import('./pages/providers')),
    page('/operators', () => import('./pages/operators')),
    createRoute({
      getParentRoute: () => inside,
      path: '/audit',
      component: lazyRouteComponent(() => import('./pages/audit')),
      validateSearch: ({ actor, action }: Record<string, unknown>): { actor?: string; action?: string } => ({
        ...(typeof actor === 'string' && { actor }),
        ...(typeof action === 'string' && { action }),
      }),
    }),
    page('/system', () => import('./pages/system')),
    page('/account', () => import('./pages/account')),
  ]),
  outside.addChildren([
    createRoute({
      getParentRoute: () => outside,
      path: '/sign-in',
      component: lazyRouteComponent(() => import('./pages/sign-in')),
      /** Where to go on to. */
      validateSearch: ({ from }: Record<string, unknown>): { from?: string } =>
        typeof from === 'string' && from.startsWith('/') && !from.startsWith('//') ? { from } : {},
    }),
    createRoute({
      getParentRoute: () => outside,
      path: '/set-up',
      component: lazyRouteComponent(() => import('./pages/set-up')),
    }),
    createRoute({
      getParentRoute: () => outside,
      path: '/invitation',
      component: lazyRouteComponent(() => import('./pages/invitation')),
    }),
  ]),
])

export const router = createRouter({
  routeTree: routes,
  basepath: '/console',
  defaultPreload: 'intent',
  // Show that something is loading only where it takes long enough to wonder, and no longer than it does.
  defaultPendingMs: 300,
  defaultPendingMinMs: 0,
  defaultPendingComponent: Loading,
  defaultErrorComponent: ProblemPage,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
})
