/** Verifies the hash chain; the result stays until the next verification. */
import { Alert, Button, Code, List, Stack, Text } from '@mantine/core'
import { IconShieldCheck, IconShieldX } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { api, client } from '../../api'
import { useCommand } from '../../command'
import { useFormats } from '../../i18n/format'
import { inWords, useWords } from '../../i18n/words'
import { safetyNet } from '../../live'
import { CopyBlock } from '../../parts/copy'
import { ProblemNote } from '../../parts/problem-note'

const words = inWords({
  en: {
    verify: 'Verify',
    intact: 'The log is intact',
    intactAbout: (entries: string) => `The hash chain of all ${entries} entries is valid.`,
    broken: 'The log is broken',
    brokenAbout: (seq: string) => `Entry ${seq} was changed, or one before it is missing.`,
    head: 'Hash of the newest entry',
    cutOff: 'The newest entries are missing, as described above.',
    keep: 'Keep it outside this server: it proves later whether the newest entries were removed.',
    shell: 'The same from the command line:',
  },
  ko: {
    verify: '검증하기',
    intact: '기록이 온전합니다',
    intactAbout: (entries) => `기록 ${entries}건의 해시 체인이 모두 유효합니다.`,
    broken: '기록이 손상되었습니다',
    brokenAbout: (seq) => `${seq}번 기록이 변경되었거나 그 앞의 기록이 빠졌습니다.`,
    head: '최신 기록의 해시',
    cutOff: '위에 표시된 대로 최신 기록이 사라졌습니다.',
    keep: '이 서버가 아닌 곳에 보관하세요. 나중에 최신 기록이 삭제되었는지 확인할 수 있습니다.',
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

const lostWords = inWords({
  en: {
    title: 'The newest entries are missing',
    about:
      'Two other places record where the log ends, and they do not match the log. Somebody removed entries, or replaced the database with an older one without the restore command.',
    places: { database: 'the database', file: 'the file watchword.audit' },
    cutOff: (seq: string, place: string) => `Entry ${seq}, recorded in ${place}, is missing or differs.`,
    unreadable: (place: string) => `The record in ${place} was not written by this server.`,
    gone: (place: string) => `The record in ${place} is missing.`,
    accept: 'Once you know why, this command accepts the log as it is and records that in it:',
  },
  ko: {
    title: '최신 기록이 사라졌습니다',
    about:
      '기록이 어디에서 끝나는지는 다른 두 곳에도 적어 둡니다. 그 내용이 현재 기록과 맞지 않습니다. 누군가 기록을 지웠거나 복원 명령을 쓰지 않고 이전 데이터베이스로 바꾼 것입니다.',
    places: { database: '데이터베이스', file: 'watchword.audit 파일' },
    cutOff: (seq, place) => `${place}에 적힌 ${seq}번 기록이 없거나 다른 기록입니다.`,
    unreadable: (place) => `${place}의 내용은 이 서버가 쓴 것이 아닙니다.`,
    gone: (place) => `${place}에 적어 둔 내용이 없습니다.`,
    accept: '이유를 확인했다면 다음 명령으로 현재 기록을 받아들입니다. 이 사실도 기록에 남습니다.',
  },
})

/** Warns that the newest entries are missing, names the source and the remedy. */
export function Lost() {
  const say = useWords(lostWords)
  const command = useCommand()
  const formats = useFormats()
  const lost = useQuery(api.audit.end.queryOptions({ refetchInterval: safetyNet })).data?.lost ?? []
  if (!lost.some(({ problem }) => problem !== 'gone')) return null
  return (
    <Alert mb="md" color="red" role="alert" icon={<IconShieldX aria-hidden />} title={say.title}>
      <Stack gap="xs">
        <Text size="sm">{say.about}</Text>
        <List size="sm">
          {lost.map(({ where, problem, seq }) => (
            <List.Item key={where}>
              {problem === 'cut_off' && say.cutOff(formats.number(seq ?? 0), say.places[where])}
              {problem === 'unreadable' && say.unreadable(say.places[where])}
              {problem === 'gone' && say.gone(say.places[where])}
            </List.Item>
          ))}
        </List>
        <Text size="sm">
          {say.accept} <Code>{command('audit accept')}</Code>
        </Text>
      </Stack>
    </Alert>
  )
}
