import { IconServer2 } from '@tabler/icons-react'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import { EmptyState } from '../parts/empty-state'
import { PageHeader } from '../parts/page-header'

export default function System() {
  const say = useWords(frameWords)
  return (
    <>
      <PageHeader title={say.pages.system} />
      <EmptyState icon={IconServer2} title={say.comingSoon.title} next={say.comingSoon.next} />
    </>
  )
}
