/** How an endpoint is set, to be read. */
import { Code, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { channelWords } from '../../i18n/delivery'
import { frameWords } from '../../i18n/frame'
import { useWords } from '../../i18n/words'
import { AsWritten } from '../../parts/as-written'
import { Time } from '../../parts/time'
import { EndpointState, type ShownEndpoint } from './endpoint-state'
import { formWords } from './form-words'
import { webhookWords } from './words'

export function EndpointSettings({ endpoint }: { endpoint: ShownEndpoint }) {
  const say = useWords(webhookWords)
  const form = useWords(formWords)
  const common = useWords(frameWords)
  const channels = useWords(channelWords)
  const { method, type, metadata = {} } = endpoint.filters
  const filters = [
    ...(method ? [`${form.method}: ${method.map((name) => channels[name as 'sms'] ?? name).join(', ')}`] : []),
    ...(type ? [`${form.purpose}: ${type.join(', ')}`] : []),
    ...Object.entries(metadata).map(([key, values]) => `${form.metadata} ${key}: ${values.join(', ')}`),
  ]
  return (
    <Paper component="section" withBorder p="md" aria-label={say.settings}>
      <Title order={2} mb="sm">
        {say.settings}
      </Title>
      <SimpleGrid component="dl" cols={{ base: 1, xs: 2, lg: 4 }}>
        <Fact name={say.state}>
          <EndpointState endpoint={endpoint} />
        </Fact>
        <Fact name={say.mode}>{endpoint.mode === 'live' ? common.live : common.test}</Fact>
        <Fact name={say.id}>
          <Code>{endpoint.endpointId}</Code>
        </Fact>
        <Fact name={say.created}>
          <Time at={endpoint.createdAt} />
        </Fact>
        <Fact name={say.events}>
          <Text size="sm" ff="monospace">
            {endpoint.events.join(', ')}
          </Text>
        </Fact>
        <Fact name={say.filters}>{filters.length === 0 ? common.none : filters.join(' · ')}</Fact>
        <Fact name={say.headers}>{endpoint.headers.join(', ') || common.none}</Fact>
        <Fact name={say.body}>{endpoint.template === '' ? say.bodyAsIs : say.bodyTemplate}</Fact>
        {endpoint.failingSince !== undefined && (
          <Fact name={say.failingSince}>
            <Time at={endpoint.failingSince} relative />
          </Fact>
        )}
        {endpoint.previousSecretValidUntil !== undefined && (
          <Fact name={say.twoSecrets}>
            <Time at={endpoint.previousSecretValidUntil} />
          </Fact>
        )}
      </SimpleGrid>
    </Paper>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Stack gap={2} align="flex-start">
      <Text component="dt" size="xs" c="dimmed">
        {name}
      </Text>
      <AsWritten component="dd" size="sm">
        {children}
      </AsWritten>
    </Stack>
  )
}
