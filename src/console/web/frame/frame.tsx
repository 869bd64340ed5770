/** The frame of every page after the sign-in: sidebar, choice of app and mode, and the operator's menu. */
import { AppShell, Burger, Button, Group, ScrollArea, SegmentedControl, Select } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconApps } from '@tabler/icons-react'
import { Link, Outlet, useMatches, useRouter, useRouterState } from '@tanstack/react-router'
import { Suspense, useEffect } from 'react'
import { frameWords } from '../i18n/frame'
import { inWords, useWords } from '../i18n/words'
import { useLive } from '../live'
import { EmptyState, Loading } from '../parts/empty-state'
import { PageHeader } from '../parts/page-header'
import { ALL_APPS, type ShownMode, useApps, useScope } from '../scope'
import { useSession } from '../session'
import { Bell } from './bell'
import { Find } from './find'
import styles from './frame.module.css'
import { MayNot, NotYourApps } from './may-not'
import { PAGES, Sidebar } from './sidebar'
import { Logo } from './signed-out-frame'
import { UserMenu } from './user-menu'

export function Frame() {
  const say = useWords(frameWords)
  const [isOpen, { toggle, close }] = useDisclosure()
  useWayOut()
  useLive()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: whichever page is opened, the phone's menu closes
  useEffect(close, [path])
  const choices = useChoices()
  return (
    <AppShell
      header={{ height: choices ? { base: 98, xs: 56 } : 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <a className={styles.skipLink} href="#content">
        {say.skip}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" gap={6} className={styles.header}>
          <Group gap="xs" wrap="nowrap" me="auto">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={say.menu}
              aria-expanded={isOpen}
            />
            <Logo isShort />
          </Group>
          <Find />
          <Bell />
          {choices && <ScopeChoice {...choices} />}
          <UserMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label={say.navigation} mod={{ closed: !isOpen }} className={styles.sidebar}>
        <AppShell.Section grow component={ScrollArea} p="xs">
          <Sidebar />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <Suspense fallback={<Loading />}>
          <Page />
        </Suspense>
      </AppShell.Main>
    </AppShell>
  )
}

/** The choices that the page offers; undefined where app and mode change nothing. */
function useChoices() {
  const apps = useApps()
  const choices = useMatches({
    select: (matches) => matches.findLast(({ staticData }) => staticData.choices)?.staticData.choices,
  })
  return apps.length === 0 ? undefined : choices
}

/** The page itself, or a notice if the role does not allow it or there is no app yet. */
function Page() {
  const { app } = useScope()
  const { operator } = useSession()
  const needsApp = useMatches({ select: (matches) => matches.some(({ staticData }) => staticData.needsApp) })
  const needs = useMatches({
    select: (matches) => matches.findLast(({ staticData }) => staticData.needs)?.staticData.needs,
  })
  const allApps = useMatches({
    select: (matches) => matches.findLast(({ staticData }) => staticData.allApps)?.staticData.allApps,
  })
  if (operator?.appIds && allApps) return <NotYourApps page={allApps} />
  if (operator && needs && !operator.permissions.includes(needs)) return <MayNot needs={needs} />
  return needsApp && !app ? <FirstApp /> : <Outlet />
}

/** Redirects to the sign-in page when the session has ended. */
function useWayOut(): void {
  const { operator } = useSession()
  const router = useRouter()
  useEffect(() => {
    if (!operator) router.invalidate()
  }, [operator, router])
}

const words = inWords({
  en: {
    title: 'No app yet',
    next: 'Keys, messages and credit belong to an app. Create the first one.',
    make: 'Create an app',
  },
  ko: { title: '아직 앱이 없습니다', next: '키, 메시지, 크레딧은 앱에 속합니다. 첫 앱을 만드세요.', make: '앱 만들기' },
})

function FirstApp() {
  const say = useWords(words)
  const common = useWords(frameWords)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const page = PAGES.find(({ to }) => to !== '/' && path.startsWith(to))
  return (
    <>
      {page && <PageHeader title={common.pages[page.name]} />}
      <EmptyState icon={IconApps} title={say.title} next={say.next}>
        <Button component={Link} to="/">
          {say.make}
        </Button>
      </EmptyState>
    </>
  )
}

/** Clearly different colours for live and test, both with enough contrast for white text. */
const LIVE = '#087f5b'
const TEST = '#a83c0c'

/** The choice of app and mode. On phones it is a row of its own, so that names can be read. */
function ScopeChoice({ allApps = false, mode: hasMode = false }: NonNullable<ReturnType<typeof useChoices>>) {
  const say = useWords(frameWords)
  const apps = useApps()
  const { app, isAll, mode, choose } = useScope()
  const all = allApps && apps.length > 1 ? [{ value: ALL_APPS, label: say.allApps }] : []
  return (
    <Group gap={6} wrap="nowrap" className={styles.scope}>
      <Select
        aria-label={say.app}
        size="xs"
        flex={{ base: 1, xs: 'none' }}
        w={{ xs: 130, sm: 180, lg: 260 }}
        title={app?.name}
        styles={{ input: { textOverflow: 'ellipsis' } }}
        allowDeselect={false}
        searchable={apps.length > 10}
        comboboxProps={{ width: 240, position: 'bottom-end' }}
        value={all.length > 0 && isAll ? ALL_APPS : (app?.appId ?? null)}
        data={[...all, ...apps.map(({ appId, name }) => ({ value: appId, label: name }))]}
        onChange={(appId) => appId !== null && choose({ app: appId })}
      />
      {hasMode && (
        <SegmentedControl
          aria-label={say.mode}
          size="xs"
          color={mode === 'live' ? LIVE : TEST}
          value={mode}
          data={[
            { value: 'test', label: say.test },
            { value: 'live', label: say.live },
          ]}
          onChange={(value) => choose({ mode: value as ShownMode })}
        />
      )}
    </Group>
  )
}
