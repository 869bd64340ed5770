/** Explains that the server refuses this origin, and which setting allows it. */
import { Stack, Text } from '@mantine/core'
import { ORPCError } from '@orpc/client'
import { inWords, useWords } from '../../i18n/words'
import { CopyBlock } from '../../parts/copy'
import { PageHeader } from '../../parts/page-header'

const words = inWords({
  en: {
    title: 'The server is not configured for this address',
    why: (origin: string) =>
      `You opened the console at ${origin}. To prevent other sites from impersonating it, the console answers only at the configured address, and at localhost on the server itself. If the address is right, start the server with this setting:`,
    setting: 'Server setting',
  },
  ko: {
    title: '서버에 등록되지 않은 주소입니다',
    why: (origin) =>
      `${origin}에서 콘솔을 열었습니다. 다른 사이트가 콘솔인 척하지 못하도록 콘솔은 설정된 주소와 서버 자신의 localhost에서만 응답합니다. 주소가 맞다면 다음 설정으로 서버를 시작하세요.`,
    setting: '서버 환경 변수',
  },
})

/** Whether the server refused the origin of the page. */
export const isElsewhere = (failure: unknown): boolean =>
  failure instanceof ORPCError && failure.data?.reason === 'public_url_needed'

export function Elsewhere() {
  const say = useWords(words)
  return (
    <Stack>
      <PageHeader title={say.title} />
      <Text size="sm">{say.why(location.origin)}</Text>
      <CopyBlock label={say.setting} value={`WATCHWORD_PUBLIC_URL=${location.origin}`} />
    </Stack>
  )
}
