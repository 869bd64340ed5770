/** The top of the four places of protection, each with an address of its own. */
import { Link } from '@tanstack/react-router'
import { frameWords } from '../../i18n/frame'
import { useWords } from '../../i18n/words'
import { PageHeader } from '../../parts/page-header'
import styles from './place-header.module.css'
import { protectionWords } from './words'

const PLACES = [
  { name: 'incidents', to: '/protection' },
  { name: 'policy', to: '/protection/policy' },
  { name: 'refused', to: '/protection/refused' },
  { name: 'phones', to: '/protection/phones' },
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
