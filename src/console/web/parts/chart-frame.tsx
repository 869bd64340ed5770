/** Around a chart: what it shows in words, and the edge it stays within while it measures itself. */
import { Box } from '@mantine/core'
import type { ReactNode } from 'react'
import styles from './chart-frame.module.css'

export const ChartFrame = ({ label, children }: { label: string; children: ReactNode }) => (
  <Box role="img" aria-label={label} className={styles.frame}>
    {children}
  </Box>
)
