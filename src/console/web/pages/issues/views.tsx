/** Views of the list: those that everybody needs, and those that the reader has saved in this browser. */
import { Button, CloseButton, Group, TextInput } from '@mantine/core'
import { modals } from '@mantine/modals'
import { IconBookmarkPlus } from '@tabler/icons-react'
import { createLink } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { dayFromNow } from '../../days'
import { inWords, useWords, wordsNow } from '../../i18n/words'
import { kept } from '../../kept'
import { type IssueFilters, issueFilters } from '../search-params'

const words = inWords({
  en: {
    label: 'Views',
    views: {
      all: 'All',
      failedToday: 'Not delivered today',
      unverifiedLastHour: 'Not verified, last hour',
      wrongToday: 'Too many wrong codes today',
      waiting: 'Waiting for the code',
    },
    save: 'Save view',
    about: 'The filters of now, under a name. It is kept in this browser.',
    name: 'Name of the view',
    remove: (name: string) => `Remove the view “${name}”`,
  },
  ko: {
    label: '보기',
    views: {
      all: '전체',
      failedToday: '오늘 미도달',
      unverifiedLastHour: '최근 1시간 미인증',
      wrongToday: '오늘 시도 횟수 초과',
      waiting: '입력 대기',
    },
    save: '보기 저장',
    about: '지금의 필터를 이름을 붙여 이 브라우저에 저장합니다.',
    name: '보기 이름',
    remove: (name) => `“${name}” 보기 삭제`,
  },
})

type ViewName = keyof (typeof words)['en']['views']

const VIEWS: Record<ViewName, () => IssueFilters> = {
  all: () => ({}),
  failedToday: () => ({ delivery: 'failed', from: dayFromNow(0) }),
  unverifiedLastHour: () => ({ status: 'unverified', last: '1h' }),
  wrongToday: () => ({ status: 'max_attempts', from: dayFromNow(0) }),
  waiting: () => ({ status: 'issued' }),
}

interface SavedView {
  name: string
  filters: IssueFilters
}

const store = kept('issue-views')

/** Whatever an older console has stored: only filters that are known count. */
function savedIn(text: string | undefined): SavedView[] {
  try {
    const views: SavedView[] = JSON.parse(text ?? '[]')
    return views.map(({ name, filters }) => ({ name: String(name), filters: issueFilters({ ...filters }) }))
  } catch {
    return []
  }
}

const save = (views: SavedView[]) => store.set(JSON.stringify(views))

const isSame = (one: IssueFilters, other: IssueFilters) =>
  JSON.stringify(issueFilters({ ...one })) === JSON.stringify(issueFilters({ ...other }))

const OtherView = createLink(
  Button.withProps<'a'>({ component: 'a', size: 'compact-xs', fw: 500, variant: 'subtle', color: 'gray' }),
)
const CurrentView = createLink(
  Button.withProps<'a'>({ component: 'a', size: 'compact-xs', fw: 500, variant: 'light', 'aria-current': true }),
)

export function IssueViews({ filters }: { filters: IssueFilters }) {
  const say = useWords(words)
  const saved = savedIn(store.use())
  const common = Object.entries(VIEWS).map(([name, filters]) => ({
    name: say.views[name as ViewName],
    filters: filters(),
  }))
  const isKnown = [...common, ...saved].some((view) => isSame(view.filters, filters))
  const link = ({ name, filters: shown }: SavedView) => {
    const Shown = isSame(shown, filters) ? CurrentView : OtherView
    return (
      <Shown key={name} to="/issues" search={shown}>
        {name}
      </Shown>
    )
  }
  return (
    <Group component="nav" aria-label={say.label} gap={4} mb="xs">
      {common.map(link)}
      {saved.map((view) => (
        <Group key={view.name} gap={0} wrap="nowrap">
          {link(view)}
          <CloseButton
            size={24}
            iconSize={12}
            aria-label={say.remove(view.name)}
            onClick={() => save(saved.filter(({ name }) => name !== view.name))}
          />
        </Group>
      ))}
      {!isKnown && (
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<IconBookmarkPlus size={14} aria-hidden />}
          onClick={() => askName((name) => save([...saved.filter((view) => view.name !== name), { name, filters }]))}
        >
          {say.save}
        </Button>
      )}
    </Group>
  )
}

function askName(onName: (name: string) => void): void {
  const { save: title } = wordsNow(words)
  const modalId = modals.open({
    title,
    children: (
      <NameForm
        onName={(name) => {
          modals.close(modalId)
          onName(name)
        }}
      />
    ),
  })
}

function NameForm({ onName }: { onName(name: string): void }) {
  const say = useWords(words)
  const [name, setName] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() !== '') onName(name.trim())
  }
  return (
    <form onSubmit={submit}>
      <TextInput
        data-autofocus
        required
        maxLength={40}
        label={say.name}
        description={say.about}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Group justify="flex-end" mt="md">
        <Button type="submit">{say.save}</Button>
      </Group>
    </form>
  )
}
