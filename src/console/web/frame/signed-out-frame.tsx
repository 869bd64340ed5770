/** Around the pages of those who are not signed in: a quiet card in the middle. */
import { Center, Group, Paper, Stack } from '@mantine/core'
import { Outlet } from '@tanstack/react-router'
import { Logo } from './logo'
import { LanguageChoice } from './user-menu'

export function SignedOutFrame() {
  return (
    <Center mih="100dvh" p="md">
      <Stack w="100%" maw={420} gap="lg">
        <Group component="header" justify="space-between">
          <Logo />
          <LanguageChoice />
        </Group>
        <Paper component="main" id="content" withBorder p={{ base: 'md', sm: 'xl' }} radius="lg">
          <Outlet />
        </Paper>
      </Stack>
    </Center>
  )
}
