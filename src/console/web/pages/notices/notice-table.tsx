/** All notices, open or over, newest first. */
import { Anchor, Group, Stack, Text } from '@mantine/core'
import { IconBell } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import { api, paging } from '../../api'
import { useWords } from '../../i18n/words'
import { safetyNetWhileShort } from '../../live'
import { DataTable, fromPages } from '../../parts/data-table'
import { EmptyState } from '../../parts/empty-state'
import { Mark } from '../../parts/status'
import { AsWritten } from '../../parts/text'
import { Time } from '../../parts/time'
import { useSays } from './says'
import { noticeWords, PAGE_OF, type ShownNotice } from './words'

export function NoticeTable() {
  const say = useWords(noticeWords)
  const says = useSays()
  const query = useInfiniteQuery(
    api.notices.list.infiniteOptions({
      input: (after: string | undefined) => ({ after }),
      ...paging,
      refetchInterval: safetyNetWhileShort,
    }),
  )
  return (
    <DataTable
      {...fromPages(query)}
      label={say.list}
      keyOf={({ noticeId }) => noticeId}
      columns={[
        {
          key: 'what',
          header: say.what,
          cell: (notice) => (
            <Stack gap={2}>
              <Group gap="xs">
                <Text size="sm" fw={600}>
                  {say.kinds[notice.kind].title}
                </Text>
                {notice.isUrgent && <Mark color="red">{say.urgent}</Mark>}
              </Group>
              <AsWritten size="sm">{says(notice)}</AsWritten>
              {notice.endedAt === undefined && (
                <Text size="sm" c="dimmed">
                  {say.kinds[notice.kind].advice} <LookAt notice={notice} />
                </Text>
              )}
            </Stack>
          ),
        },
        {
          key: 'since',
          header: say.since,
          cell: ({ since, endedAt }) => (
            <Stack gap={2} align="flex-start">
              <Time at={since} />
              <Mark color={endedAt === undefined ? 'orange' : 'gray'}>
                {endedAt === undefined ? say.open : say.over}
              </Mark>
            </Stack>
          ),
        },
        { key: 'told', header: say.told, cell: ({ told }) => <Told told={told} /> },
      ]}
      empty={<EmptyState icon={IconBell} title={say.empty} next={say.emptyNext} />}
    />
  )
}

function LookAt({ notice: { kind, appId } }: { notice: ShownNotice }) {
  const say = useWords(noticeWords)
  const search: NonNullable<LinkProps['search']> = appId === undefined ? {} : { app: appId }
  return (
    <Anchor
      component={Link}
      to={PAGE_OF[kind]}
      search={search}
      size="sm"
      aria-label={`${say.look}: ${say.kinds[kind].title}`}
    >
      {say.look}
    </Anchor>
  )
}

function Told({ told }: Pick<ShownNotice, 'told'>) {
  const say = useWords(noticeWords)
  if (told.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {say.consoleOnly}
      </Text>
    )
  return (
    <Stack gap={2}>
      {told.map(({ way, phase, status, error }) => (
        <AsWritten key={`${way} ${phase}`} size="sm" c={status === 'failed' ? 'red' : undefined}>
          {`${way} · ${say.phases[phase]}: ${say.statuses[status]}${error === undefined ? '' : ` (${error})`}`}
        </AsWritten>
      ))}
    </Stack>
  )
}
