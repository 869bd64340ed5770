/** Around every page of those who are signed in: sidebar, app and mode, the operator's menu. */
import { AppShell, Burger, Group, ScrollArea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Outlet, useMatches, useRouter, useRouterState } from '@tanstack/react-router'
import { Suspense, useEffect } from 'react'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import { useScope } from '../scope'
import { useSession } from '../session'
import { FirstApp } from './first-app'
import styles from './frame.module.css'
import { Loading } from './loading'
import { Logo } from './logo'
import { MayNot } from './may-not'
import { ScopeChoice } from './scope-choice'
import { Sidebar } from './sidebar'
import { UserMenu } from './user-menu'

export function Frame() {
  const say = useWords(frameWords)
  const [isOpen, { toggle, close }] = useDisclosure()
  useWayOut()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: whichever page is opened, the phone's menu closes
  useEffect(close, [path])
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <a className={styles.skipLink} href="#content">
        {say.skip}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" gap="sm" wrap="nowrap" justify="space-between">
          <Group gap="sm" wrap="nowrap">
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
          <Group gap="xs" wrap="nowrap">
            <ScopeChoice />
            <UserMenu />
          </Group>
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

/** The page itself, unless it is not for this operator, or about an app and there is none yet. */
function Page() {
  const { app } = useScope()
  const { operator } = useSession()
  const needsApp = useMatches({ select: (matches) => matches.some(({ staticData }) => staticData.needsApp) })
  const needs = useMatches({
    select: (matches) => matches.findLast(({ staticData }) => staticData.needs)?.staticData.needs,
  })
  if (operator && needs && !operator.permissions.includes(needs)) return <MayNot needs={needs} />
  return needsApp && !app ? <FirstApp /> : <Outlet />
}

/** Whoever has been signed out meanwhile is led to the way in. */
function useWayOut(): void {
  const { operator } = useSession()
  const router = useRouter()
  useEffect(() => {
    if (!operator) router.invalidate()
  }, [operator, router])
}
