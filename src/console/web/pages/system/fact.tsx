import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { AsWritten } from '../../parts/as-written'

export const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <div>
    <Text component="dt" size="sm" c="dimmed">
      {label}
    </Text>
    <AsWritten component="dd" fw={500}>
      {children}
    </AsWritten>
  </div>
)
