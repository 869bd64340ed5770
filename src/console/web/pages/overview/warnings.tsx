/** What needs somebody now: little credit, carriers that rest, webhooks that fail, messages that wait. */
import { Alert, Anchor, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { inWords, useWords } from '../../i18n/words'
import { AsWritten } from '../../parts/as-written'
import type { ShownMode } from '../../scope'
import { useConcerns } from './concerns'

const words = inWords({
  en: { title: 'Needs attention', well: 'Nothing needs attention.', look: 'Look' },
  ko: { title: '확인이 필요합니다', well: '확인이 필요한 문제가 없습니다.', look: '확인하기' },
})

export function Warnings({ appId, mode }: { appId: string; mode: ShownMode }) {
  const say = useWords(words)
  const concerns = useConcerns(appId, mode)
  if (concerns === undefined) return null
  if (concerns.length === 0)
    return (
      <Group gap={6} role="status">
        <Text c="teal" lh={0} component="span">
          <IconCircleCheck size={18} aria-hidden />
        </Text>
        <Text size="sm" c="dimmed">
          {say.well}
        </Text>
      </Group>
    )
  return (
    <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title={say.title} role="status">
      <Stack component="ul" gap="xs">
        {concerns.map(({ key, text, to, search = {} }) => (
          <Group component="li" key={key} gap="xs">
            <AsWritten size="sm">{text}</AsWritten>
            <Anchor
              component={Link}
              to={to}
              search={search}
              size="sm"
              c="var(--mantine-color-text)"
              aria-label={`${say.look}: ${text}`}
              underline="always"
            >
              {say.look}
            </Anchor>
          </Group>
        ))}
      </Stack>
    </Alert>
  )
}
