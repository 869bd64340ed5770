import { NavLink, Stack, Text } from '@mantine/core'
import {
  type Icon,
  IconApi,
  IconApps,
  IconBell,
  IconBook,
  IconChartBar,
  IconHistory,
  IconInbox,
  IconKey,
  IconLayoutDashboard,
  IconMessages,
  IconPlayerPlay,
  IconRoute,
  IconServer2,
  IconShieldCheck,
  IconTemplate,
  IconTransferIn,
  IconUserShield,
  IconUsers,
  IconWallet,
  IconWebhook,
} from '@tabler/icons-react'
import { Link, useRouter } from '@tanstack/react-router'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import { useMay, useSeesAllApps } from '../session'
import styles from './sidebar.module.css'

interface PageLink {
  name: keyof (typeof frameWords)['en']['pages']
  to: string
  icon: Icon
}

/** The pages of the sidebar with path and icon. `router.tsx` has their components and permissions. */
const PAGE_GROUPS = {
  watch: [
    { name: 'overview', to: '/', icon: IconLayoutDashboard },
    { name: 'issues', to: '/issues', icon: IconMessages },
    { name: 'usage', to: '/usage', icon: IconChartBar },
    { name: 'protection', to: '/protection', icon: IconShieldCheck },
    { name: 'notices', to: '/notices', icon: IconBell },
    { name: 'inbox', to: '/inbox', icon: IconInbox },
    { name: 'tryIt', to: '/try-it', icon: IconPlayerPlay },
  ],
  build: [
    { name: 'apps', to: '/apps', icon: IconApps },
    { name: 'keys', to: '/keys', icon: IconKey },
    { name: 'relays', to: '/relays', icon: IconTransferIn },
    { name: 'templates', to: '/templates', icon: IconTemplate },
    { name: 'webhooks', to: '/webhooks', icon: IconWebhook },
    { name: 'wallet', to: '/wallet', icon: IconWallet },
  ],
  operate: [
    { name: 'providers', to: '/providers', icon: IconRoute },
    { name: 'operators', to: '/operators', icon: IconUsers },
    { name: 'audit', to: '/audit', icon: IconHistory },
    { name: 'privacy', to: '/privacy', icon: IconUserShield },
    { name: 'system', to: '/system', icon: IconServer2 },
  ],
} as const satisfies Record<string, readonly PageLink[]>

const PAGE_GROUP_NAMES = ['watch', 'build', 'operate'] as const

/** Those of the sidebar, and the account. */
export const PAGES = [...Object.values(PAGE_GROUPS).flat(), { name: 'account', to: '/account' } as const]
export type PagePath = (typeof PAGES)[number]['to']

/** Whether the role allows a page. */
export function useMayOpen(): (to: PagePath) => boolean {
  const may = useMay()
  const seesAllApps = useSeesAllApps()
  const { routesByPath } = useRouter()
  return (to) => {
    const { needs, allApps } = routesByPath[to]?.options.staticData ?? {}
    return (needs === undefined || may(needs)) && (allApps === undefined || seesAllApps)
  }
}

export function Sidebar() {
  const say = useWords(frameWords)
  const mayOpen = useMayOpen()
  return (
    <Stack gap="md">
      {PAGE_GROUP_NAMES.filter((group) => PAGE_GROUPS[group].some(({ to }) => mayOpen(to))).map((group) => (
        <div key={group}>
          <Text size="xs" fw={600} c="dimmed" px="sm" pb={4} id={`pages-${group}`}>
            {say.groups[group]}
          </Text>
          <ul aria-labelledby={`pages-${group}`}>
            {PAGE_GROUPS[group]
              .filter(({ to }) => mayOpen(to))
              .map(({ name, to, icon: PageIcon }) => (
                <li key={name}>
                  <NavLink
                    component={Link}
                    to={to}
                    activeOptions={{ exact: to === '/', includeSearch: false }}
                    label={say.pages[name]}
                    leftSection={<PageIcon size={18} stroke={1.6} aria-hidden />}
                    className={styles.pageLink}
                  />
                </li>
              ))}
          </ul>
        </div>
      ))}
      <div>
        <NavLink
          href="/docs/guide"
          target="_blank"
          label={say.documentation}
          leftSection={<IconBook size={18} stroke={1.6} aria-hidden />}
          className={styles.pageLink}
        />
        <NavLink
          href="/docs"
          target="_blank"
          label={say.reference}
          leftSection={<IconApi size={18} stroke={1.6} aria-hidden />}
          className={styles.pageLink}
        />
      </div>
    </Stack>
  )
}
