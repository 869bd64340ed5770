/** How many notices are open, with the way to them. */
import { Button, Text } from '@mantine/core'
import { IconBell } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../api'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import { safetyNet } from '../live'

export function Bell() {
  const say = useWords(frameWords)
  const { data } = useQuery(api.notices.open.queryOptions({ refetchInterval: safetyNet }))
  const count = data?.notices.length ?? 0
  const isUrgent = data?.notices.some((notice) => notice.isUrgent) ?? false
  return (
    <Button
      component={Link}
      to="/notices"
      size="xs"
      px={7}
      variant={count === 0 ? 'default' : 'light'}
      color={isUrgent ? 'red' : 'orange'}
      aria-label={say.bell(count)}
    >
      <IconBell size={16} aria-hidden />
      {count > 0 && (
        <Text component="span" size="xs" fw={700} ms={4} aria-hidden>
          {count}
        </Text>
      )}
    </Button>
  )
}
