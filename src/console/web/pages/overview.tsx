import { Button, Stack } from '@mantine/core'
import { IconListCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { frameWords } from '../i18n/frame'
import { inWords, useWords } from '../i18n/words'
import { kept } from '../kept'
import { PageHeader } from '../parts/page-header'
import { useScope } from '../scope'
import { Checklist, isDone, useProgress } from './overview/checklist'
import { LastDay } from './overview/last-day'
import { Warnings } from './overview/warnings'

const words = inWords({
  en: { show: 'First steps', hide: 'Hide first steps' },
  ko: { show: '시작하기', hide: '시작하기 숨기기' },
})

const keptHidden = kept('first-steps-hidden')

export default function Overview() {
  const say = useWords(words)
  const common = useWords(frameWords)
  const { app, mode } = useScope()
  const [isHidden, setHidden] = useState(() => keptHidden.get() === 'yes')
  const progress = useProgress(app)
  const isNew = progress !== undefined && !isDone(progress)
  const hide = (next: boolean) => {
    keptHidden.set(next ? 'yes' : 'no')
    setHidden(next)
  }
  return (
    <>
      <PageHeader title={common.pages.overview}>
        {isNew && app && (
          <Button
            variant="subtle"
            size="xs"
            mx="calc(-1 * var(--mantine-spacing-sm))"
            leftSection={<IconListCheck size={16} aria-hidden />}
            onClick={() => hide(!isHidden)}
          >
            {isHidden ? say.show : say.hide}
          </Button>
        )}
      </PageHeader>
      <Stack gap="lg">
        {app && <Warnings appId={app.appId} mode={mode} />}
        {isNew && (!isHidden || !app) && <Checklist progress={progress} />}
        {app && <LastDay appId={app.appId} mode={mode} />}
      </Stack>
    </>
  )
}
