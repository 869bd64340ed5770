import { inWords, useWords } from '../i18n/words'
import { PageHeader } from '../parts/page-header'

const words = inWords({
  en: { title: 'You are invited', about: 'This page follows.' },
  ko: { title: '초대를 받았습니다', about: '곧 이 페이지가 채워집니다.' },
})

export default function Invitation() {
  const say = useWords(words)
  return <PageHeader title={say.title} about={say.about} />
}
