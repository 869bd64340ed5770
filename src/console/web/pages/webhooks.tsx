import { IconWebhook } from '@tabler/icons-react'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import { EmptyState } from '../parts/empty-state'
import { PageHeader } from '../parts/page-header'

export default function Webhooks() {
  const say = useWords(frameWords)
  return (
    <>
      <PageHeader title={say.pages.webhooks} />
      <EmptyState icon={IconWebhook} title={say.comingSoon.title} next={say.comingSoon.next} />
    </>
  )
}
