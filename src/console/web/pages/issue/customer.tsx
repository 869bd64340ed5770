/** Shows a text for the customer, in the customer's language, ready to copy. */
import { Group, Paper, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { inWords, LANGUAGES, type Language, useLanguage, useWords } from '../../i18n/words'
import { CopyButton } from '../../parts/copy'
import { adviceOf, adviceWords } from './advice'
import type { Story } from './story'

const words = inWords({
  en: { title: 'Tell the customer', language: 'Language of the customer' },
  ko: { title: '고객에게 안내할 말', language: '고객의 언어' },
})

export function ForCustomer({ story }: { story: Story }) {
  const say = useWords(words)
  const [language, setLanguage] = useState<Language>(useLanguage())
  const text = adviceWords[language][adviceOf(story)]
  return (
    <Paper withBorder p="md" component="section" aria-label={say.title}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs">
          <Title order={2}>{say.title}</Title>
          <SegmentedControl
            size="xs"
            aria-label={say.language}
            value={language}
            onChange={(chosen) => setLanguage(chosen as Language)}
            data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
          />
        </Group>
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <Text size="sm" lang={language} flex={1}>
            {text}
          </Text>
          <CopyButton value={text} what={say.title} />
        </Group>
      </Stack>
    </Paper>
  )
}
