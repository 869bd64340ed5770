/** Carriers and routes, of the whole installation. */
import { Stack } from '@mantine/core'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import { PageHeader } from '../parts/page-header'
import { Carriers } from './providers/carriers'
import { Routes } from './providers/routes'
import { providerWords } from './providers/words'

export default function Providers() {
  const say = useWords(providerWords)
  const common = useWords(frameWords)
  return (
    <>
      <PageHeader title={common.pages.providers} about={say.about} />
      <Stack gap="xl">
        <Carriers />
        <Routes />
      </Stack>
    </>
  )
}
