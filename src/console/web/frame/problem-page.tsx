/** Replaces a page that failed with the error and its request id. The frame stays. */
import { Button } from '@mantine/core'
import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { frameWords } from '../i18n/frame'
import { inWords, useWords } from '../i18n/words'
import { Elsewhere, isElsewhere } from '../pages/entering/elsewhere'
import { PageHeader } from '../parts/page-header'
import { ProblemNote } from '../parts/problem-note'

export function ProblemPage({ error, reset }: ErrorComponentProps) {
  const say = useWords(frameWords)
  const router = useRouter()
  const queries = useQueryErrorResetBoundary()
  const retry = () => {
    queries.reset()
    reset()
    router.invalidate()
  }
  if (isElsewhere(error)) return <Elsewhere />
  return (
    <ProblemNote failure={error}>
      <Button variant="default" size="xs" onClick={retry}>
        {say.retry}
      </Button>
    </ProblemNote>
  )
}

const words = inWords({
  en: {
    title: 'No such page',
    next: 'This address does not exist. It may have been cut off when it was copied.',
    home: 'To the overview',
  },
  ko: {
    title: '없는 페이지입니다',
    next: '주소에 해당하는 페이지가 없습니다. 복사하면서 주소가 잘렸을 수 있습니다.',
    home: '개요로 가기',
  },
})

export function NotFound() {
  const say = useWords(words)
  return (
    <>
      <PageHeader title={say.title} about={say.next} />
      <Button component={Link} to="/" variant="default">
        {say.home}
      </Button>
    </>
  )
}
