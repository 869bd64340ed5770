/** Section of a page with a heading. */
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
        <Stack gap={4}>
          <Group justify="space-between" gap="sm">
            <Title order={2} id={id}>
              {title}
            </Title>
            {actions}
          </Group>
          {about && (
            <Text size="sm" c="dimmed" maw={760}>
              {about}
            </Text>
          )}
        </Stack>
        {children}
      </Stack>
    </Paper>
  )
}
