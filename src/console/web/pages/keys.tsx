import { IconKey } from '@tabler/icons-react'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import { EmptyState } from '../parts/empty-state'
import { PageHeader } from '../parts/page-header'

export default function Keys() {
  const say = useWords(frameWords)
  return (
    <>
      <PageHeader title={say.pages.keys} />
      <EmptyState icon={IconKey} title={say.comingSoon.title} next={say.comingSoon.next} />
    </>
  )
}
