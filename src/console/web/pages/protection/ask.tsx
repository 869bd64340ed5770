/** A question before a decision about where codes go, in a window of its own. */
import { Button, Group, Skeleton, Stack } from '@mantine/core'
import { modals } from '@mantine/modals'
import { type UseQueryResult, useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { frameWords } from '../../i18n/frame'
import { useWords } from '../../i18n/words'
import { ProblemNote } from '../../parts/problem-note'
import type { ShownLately } from './touched'

/** `Content` is given what closes the window. */
export function openQuestion(title: string, content: (onClose: () => void) => ReactNode): void {
  const modalId = modals.open({ title, children: content(() => modals.close(modalId)) })
}

interface QuestionProps {
  lately: UseQueryResult<ShownLately>
  /** The button's word. */
  action: string
  /** Missing while nothing is chosen. */
  run: (() => Promise<unknown>) | undefined
  onClose(): void
  children(lately: ShownLately): ReactNode
}

export function Question({ lately, action, run, onClose, children }: QuestionProps) {
  const common = useWords(frameWords)
  const doing = useMutation({ mutationFn: async () => run?.(), onSuccess: onClose })
  return (
    <Stack>
      {lately.isError && <ProblemNote failure={lately.error} />}
      {lately.isPending && <Skeleton height={80} />}
      {lately.data && children(lately.data)}
      {doing.isError && <ProblemNote failure={doing.error} />}
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={onClose}>
          {common.cancel}
        </Button>
        <Button
          color="red"
          onClick={() => doing.mutate()}
          loading={doing.isPending}
          disabled={!lately.data || run === undefined}
        >
          {action}
        </Button>
      </Group>
    </Stack>
  )
}
