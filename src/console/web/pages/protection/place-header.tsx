/** The top of the two places of protection, each with an address of its own. */
import { Link } from '@tanstack/react-router'
import { frameWords } from '../../i18n/frame'
import { useWords } from '../../i18n/words'
import { PageHeader } from '../../parts/page-header'
import styles from './place-header.module.css'
import { protectionWords } from './words'

const PLACES = [
  { name: 'refused', to: '/protection' },
  { name: 'policy', to: '/protection/policy' },
] as const

export function PlaceHeader({ about }: { about: string }) {
  const { places } = useWords(protectionWords)
  const common = useWords(frameWords)
  return (
    <>
      <PageHeader title={common.pages.protection} about={about} />
      <nav aria-label={common.pages.protection} className={styles.tabs}>
        {PLACES.map(({ name, to }) => (
          <Link key={to} to={to} activeOptions={{ exact: true, includeSearch: false }} className={styles.tab}>
            {places[name]}
          </Link>
        ))}
      </nav>
    </>
  )
}
