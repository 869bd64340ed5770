/** The top of every page: its one heading, a sentence on what it is for, what can be done. Also names the tab. */
import { Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'

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
          <Text c="dimmed" size="sm" maw={640}>
            {about}
          </Text>
        )}
      </Stack>
      {children && <Group gap="xs">{children}</Group>}
    </Group>
  )
}
