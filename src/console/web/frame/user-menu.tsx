/** Language, appearance, account and the way out. */
import { ActionIcon, type MantineColorScheme, Menu, NativeSelect, useMantineColorScheme } from '@mantine/core'
import { IconDeviceDesktop, IconLogout, IconMoon, IconSun, IconUser, IconUserCircle } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { api, queries } from '../api'
import { frameWords } from '../i18n/frame'
import { LANGUAGES, type Language, setLanguage, useLanguage } from '../i18n/language'
import { useWords } from '../i18n/words'
import { tellProblem } from '../parts/tell'
import { useSession } from '../session'

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
  const name = operator?.name ?? ''
  return (
    <Menu position="bottom-end" width={220} withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" radius="xl" aria-label={say.user(name)}>
          <IconUserCircle size={26} stroke={1.5} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
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

/** For those who have no menu yet. */
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
