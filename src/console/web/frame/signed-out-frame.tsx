/** Around what stands outside the frame, for those who are not signed in or went astray: a quiet card in the middle. */
import { Center, Group, Paper, Stack } from '@mantine/core'
import { Outlet } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Logo } from './logo'
import { LanguageChoice } from './user-menu'

export function SignedOutFrame({ children = <Outlet /> }: { children?: ReactNode }) {
  return (
    <Center mih="100dvh" p="md">
      <Stack w="100%" maw={420} gap="lg">
        <Group component="header" justify="space-between">
          <Logo />
          <LanguageChoice />
        </Group>
        <Paper component="main" id="content" withBorder p={{ base: 'md', sm: 'xl' }} radius="lg">
          {children}
        </Paper>
      </Stack>
    </Center>
  )
}
