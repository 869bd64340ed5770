/** The top of the four places of protection. */
import { frameWords } from '../../i18n/frame'
import { useWords } from '../../i18n/words'
import { PageHeader } from '../../parts/page-header'
import { PageTabs } from '../../parts/page-tabs'
import { protectionWords } from './words'

export function PlaceHeader({ about }: { about: string }) {
  const { places } = useWords(protectionWords)
  const common = useWords(frameWords)
  return (
    <>
      <PageHeader title={common.pages.protection} about={about} />
      <PageTabs
        label={common.pages.protection}
        tabs={[
          { to: '/protection', label: places.incidents },
          { to: '/protection/policy', label: places.policy },
          { to: '/protection/refused', label: places.refused },
          { to: '/protection/phones', label: places.phones },
        ]}
      />
    </>
  )
}
