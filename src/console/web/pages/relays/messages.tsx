/** The latest messages of an app's relays. */
import { Text, Title } from '@mantine/core'
import { IconMessages } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { api, client, paging } from '../../api'
import { frameWords } from '../../i18n/frame'
import { statusWords } from '../../i18n/names'
import { inWords, useWords } from '../../i18n/words'
import { safetyNetWhileShort } from '../../live'
import { DataTable, fromPages } from '../../parts/data-table'
import { EmptyState } from '../../parts/empty-state'
import { DeliveryMark } from '../../parts/status'
import { AsWritten, ShortId } from '../../parts/text'
import { Time } from '../../parts/time'
import { useAppScope } from '../../scope'

const words = inWords({
  en: {
    title: 'Messages',
    relay: 'Relay',
    occasion: 'Occasion',
    delivery: 'Delivery',
    channel: 'Channel',
    time: 'Time',
    empty: 'No message yet',
    emptyNext: 'What the platforms hand over appears here at once, without numbers and codes.',
  },
  ko: {
    title: '메시지',
    relay: '릴레이',
    occasion: '계기',
    delivery: '전달 상태',
    channel: '채널',
    time: '시각',
    empty: '아직 메시지가 없습니다',
    emptyNext: '플랫폼이 보낸 메시지가 바로 여기에 표시됩니다. 전화번호와 인증번호는 표시하지 않습니다.',
  },
})

export function RelayMessages() {
  const say = useWords(words)
  const common = useWords(frameWords)
  const names = useWords(statusWords)
  const { appId, mode } = useAppScope()
  const query = useInfiniteQuery(
    api.relays.messages.infiniteOptions({
      input: (after: string | undefined) => ({ appId, mode, after }),
      ...paging,
      refetchInterval: safetyNetWhileShort,
    }),
  )
  return (
    <section>
      <Title order={2} mb="sm">
        {say.title}
      </Title>
      <DataTable
        {...fromPages(query)}
        label={say.title}
        keyOf={({ issueId }) => issueId}
        file={{ name: 'relayed', load: (after) => client.relays.messages({ appId, mode, after, limit: 200 }) }}
        linkOf={({ issueId }) => ({ to: '/issues/$issueId', params: { issueId } })}
        columns={[
          {
            key: 'relay',
            header: say.relay,
            cell: ({ purpose, issueId }) => (
              <>
                {purpose}{' '}
                <Text component="span" display="block" size="xs" c="dimmed" ff="monospace">
                  <ShortId id={issueId} />
                </Text>
              </>
            ),
          },
          {
            key: 'occasion',
            header: say.occasion,
            cell: ({ occasion }) => <AsWritten size="xs">{occasion ?? common.none}</AsWritten>,
          },
          {
            key: 'delivery',
            header: say.delivery,
            cell: ({ deliveryStatus, isAmbiguous, outcomeCode }) => (
              <>
                <DeliveryMark status={deliveryStatus} isAmbiguous={isAmbiguous} />
                {outcomeCode !== undefined && (
                  <AsWritten size="xs" c="dimmed">
                    {outcomeCode}
                  </AsWritten>
                )}
              </>
            ),
          },
          {
            key: 'channel',
            header: say.channel,
            cell: ({ leg, country }) => [names.channels[leg], country].filter(Boolean).join(' · '),
          },
          { key: 'time', header: say.time, cell: ({ createdAt }) => <Time at={createdAt} relative /> },
        ]}
        empty={<EmptyState icon={IconMessages} title={say.empty} next={say.emptyNext} />}
      />
    </section>
  )
}
