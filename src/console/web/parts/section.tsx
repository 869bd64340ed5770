/** A part of a page, under a heading of its own. */
import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

export interface SectionProps {
  title: string
  about?: ReactNode
  /** Buttons beside the heading. */
  actions?: ReactNode
  children: ReactNode
}

export function Section({ title, about, actions, children }: SectionProps) {
  const id = useId()
  return (
    <Paper component="section" withBorder p={{ base: 'md', sm: 'lg' }} aria-labelledby={id}>
      <Stack>
        <Group justify="space-between" align="flex-start" gap="sm">
          <Stack gap={4}>
            <Title order={2} id={id}>
              {title}
            </Title>
            {about && (
              <Text size="sm" c="dimmed" maw={640}>
                {about}
              </Text>
            )}
          </Stack>
          {actions}
        </Group>
        {children}
      </Stack>
    </Paper>
  )
}
