import { Button, Grid, Stack } from '@mantine/core'
import { IconListCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { frameWords } from '../i18n/frame'
import { inWords, useWords } from '../i18n/words'
import { kept } from '../kept'
import { PageHeader } from '../parts/page-header'
import { ProblemNote } from '../parts/problem-note'
import { useScope } from '../scope'
import { AppTable, Credit } from './overview/apps'
import { Attention } from './overview/attention'
import { Carriers } from './overview/carriers'
import { Checklist, isDone, useProgress } from './overview/checklist'
import { Failures } from './overview/failures'
import { Figures } from './overview/figures'
import { Refusals } from './overview/refusals'
import { useReport } from './overview/report'

const words = inWords({
  en: { show: 'First steps', hide: 'Hide first steps' },
  ko: { show: '시작하기', hide: '시작하기 숨기기' },
})

const keptHidden = kept('first-steps-hidden')

export default function Overview() {
  const say = useWords(words)
  const common = useWords(frameWords)
  const { app, isAll, mode } = useScope()
  const [isHidden, setHidden] = useState(() => keptHidden.get() === 'yes')
  const progress = useProgress(app)
  const isNew = !isAll && progress !== undefined && !isDone(progress)
  const { data: report, error } = useReport()
  const isLive = mode === 'live'
  const [only] = report?.apps ?? []
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
        {error && <ProblemNote failure={error} />}
        {app && (report || !error) && <Attention report={report} />}
        {isNew && (!isHidden || !app) && <Checklist progress={progress} />}
        {app && (report || !error) && <Figures report={report} mode={mode} />}
        {report && (
          <Grid gap="lg">
            {isLive && (
              <>
                <Grid.Col span={{ base: 12, lg: 5 }}>
                  <Refusals refused={report.refused} />
                </Grid.Col>
                <Grid.Col span={{ base: 12, lg: 7 }}>
                  <Carriers carriers={report.carriers} />
                </Grid.Col>
              </>
            )}
            {isAll && (
              <Grid.Col span={12}>
                <AppTable apps={report.apps} isLive={isLive} />
              </Grid.Col>
            )}
            {isLive && !isAll && only && (
              <Grid.Col span={{ base: 12, lg: 3, xl: 5 }}>
                <Credit report={only} />
              </Grid.Col>
            )}
            <Grid.Col span={{ base: 12, ...(isLive && !isAll && only && { lg: 9, xl: 7 }) }}>
              <Failures failures={report.failures} />
            </Grid.Col>
          </Grid>
        )}
      </Stack>
    </>
  )
}
