/** A link to a page of one app. Beside all apps together it asks which one. */
import { Anchor, Menu } from '@mantine/core'
import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { inWords, useWords } from '../../i18n/words'
import { RowLink } from '../../parts/text'
import { useApps, useScope } from '../../scope'

const words = inWords({ en: { which: 'Of which app?' }, ko: { which: '어느 앱인가요?' } })

type AppLinkSearch = NonNullable<LinkProps['search']>

interface AppLinkProps {
  to: NonNullable<LinkProps['to']>
  search?: object | undefined
  /** Of a figure, whose name it is. */
  isLabel?: boolean
  children: ReactNode
}

export function AppLink({ to, search = {}, isLabel = false, children }: AppLinkProps) {
  const say = useWords(words)
  const { isAll } = useScope()
  const apps = useApps()
  const look = { fz: 'sm', fw: isLabel ? 500 : 400 }
  if (!isAll)
    return (
      <RowLink {...look} to={to} search={search as AppLinkSearch}>
        {children}
      </RowLink>
    )
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Anchor component="button" type="button" {...look}>
          {children}
        </Anchor>
      </Menu.Target>
      <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
        <Menu.Label>{say.which}</Menu.Label>
        {apps.map(({ appId, name }) => (
          <Menu.Item key={appId} component={Link} to={to} search={{ ...search, app: appId } as AppLinkSearch}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
