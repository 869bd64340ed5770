/** Looks whether the log is as it was written; the answer stays until it is asked for again. */
import { Alert, Button, Code, Stack, Text } from '@mantine/core'
import { IconShieldCheck, IconShieldX } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { client } from '../../api'
import { useCommand } from '../../command'
import { useFormats } from '../../i18n/format'
import { inWords, useWords } from '../../i18n/words'
import { CopyBlock } from '../../parts/copy'
import { ProblemNote } from '../../parts/problem-note'

const words = inWords({
  en: {
    verify: 'Verify',
    intact: 'The log is intact',
    intactAbout: (entries: string) =>
      `All ${entries} entries are as they were written, and none is missing between them.`,
    broken: 'The log is broken',
    brokenAbout: (seq: string) => `Entry ${seq} was changed, or one before it is missing.`,
    head: 'Hash of the newest entry',
    cutOff: 'The newest entries are gone, as is said above.',
    keep: 'Keep it elsewhere: it tells later that the newest entries were cut off, also to who has lost all of this.',
    shell: 'The same from the command line:',
  },
  ko: {
    verify: '검증하기',
    intact: '기록이 온전합니다',
    intactAbout: (entries) => `기록 ${entries}건이 모두 작성된 그대로이며 중간에 빠진 것이 없습니다.`,
    broken: '기록이 손상되었습니다',
    brokenAbout: (seq) => `${seq}번 기록이 변경되었거나 그 앞의 기록이 빠졌습니다.`,
    head: '최신 기록의 해시',
    cutOff: '위에 표시된 대로 최신 기록이 사라졌습니다.',
    keep: '다른 곳에 보관하세요. 이 서버를 통째로 잃어도 나중에 최신 기록이 잘려 나갔는지 확인할 수 있습니다.',
    shell: '명령줄에서도 같은 검증을 할 수 있습니다.',
  },
})

export function useVerify() {
  const say = useWords(words)
  const command = useCommand()
  const formats = useFormats()
  const verify = useMutation({ mutationFn: () => client.audit.verify() })
  const button = (
    <Button
      leftSection={<IconShieldCheck size={18} aria-hidden />}
      onClick={() => verify.mutate()}
      loading={verify.isPending}
    >
      {say.verify}
    </Button>
  )
  const verdict = verify.data
  const answer = (
    <>
      {verify.isError && <ProblemNote failure={verify.error} />}
      {verdict && (
        <Alert
          mb="md"
          role="status"
          color={verdict.isIntact ? 'teal' : 'red'}
          icon={verdict.isIntact ? <IconShieldCheck aria-hidden /> : <IconShieldX aria-hidden />}
          title={verdict.isIntact ? say.intact : say.broken}
        >
          <Stack gap="xs">
            <Text size="sm">
              {verdict.isIntact
                ? say.intactAbout(formats.number(verdict.entries))
                : verdict.brokenAt === undefined
                  ? say.cutOff
                  : say.brokenAbout(formats.number(verdict.brokenAt))}
            </Text>
            <CopyBlock value={verdict.head} label={say.head} />
            <Text size="sm">{say.keep}</Text>
            <Text size="sm">
              {say.shell} <Code>{command('audit verify')}</Code>
            </Text>
          </Stack>
        </Alert>
      )}
    </>
  )
  return { button, answer }
}
