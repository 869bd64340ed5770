/** The top of every page: its heading, a link to the guide, one sentence about the page and its buttons. Also sets the title of the tab. */
import { Group, Stack, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { GuideLink } from './guide-link'
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
        <Group gap={4}>
          <Title order={1}>{title}</Title>
          <GuideLink />
        </Group>
        {about && (
          <AsWritten c="dimmed" size="sm" maw={760}>
            {about}
          </AsWritten>
        )}
      </Stack>
      {children && <Group gap="xs">{children}</Group>}
    </Group>
  )
}
