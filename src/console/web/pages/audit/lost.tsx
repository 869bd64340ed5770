/** The log ends before where it is known to have ended: what is missing, by whom that is told, and what to do. */
import { Alert, Code, List, Stack, Text } from '@mantine/core'
import { IconShieldX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api'
import { useCommand } from '../../command'
import { useFormats } from '../../i18n/format'
import { inWords, useWords } from '../../i18n/words'

const words = inWords({
  en: {
    title: 'The newest entries are gone',
    about:
      'Where the log ended is written down in two places besides. What they say does not fit the log: somebody removed entries, or put an older database in place without the restore command.',
    places: { database: 'the database', file: 'the file watchword.audit' },
    cutOff: (seq: string, place: string) => `Entry ${seq} is missing or another one, says ${place}.`,
    unreadable: (place: string) => `What ${place} says was not written by this server.`,
    gone: (place: string) => `Nothing is written in ${place} any more.`,
    accept: 'Once you know why, this command takes the log as it is, and says so in it:',
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

const LOOK_MS = 30_000

export function Lost() {
  const say = useWords(words)
  const command = useCommand()
  const formats = useFormats()
  const lost = useQuery(api.audit.end.queryOptions({ refetchInterval: LOOK_MS })).data?.lost ?? []
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
