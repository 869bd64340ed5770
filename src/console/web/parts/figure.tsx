import { Box, Skeleton, Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface FigureProps {
  label: string
  /** Missing while it is loaded. */
  value: string | undefined
  about?: string | undefined
}

export const Figure = ({ label, value, about }: FigureProps) => (
  <div>
    <Text component="dt" size="sm" c="dimmed">
      {label}
    </Text>
    <dd>
      {value === undefined ? (
        <Skeleton height={28} width={72} />
      ) : (
        <Text fz={{ base: 18, md: 24 }} fw={600} lh={1.3}>
          {value}
        </Text>
      )}
      {about !== undefined && (
        <Text size="xs" c="dimmed">
          {about}
        </Text>
      )}
    </dd>
  </div>
)

/** Frame of a chart with its accessible name. It clips the chart while it measures itself. */
export const ChartFrame = ({ label, children }: { label: string; children: ReactNode }) => (
  <Box role="img" aria-label={label} miw={0} style={{ overflow: 'hidden' }}>
    {children}
  </Box>
)
