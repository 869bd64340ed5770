/**
 * The one search: pages, settings and apps while typing, and what the server finds on Enter. A phone number goes into the
 * body of that call only: neither into the address nor into a cache.
 */
import { ActionIcon, Button, Combobox, Group, Kbd, Loader, Modal, Text, TextInput, useCombobox } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { api } from '../api'
import { findWords } from '../i18n/find'
import { useFormats } from '../i18n/format'
import { frameWords } from '../i18n/frame'
import { useWhoMay } from '../i18n/roles'
import { useWords, type Words } from '../i18n/words'
import { ProblemNote } from '../parts/problem-note'
import { DeliveryMark, Mark, VerificationMark } from '../parts/status'
import { AsWritten } from '../parts/text'
import { useApps } from '../scope'
import { useMay } from '../session'
import styles from './find.module.css'
import { PAGES, type PagePath, useMayOpen } from './sidebar'

const SHORTCUT = /Mac|iP/.test(navigator.platform) ? '⌘ K' : 'Ctrl K'

/** Not over another dialog: it may show a key that is never shown again. */
const isFree = () => document.querySelector('[role=dialog]') === null

export function Find() {
  const say = useWords(findWords)
  const common = useWords(frameWords)
  const [isOpen, { open, close }] = useDisclosure()
  const openIfFree = () => isFree() && open()
  useHotkeys([['mod+K', openIfFree]], [])
  useHotkeys([['/', openIfFree]])
  return (
    <>
      <Button
        visibleFrom="lg"
        size="xs"
        variant="default"
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={<Kbd size="xs">{SHORTCUT}</Kbd>}
        onClick={open}
      >
        {say.open}
      </Button>
      <ActionIcon hiddenFrom="lg" size={30} variant="default" aria-label={say.open} onClick={open}>
        <IconSearch size={16} aria-hidden />
      </ActionIcon>
      <Modal
        opened={isOpen}
        onClose={close}
        title={say.label}
        size="lg"
        centered={false}
        closeButtonProps={{ 'aria-label': common.close }}
      >
        <FindField onDone={close} />
      </Modal>
    </>
  )
}

interface Choice {
  id: string
  label: ReactNode
  open(): unknown
}

type ChoiceGroup = keyof (typeof findWords)['en']['groups']

function FindField({ onDone }: { onDone(): void }) {
  const say = useWords(findWords)
  const common = useWords(frameWords)
  const formats = useFormats()
  const navigate = useNavigate()
  const mayFindPhones = useMay()('find')
  const whoMay = useWhoMay()
  const [typed, setTyped] = useState('')
  const text = typed.trim()
  const local = useLocalChoices(text)
  // Without `gcTime` the number would stay in the cache for minutes.
  const { data, error, isPending, mutate, reset } = useMutation(api.issues.find.mutationOptions({ gcTime: 0 }))
  const combobox = useCombobox({ opened: true })
  const { selectFirstOption } = combobox
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first of other options is selected, too
  useEffect(() => {
    selectFirstOption()
  }, [text, data, selectFirstOption])

  // The dialog moves the focus a moment later, and the first letters would be lost.
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])

  const groups: Record<ChoiceGroup, Choice[]> = {
    issues: (data?.issues ?? []).map(({ issueId, appName, createdAt, country, ...issue }) => ({
      id: issueId,
      label: (
        <Group justify="space-between" gap={4}>
          <div>
            <AsWritten size="sm">{issue.purpose}</AsWritten>
            <Text size="xs" c="dimmed">
              {[formats.time(createdAt), appName, country].filter(Boolean).join(' · ')}
            </Text>
          </div>
          <Group gap={4}>
            {issue.mode === 'test' && <Mark color="orange">{common.test}</Mark>}
            <VerificationMark of={issue} />
            <DeliveryMark status={issue.deliveryStatus} isAmbiguous={issue.isAmbiguous} />
          </Group>
        </Group>
      ),
      open: () => navigate({ to: '/issues/$issueId', params: { issueId } }),
    })),
    keys: (data?.keys ?? []).map(({ keyId, shown, appId, appName, mode }) => ({
      id: keyId,
      label: [shown, appName, common[mode]].join(' · '),
      open: () => navigate({ to: '/keys', search: { app: appId, mode } }),
    })),
    ...local,
  }
  const asks: Choice[] = text === '' || data ? [] : [{ id: 'ask', label: say.ask(text), open: () => mutate({ text }) }]
  const choices = [...Object.values(groups).flat(), ...asks]
  const choose = (id: string) => {
    choices.find((choice) => choice.id === id)?.open()
    if (id !== 'ask') onDone()
  }
  const count = groups.issues.length + groups.keys.length
  return (
    <Combobox store={combobox} onOptionSubmit={choose}>
      <Combobox.EventsTarget withExpandedAttribute>
        <TextInput
          ref={field}
          data-autofocus
          aria-label={say.label}
          placeholder={mayFindPhones ? say.hint : say.noPhone.hint}
          description={mayFindPhones ? say.about : say.noPhone.about(whoMay('find'))}
          inputWrapperOrder={['input', 'description']}
          leftSection={<IconSearch size={16} aria-hidden />}
          rightSection={isPending && <Loader size={16} />}
          value={typed}
          maxLength={256}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => {
            setTyped(event.currentTarget.value)
            reset()
          }}
          // The field keeps the key from the dialog.
          onKeyDown={({ key }) => key === 'Escape' && onDone()}
        />
      </Combobox.EventsTarget>
      <Combobox.Options aria-label={say.label} mt="sm">
        {(Object.keys(groups) as ChoiceGroup[])
          .filter((group) => groups[group].length > 0)
          .map((group) => (
            <Combobox.Group key={group} label={say.groups[group]}>
              <Choices of={groups[group]} />
            </Combobox.Group>
          ))}
        <Choices of={asks} />
      </Combobox.Options>
      <div role="status">
        {data && (
          <Text size="sm" mt="xs" {...(count > 0 && { c: 'dimmed' })}>
            {count > 0 ? say.found(count) : `${say.nothing}. ${say.nothingNext}`}
          </Text>
        )}
      </div>
      {error && <ProblemNote failure={error} />}
    </Combobox>
  )
}

