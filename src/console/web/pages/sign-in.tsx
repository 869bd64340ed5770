import { inWords, useWords } from '../i18n/words'
import { PageHeader } from '../parts/page-header'

const words = inWords({
  en: { title: 'Sign in', about: 'This page follows.' },
  ko: { title: '로그인', about: '곧 이 페이지가 채워집니다.' },
})

export default function SignIn() {
  const say = useWords(words)
  return <PageHeader title={say.title} about={say.about} />
}
