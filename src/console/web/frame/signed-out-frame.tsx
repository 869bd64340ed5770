/** The frame of pages outside the console's frame, for visitors who are not signed in or followed a wrong link. */
import { Center, Group, Paper, Stack, Text } from '@mantine/core'
import { Outlet } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import icon from '../../../http/icon.svg'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
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

/** `isShort` hides the name on narrow screens. */
export function Logo({ isShort = false }: { isShort?: boolean }) {
  const say = useWords(frameWords)
  return (
    <Group gap="xs" wrap="nowrap">
      <img src={icon} alt="" width={26} height={26} />
      <Text fw={700} {...(isShort && { visibleFrom: 'xs' })}>
        {say.product}
      </Text>
    </Group>
  )
}