const Choices = ({ of }: { of: readonly Choice[] }) =>
  of.map(({ id, label }) => (
    <Combobox.Option key={id} value={id} className={styles.choice}>
      {label}
    </Combobox.Option>
  ))

const SETTINGS = {
  region: '/apps',
  retention: '/apps',
  caps: '/protection',
  reviewNumbers: '/apps',
  routes: '/providers',
  plans: '/providers',
  alert: '/wallet',
  overdraft: '/wallet',
  invitations: '/operators',
  erase: '/privacy',
  backups: '/system',
  password: '/account',
  secondFactor: '/account',
  sessions: '/account',
  timeZone: '/account',
} as const satisfies Record<keyof (typeof findWords)['en']['settings'], PagePath>

/** Matches that need no server: pages and settings by their names in every language, and apps. */
function useLocalChoices(text: string): Pick<Record<ChoiceGroup, Choice[]>, 'apps' | 'pages' | 'settings'> {
  const say = useWords(findWords)
  const common = useWords(frameWords)
  const navigate = useNavigate()
  const mayOpen = useMayOpen()
  const apps = useApps()
  if (text === '') return { apps: [], pages: [], settings: [] }
  const fits = (...names: string[]) => names.some((name) => name.toLowerCase().includes(text.toLowerCase()))
  const settings = Object.keys(SETTINGS) as (keyof typeof SETTINGS)[]
  return {
    apps: apps
      .filter(({ appId, name }) => appId === text || fits(name))
      .slice(0, APPS_AT_MOST)
      .map(({ appId, name }) => ({
        id: appId,
        label: name,
        open: () => navigate({ to: '/', search: { app: appId } }),
      })),
    pages: PAGES.filter(({ name, to }) => mayOpen(to) && fits(...namesIn(frameWords, ({ pages }) => pages[name]))).map(
      ({ name, to }) => ({ id: to, label: common.pages[name], open: () => navigate({ to }) }),
    ),
    settings: settings
      .filter((name) => mayOpen(SETTINGS[name]) && fits(...namesIn(findWords, ({ settings }) => settings[name])))
      .map((name) => ({
        id: name,
        label: say.settings[name],
        open: () => navigate({ to: SETTINGS[name] }),
      })),
  }
}

const APPS_AT_MOST = 5

const namesIn = <T,>(words: Words<T>, name: (words: T) => string) => Object.values<T>(words).map(name)
