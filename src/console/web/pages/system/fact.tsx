import { Text } from '@mantine/core'
import type { ReactNode } from 'react'

export const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <div>
    <Text component="dt" size="sm" c="dimmed">
      {label}
    </Text>
    <Text component="dd" fw={500} className="figure breakable">
      {children}
    </Text>
  </div>
)
