/** The places of a page, each with an address of its own. */
import { Link, type LinkProps } from '@tanstack/react-router'
import styles from './page-tabs.module.css'

export interface PageTab {
  to: NonNullable<LinkProps['to']>
  label: string
}

export const PageTabs = ({ label, tabs }: { label: string; tabs: readonly PageTab[] }) => (
  <nav aria-label={label} className={styles.tabs}>
    {tabs.map(({ to, label }) => (
      <Link key={to} to={to} activeOptions={{ exact: true, includeSearch: false }} className={styles.tab}>
        {label}
      </Link>
    ))}
  </nav>
)
