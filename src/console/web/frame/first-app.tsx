import { Button } from '@mantine/core'
import { IconApps } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { inWords, useWords } from '../i18n/words'
import { EmptyState } from '../parts/empty-state'

const words = inWords({
  en: {
    title: 'No app yet',
    next: 'Keys, messages and credit belong to an app. Make the first one.',
    make: 'Make an app',
  },
  ko: { title: '아직 앱이 없습니다', next: '키, 메시지, 크레딧은 앱에 속합니다. 첫 앱을 만드세요.', make: '앱 만들기' },
})

export function FirstApp() {
  const say = useWords(words)
  return (
    <EmptyState icon={IconApps} title={say.title} next={say.next}>
      <Button component={Link} to="/">
        {say.make}
      </Button>
    </EmptyState>
  )
}
