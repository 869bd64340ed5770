/** Live codes that were refused, by reason. */
import { Group, Progress, Stack, Text } from '@mantine/core'
import { useFormats } from '../../i18n/format'
import { ruleWords } from '../../i18n/protection'
import { inWords, useWords } from '../../i18n/words'
import { Section } from '../../parts/section'
import { AppLink } from './app-link'
import type { Report } from './report'

const words = inWords({
  en: {
    title: 'Refused, by reason',
    all: 'All refusals',
    none: 'No code was refused in the last two days.',
    before: (count: string) => `${count} before`,
  },
  ko: {
    title: '거부 이유',
    all: '전체 거부',
    none: '최근 이틀 동안 거부한 인증번호가 없습니다.',
    before: (count) => `이전 ${count}`,
  },
})

const MOST_LISTED = 8

export function Refusals({ refused: { rules, total } }: { refused: Report['refused'] }) {
  const say = useWords(words)
  const names = useWords(ruleWords)
  const formats = useFormats()
  return (
    <Section
      title={say.title}
      actions={
        <AppLink to="/protection" search={{ group: 'rule' }}>
          {say.all}
        </AppLink>
      }
    >
      {rules.length === 0 ? (
        <Text size="sm" c="dimmed">
          {say.none}
        </Text>
      ) : (
        <Stack component="ul" gap="sm">
          {rules.slice(0, MOST_LISTED).map(({ rule, refused, before }) => (
            <li key={rule}>
              <Group justify="space-between" gap="xs" wrap="nowrap" align="baseline">
                <Text size="sm">{names[rule]}</Text>
                <Text size="sm" ta="end" flex="none">
                  {formats.number(refused)}{' '}
                  <Text span size="xs" c="dimmed">
                    {say.before(formats.number(before))}
                  </Text>
                </Text>
              </Group>
              <Progress size="xs" value={total === 0 ? 0 : (refused / total) * 100} color="red" aria-hidden />
            </li>
          ))}
        </Stack>
      )}
    </Section>
  )
}
