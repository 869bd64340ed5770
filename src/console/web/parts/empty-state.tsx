/** Nothing to show: why, and the next step. */
import { EmptyState as Empty } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import type { ReactNode } from 'react'

export interface EmptyStateProps {
  icon: Icon
  title: string
  /** What to do now, as a sentence. */
  next: ReactNode
  /** The buttons to do it with. */
  children?: ReactNode
}

export const EmptyState = ({ icon: EmptyIcon, title, next, children }: EmptyStateProps) => (
  <Empty p="xl" withIndicatorBackground icon={<EmptyIcon stroke={1.5} aria-hidden />} title={title} description={next}>
    {children && <Empty.Actions>{children}</Empty.Actions>}
  </Empty>
)
