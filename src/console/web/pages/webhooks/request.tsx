/** The request of a delivery: address, headers and payload. */
import { Stack, Text, Title } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api } from '../../api'
import { useWords } from '../../i18n/words'
import { CopyBlock } from '../../parts/copy'
import { ProblemNote } from '../../parts/problem-note'
import { deliveryWords } from './delivery-words'

/** `attempts`: so many were made; the last one is shown. */
export function Request({ deliveryId, attempts }: { deliveryId: string; attempts: number }) {
  const say = useWords(deliveryWords)
  const found = useQuery(
    api.webhooks.request.queryOptions({
      input: { deliveryId, ...(attempts > 0 && { attempt: attempts }) },
      placeholderData: keepPreviousData,
    }),
  )
  if (found.isError) return <ProblemNote failure={found.error} />
  if (!found.data) return null
  const { request } = found.data
  return (
    <Stack gap="xs" component="section" aria-label={say.request}>
      <Title order={3} size="h5">
        {say.request}
      </Title>
      <Text size="sm" c="dimmed">
        {request ? say.requestAbout[request.sentAt === undefined ? 'unsent' : 'sent'] : say.noRequest}
      </Text>
      {request && (
        <>
          <CopyBlock
            label={say.headers}
            value={[
              `POST ${request.url}`,
              ...request.headers.map(({ name, value = say.notShown }) => `${name}: ${value}`),
            ].join('\n')}
          />
          <CopyBlock label={say.body} value={request.body} />
        </>
      )}
    </Stack>
  )
}
