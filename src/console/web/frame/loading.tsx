import { Center, Loader } from '@mantine/core'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'

export function Loading() {
  const say = useWords(frameWords)
  return (
    <Center mih={200} role="status" aria-label={say.loading}>
      <Loader />
    </Center>
  )
}
