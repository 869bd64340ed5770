/** A quiet link from the heading of a page to the page of the guide that explains it. */
import { ActionIcon } from '@mantine/core'
import { IconBook } from '@tabler/icons-react'
import { useRouterState } from '@tanstack/react-router'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'

/** The page of `docs/` for a page of the console, by the first part of its path. A page that needs no explanation is missing. */
const GUIDE_PAGES: Readonly<Record<string, string>> = {
  '': 'getting-started',
  issues: 'glossary',
  protection: 'abuse',
  notices: 'watching',
  inbox: 'getting-started',
  'try-it': 'getting-started',
  apps: 'app',
  keys: 'getting-started',
  templates: 'texts',
  webhooks: 'webhooks',
  wallet: 'operating',
  providers: 'carriers',
  operators: 'operating',
  audit: 'operating',
  privacy: 'privacy',
  system: 'watching',
}

export function GuideLink() {
  const say = useWords(frameWords)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const name = GUIDE_PAGES[path.split('/')[1] ?? '']
  if (name === undefined) return null
  return (
    <ActionIcon
      component="a"
      href={`/docs/guide/${name}`}
      target="_blank"
      variant="subtle"
      color="gray"
      aria-label={say.guide}
      title={say.guide}
    >
      <IconBook size={18} stroke={1.6} aria-hidden />
    </ActionIcon>
  )
}
