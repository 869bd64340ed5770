/** A button in a row of a table. Its name says which row it is for, since the text alone is the same in every row. */
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'

export interface RowActionProps {
  /** Accessible name, such as “Remove login”. */
  name: string
  /** For what takes something away. */
  isDestructive?: boolean
  isBusy?: boolean
  onClick(): void
  children: ReactNode
}

export function RowAction({ name, isDestructive, isBusy = false, onClick, children }: RowActionProps) {
  const look = isDestructive ? { variant: 'subtle', color: 'red' } : { variant: 'default' }
  return (
    <Button size="compact-sm" {...look} aria-label={name} loading={isBusy} onClick={onClick}>
      {children}
    </Button>
  )
}
