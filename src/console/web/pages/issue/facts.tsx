/** Properties of an issue. */
import { Code, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFormats } from '../../i18n/format'
import { frameWords } from '../../i18n/frame'
import { statusWords } from '../../i18n/names'
import { inWords, useWords } from '../../i18n/words'
import { CopyButton } from '../../parts/copy'
import { AsWritten } from '../../parts/text'
import { Time } from '../../parts/time'
import { useApps } from '../../scope'
import type { Story } from './story'

const words = inWords({
  en: {
    id: 'Issue id',
    app: 'App',
    mode: 'Mode',
    purpose: 'Purpose',
    channel: 'Channel',
    carriedBy: (asked: string, leg: string) => `${asked}, now ${leg}`,
    country: 'Country of the number',
    template: 'Template',
    price: 'Price',
    credits: (count: string) => (count === '1' ? '1 credit' : `${count} credits`),
    billing: 'Billing',
    attempts: 'Wrong codes',
    of: (used: string, max: string) => `${used} of ${max}`,
    expires: 'Expires',
    metadata: 'Metadata',
  },
  ko: {
    id: '발급 ID',
    app: '앱',
    mode: '모드',
    purpose: '용도',
    channel: '채널',
    carriedBy: (asked, leg) => `${asked}, 현재 ${leg}`,
    country: '번호의 국가',
    template: '템플릿',
    price: '요금',
    credits: (count) => `${count} 크레딧`,
    billing: '과금',
    attempts: '틀린 횟수',
    of: (used, max) => `${max}회 중 ${used}회`,
    expires: '만료',
    metadata: '메타데이터',
  },
})

export function IssueFacts({ story }: { story: Story }) {
  const say = useWords(words)
  const common = useWords(frameWords)
  const names = useWords(statusWords)
  const formats = useFormats()
  const app = useApps().find(({ appId }) => appId === story.appId)
  const { channel, leg, billingStatus } = story
  const [asked, now] = [names.channels[channel], names.channels[leg]]
  const facts: [string, ReactNode][] = [
    [
      say.id,
      <Group key="id" gap={4} wrap="nowrap">
        <Code>{story.issueId}</Code>
        <CopyButton value={story.issueId} what={say.id} />
      </Group>,
    ],
    [say.app, app?.name ?? story.appId],
    [say.mode, common[story.mode]],
    [story.isMessageAlone ? names.relay : say.purpose, story.purpose],
    [say.channel, channel === leg ? asked : say.carriedBy(asked, now)],
    [say.country, story.country ?? common.none],
    [say.template, story.templateId],
    ...(story.isMessageAlone
      ? []
      : ([
          [say.attempts, say.of(formats.number(story.attemptsUsed ?? 0), formats.number(story.maxAttempts ?? 0))],
          [say.expires, <Time key="expires" at={story.expiresAt} />],
        ] satisfies [string, ReactNode][])),
    ...(story.mode === 'live'
      ? ([
          [say.price, say.credits(formats.number(story.price))],
          [say.billing, names.billing[billingStatus as keyof typeof names.billing] ?? billingStatus],
        ] satisfies [string, ReactNode][])
      : []),
    ...Object.entries(story.metadata).map(([name, value]): [string, ReactNode] => [`${say.metadata}: ${name}`, value]),
  ]
  return (
    <SimpleGrid component="dl" cols={{ base: 1, xs: 2, md: 1 }} spacing="sm" verticalSpacing="sm">
      {facts.map(([name, value]) => (
        <Stack key={name} gap={0}>
          <Text component="dt" size="xs" c="dimmed">
            {name}
          </Text>
          <AsWritten component="dd" size="sm">
            {value}
          </AsWritten>
        </Stack>
      ))}
    </SimpleGrid>
  )
}
