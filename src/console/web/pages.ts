/** The pages of the sidebar: where, under which icon. What they load, and for whom, stands in `router.tsx`. */
import {
  type Icon,
  IconApps,
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
  IconUserShield,
  IconUsers,
  IconWallet,
  IconWebhook,
} from '@tabler/icons-react'
import type { frameWords } from './i18n/frame'

export interface PageLink {
  name: keyof (typeof frameWords)['en']['pages']
  to: string
  icon: Icon
}

export const PAGE_GROUPS = {
  watch: [
    { name: 'overview', to: '/', icon: IconLayoutDashboard },
    { name: 'issues', to: '/issues', icon: IconMessages },
    { name: 'usage', to: '/usage', icon: IconChartBar },
    { name: 'protection', to: '/protection', icon: IconShieldCheck },
    { name: 'inbox', to: '/inbox', icon: IconInbox },
    { name: 'tryIt', to: '/try-it', icon: IconPlayerPlay },
  ],
  build: [
    { name: 'apps', to: '/apps', icon: IconApps },
    { name: 'keys', to: '/keys', icon: IconKey },
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

export const PAGE_GROUP_NAMES = ['watch', 'build', 'operate'] as const
