/** A link that makes no account any more: why that may be, and what to do. */
import { Button, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { problemOf } from '../../api'
import { inWords, useWords } from '../../i18n/words'

export const isUsedLink = (failure: unknown) => failure !== null && problemOf(failure).code === 'NOT_FOUND'

const words = inWords({
  en: {
    about:
      'This link does not work any more: it was used, withdrawn or replaced, or its three days are over. Or it was cut off when it was copied.',
    next: 'Ask whoever sent it for another one. Who sets up the server finds a new link in its output after a restart.',
    signIn: 'I have an account: sign in',
  },
  ko: {
    about:
      '더 이상 사용할 수 없는 링크입니다. 이미 사용했거나, 취소되었거나, 새 링크로 바뀌었거나, 유효 기간 3일이 지났습니다. 복사하면서 링크가 잘렸을 수도 있습니다.',
    next: '링크를 보낸 사람에게 새 링크를 요청하세요. 서버를 처음 설정하는 경우, 서버를 다시 시작하면 새 링크가 출력됩니다.',
    signIn: '계정이 있습니다. 로그인하기',
  },
})

export function UsedLink() {
  const say = useWords(words)
  return (
    <Stack role="alert">
      <Text size="sm">{say.about}</Text>
      <Text size="sm">{say.next}</Text>
      <Button component={Link} to="/sign-in" variant="default">
        {say.signIn}
      </Button>
    </Stack>
  )
}
