/** Section of a page with a heading. */
import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

export interface SectionProps {
  title: string
  about?: ReactNode
  /** Buttons beside the heading. */
  actions?: ReactNode
  children: ReactNode
  /** For links to the section. */
  id?: string
}

export function Section({ title, about, actions, children, id }: SectionProps) {
  const heading = useId()
  return (
    <Paper component="section" withBorder p={{ base: 'md', sm: 'lg' }} id={id} aria-labelledby={heading}>
      <Stack>
        <Stack gap={4}>
          <Group justify="space-between" gap="sm">
            <Title order={2} id={heading}>
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
