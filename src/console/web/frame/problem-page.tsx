/** In place of a page that failed: what happened, what to do, and the id to look it up by. The frame around it stays. */
import { Button } from '@mantine/core'
import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import { Elsewhere, isElsewhere } from '../pages/entering/elsewhere'
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
