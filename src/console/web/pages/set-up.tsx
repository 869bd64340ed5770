import { inWords, useWords } from '../i18n/words'
import { PageHeader } from '../parts/page-header'

const words = inWords({
  en: { title: 'Set up Watchword', about: 'This page follows.' },
  ko: { title: 'Watchword 설정', about: '곧 이 페이지가 채워집니다.' },
})

export default function SetUp() {
  const say = useWords(words)
  return <PageHeader title={say.title} about={say.about} />
}
