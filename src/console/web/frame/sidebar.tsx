import { NavLink, Stack, Text } from '@mantine/core'
import { IconApi, IconBook } from '@tabler/icons-react'
import { Link, useRouter } from '@tanstack/react-router'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import { PAGE_GROUP_NAMES, PAGE_GROUPS, type PageLink } from '../pages'
import { useMay } from '../session'
import styles from './sidebar.module.css'

export function Sidebar() {
  const say = useWords(frameWords)
  const may = useMay()
  const { routesByPath } = useRouter()
  const isOpen = ({ to }: PageLink) => {
    const needs = routesByPath[to]?.options.staticData?.needs
    return needs === undefined || may(needs)
  }
  return (
    <Stack gap="md">
      {PAGE_GROUP_NAMES.map((group) => (
        <div key={group}>
          <Text size="xs" fw={600} c="dimmed" px="sm" pb={4} id={`pages-${group}`}>
            {say.groups[group]}
          </Text>
          <ul aria-labelledby={`pages-${group}`}>
            {PAGE_GROUPS[group].filter(isOpen).map(({ name, to, icon: PageIcon }) => (
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
