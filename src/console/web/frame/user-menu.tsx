/** The operator's menu: account, language, time zone, appearance and sign-out. */
import {
  Group,
  type MantineColorScheme,
  Menu,
  NativeSelect,
  Stack,
  Text,
  UnstyledButton,
  useMantineColorScheme,
} from '@mantine/core'
import {
  IconClock,
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconSun,
  IconUser,
  IconUserCircle,
} from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { api, queries } from '../api'
import { frameWords } from '../i18n/frame'
import { roleWords } from '../i18n/roles'
import { LANGUAGES, type Language, setLanguage, useLanguage, useWords } from '../i18n/words'
import { tellProblem } from '../parts/tell'
import { AsWritten } from '../parts/text'
import { useSession } from '../session'
import { useTimeZone } from '../time-zone'

const THEMES = [
  ['auto', IconDeviceDesktop],
  ['light', IconSun],
  ['dark', IconMoon],
] as const satisfies [MantineColorScheme, unknown][]

const languages = Object.entries(LANGUAGES) as [Language, string][]

export function UserMenu() {
  const say = useWords(frameWords)
  const { operator } = useSession()
  const chosen = useLanguage()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const navigate = useNavigate()
  const signOut = useMutation(
    api.session.signOut.mutationOptions({
      async onSuccess() {
        queries.clear()
        await navigate({ to: '/sign-in', search: {} })
      },
      onError: tellProblem,
    }),
  )
  const roles = useWords(roleWords)
  const zone = useTimeZone()
  if (!operator) return null
  const { name, email } = operator
  const role = roles.names[operator.role]
  return (
    <Menu position="bottom-end" width={220} withinPortal>
      <Menu.Target>
        <UnstyledButton p={5} aria-label={say.user(name, role)}>
          <Group gap="xs" wrap="nowrap">
            <IconUserCircle size={26} stroke={1.5} aria-hidden />
            {/* The space keeps name and role apart for those who hear them. */}
            <Stack gap={0} maw={160} visibleFrom="md">
              <Text size="sm" fw={600} lh={1.3} truncate title={name}>
                {name}{' '}
              </Text>
              <Text size="xs" c="dimmed" lh={1.3}>
                {role}
              </Text>
            </Stack>
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <AsWritten size="sm" fw={600} c="var(--mantine-color-text)">
            {name}
          </AsWritten>
          <AsWritten size="xs">{email}</AsWritten>
          <Text size="xs">{role}</Text>
        </Menu.Label>
        <Menu.Item component={Link} to="/account" leftSection={<IconUser size={16} />}>
          {say.pages.account}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{say.language}</Menu.Label>
        <Menu.RadioGroup value={chosen} onChange={(value) => setLanguage(value as Language)}>
          {languages.map(([code, name]) => (
            <Menu.RadioItem key={code} value={code} lang={code}>
              {name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>{say.timeZone}</Menu.Label>
        <Menu.Item component={Link} to="/account" hash="time-zone" leftSection={<IconClock size={16} />}>
          {zone}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{say.theme}</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(value) => setColorScheme(value as MantineColorScheme)}>
          {THEMES.map(([scheme, ThemeIcon]) => (
            <Menu.RadioItem key={scheme} value={scheme} rightSection={<ThemeIcon size={16} />}>
              {say.themes[scheme]}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => signOut.mutate({})}>
          {say.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** For visitors who are not signed in and have no menu. */
export function LanguageChoice() {
  const say = useWords(frameWords)
  const chosen = useLanguage()
  return (
    <NativeSelect
      size="xs"
      aria-label={say.language}
      value={chosen}
      onChange={(event) => setLanguage(event.currentTarget.value as Language)}
      data={languages.map(([value, label]) => ({ value, label }))}
    />
  )
}
