/** Placeholder for missing content: the reason and the next step, or a loader. */
import { Center, EmptyState as Empty, Loader } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'

interface EmptyStateProps {
  icon: Icon
  title: string
  /** The next step, as a sentence. */
  next: ReactNode
  /** Buttons for the next step. */
  children?: ReactNode
}

export const EmptyState = ({ icon: EmptyIcon, title, next, children }: EmptyStateProps) => (
  <Empty p="xl" withIndicatorBackground icon={<EmptyIcon stroke={1.5} aria-hidden />} title={title} description={next}>
    {children && <Empty.Actions>{children}</Empty.Actions>}
  </Empty>
)

export function Loading() {
  const say = useWords(frameWords)
  return (
    <Center mih={200} role="status" aria-label={say.loading}>
      <Loader />
    </Center>
  )
}
