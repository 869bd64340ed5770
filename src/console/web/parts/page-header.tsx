/** The top of every page: its one heading, a sentence on what it is for, what can be done. Also names the tab. */
import { Group, Stack, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { AsWritten } from './text'

export interface PageHeaderProps {
  title: string
  about?: ReactNode
  /** Buttons. */
  children?: ReactNode
}

export function PageHeader({ title, about, children }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${title} · Watchword`
  }, [title])
  return (
    <Group justify="space-between" align="flex-start" mb="lg" gap="sm">
      <Stack gap={4} flex="1 1 320px">
        <Title order={1}>{title}</Title>
        {about && (
          <AsWritten c="dimmed" size="sm" maw={640}>
            {about}
          </AsWritten>
        )}
      </Stack>
      {children && <Group gap="xs">{children}</Group>}
    </Group>
  )
}
