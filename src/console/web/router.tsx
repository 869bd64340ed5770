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
  type StaticDataRouteOption,
} from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { Frame } from './frame/frame'
import type { GuardedBy, PageOfInstallation } from './frame/may-not'
import { NotFound, ProblemPage } from './frame/problem-page'
import { SignedOutFrame } from './frame/signed-out-frame'
import { issueFilters, ledgerFilters, protectionSearch, usageSearch } from './pages/search-params'
import { Loading } from './parts/empty-state'
import { type ScopeSearch, scopeSearch } from './scope'
import { canKeepSession, needSession } from './session'

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
  interface StaticDataRouteOption {
    /** The page needs an app; without one the frame asks to create it. */
    needsApp?: boolean
    /** The choices of the header that change the page. */
    choices?: { allApps?: boolean; mode?: boolean }
    /** The permission that the page and its link need. Others see who has it. */
    needs?: GuardedBy
    /** The page is about the whole installation: operators who see some apps only see whom to ask. */
    allApps?: PageOfInstallation
  }
}

type PageLoader = () => Promise<{ default: ComponentType }>

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
  errorComponent: (problem) => (
    <SignedOutFrame>
      <ProblemPage {...problem} />
    </SignedOutFrame>
  ),
})

/** Pages for people who are not signed in. */
const outside = createRoute({ getParentRoute: () => root, id: 'outside', component: SignedOutFrame })

const wayIn = (load: PageLoader) => lazyRouteComponent(canKeepSession ? load : () => import('./pages/plain-http'))

const page = <const Path extends string>(path: Path, load: PageLoader) =>
  createRoute({ getParentRoute: () => inside, path, component: lazyRouteComponent(load) })

/** For `staticData`: pages of one app, in one mode or in both. */
const ofApp = { needsApp: true, choices: {} } as const
const ofAppAndMode = { needsApp: true, choices: { mode: true } } as const

const pageOfApp = <const Path extends string>(
  path: Path,
  load: PageLoader,
  staticData: StaticDataRouteOption = ofApp,
) => createRoute({ getParentRoute: () => inside, path, component: lazyRouteComponent(load), staticData })

const pageOfInstallation = <const Path extends string>(path: Path, load: PageLoader, allApps: PageOfInstallation) =>
  createRoute({
    getParentRoute: () => inside,
    path,
    component: lazyRouteComponent(load),
    staticData: { allApps },
  })

const routes = root.addChildren([
  inside.addChildren([
    createRoute({
      getParentRoute: () => inside,
      path: '/',
      component: lazyRouteComponent(() => import('./pages/overview')),
      staticData: { choices: { allApps: true, mode: true } },
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/issues',
      component: lazyRouteComponent(() => import('./pages/issues')),
      staticData: ofAppAndMode,
      validateSearch: issueFilters,
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/issues/$issueId',
      component: lazyRouteComponent(() => import('./pages/issue')),
      /** Keeps the filters for the link back to the list. */
      validateSearch: issueFilters,
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/usage',
      component: lazyRouteComponent(() => import('./pages/usage')),
      staticData: { needsApp: true, choices: { allApps: true, mode: true } },
      validateSearch: usageSearch,
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/protection',
      component: lazyRouteComponent(() => import('./pages/protection')),
      staticData: ofApp,
      validateSearch: protectionSearch,
    }),
    page('/notices', () => import('./pages/notices')),
    pageOfApp('/protection/policy', () => import('./pages/protection/policy')),
    pageOfApp('/inbox', () => import('./pages/inbox')),
    pageOfApp('/try-it', () => import('./pages/try-it'), { ...ofApp, needs: 'try' }),
    page('/apps', () => import('./pages/apps')),
    pageOfApp('/keys', () => import('./pages/keys'), ofAppAndMode),
    pageOfApp('/relays', () => import('./pages/relays'), ofAppAndMode),
    pageOfApp('/templates', () => import('./pages/templates')),
    createRoute({
      getParentRoute: () => inside,
      path: '/templates/edit',
      component: lazyRouteComponent(() => import('./pages/template-edit')),
      staticData: { needsApp: true },
      /** Missing for a new one. */
      validateSearch: ({ template }: Record<string, unknown>): { template?: string } =>
        typeof template === 'string' ? { template } : {},
    }),
    pageOfApp('/webhooks', () => import('./pages/webhooks'), ofAppAndMode),
    createRoute({
      getParentRoute: () => inside,
      path: '/webhooks/edit',
      component: lazyRouteComponent(() => import('./pages/webhook-edit')),
      staticData: { needsApp: true, needs: 'webhooks' },
      /** Missing for a new one. */
      validateSearch: ({ endpoint }: Record<string, unknown>): { endpoint?: string } =>
        typeof endpoint === 'string' ? { endpoint } : {},
    }),
    pageOfApp('/webhooks/$endpointId', () => import('./pages/webhook'), { needsApp: true }),
    createRoute({
      getParentRoute: () => inside,
      path: '/wallet',
      component: lazyRouteComponent(() => import('./pages/wallet')),
      staticData: ofApp,
      validateSearch: ledgerFilters,
    }),
    pageOfInstallation('/providers', () => import('./pages/providers'), 'providers'),
    pageOfInstallation('/operators', () => import('./pages/operators'), 'operators'),
    createRoute({
      getParentRoute: () => inside,
      path: '/audit',
      component: lazyRouteComponent(() => import('./pages/audit')),
      staticData: { needs: 'audit' },
      validateSearch: ({ actor, action }: Record<string, unknown>): { actor?: string; action?: string } => ({
        ...(typeof actor === 'string' && { actor }),
        ...(typeof action === 'string' && { action }),
      }),
    }),
    createRoute({
      getParentRoute: () => inside,
      path: '/privacy',
      component: lazyRouteComponent(() => import('./pages/privacy')),
      staticData: { needs: 'privacy' },
    }),
    pageOfInstallation('/system', () => import('./pages/system'), 'system'),
    page('/account', () => import('./pages/account')),
    createRoute({ getParentRoute: () => inside, path: '$', component: NotFound }),
  ]),
  outside.addChildren([
    createRoute({
      getParentRoute: () => outside,
      path: '/sign-in',
      component: wayIn(() => import('./pages/sign-in')),
      /** Path to open after the sign-in. */
      validateSearch: ({ from }: Record<string, unknown>): { from?: string } =>
        typeof from === 'string' && from.startsWith('/') && !from.startsWith('//') ? { from } : {},
    }),
    createRoute({
      getParentRoute: () => outside,
      path: '/set-up',
      component: wayIn(() => import('./pages/set-up')),
    }),
    createRoute({
      getParentRoute: () => outside,
      path: '/invitation',
      component: wayIn(() => import('./pages/invitation')),
    }),
  ]),
])

export const router = createRouter({
  routeTree: routes,
  basepath: '/console',
  defaultPreload: 'intent',
  // Shows the loader only after a noticeable delay, and hides it at once.
  defaultPendingMs: 300,
  defaultPendingMinMs: 0,
  defaultPendingComponent: Loading,
  defaultErrorComponent: ProblemPage,
  scrollRestoration: true,
})
