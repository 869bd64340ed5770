/** One endpoint: state, settings and deliveries. */
import { Alert, Anchor, Button, Code, Menu, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import {
  IconAlertTriangle,
  IconChevronDown,
  IconPencil,
  IconPlayerPause,
  IconSend,
  IconWebhook,
} from '@tabler/icons-react'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, client, queries } from '../api'
import { frameWords } from '../i18n/frame'
import { channelWords } from '../i18n/names'
import { refusalInWords } from '../i18n/refusals'
import { inWords, useWords } from '../i18n/words'
import { safetyNet } from '../live'
import { confirm } from '../parts/confirm'
import { confirmByName } from '../parts/confirm-by-name'
import { EmptyState } from '../parts/empty-state'
import { PageHeader } from '../parts/page-header'
import { tellDone, tellProblem } from '../parts/tell'
import { AsWritten } from '../parts/text'
import { Time } from '../parts/time'
import { useAppScope } from '../scope'
import { useMay } from '../session'
import { Deliveries } from './webhooks/deliveries'
import { formWords } from './webhooks/draft'
import { EndpointState, type ShownEndpoint, whyDisabled } from './webhooks/endpoint-state'
import { openRotate } from './webhooks/secret'
import { EVENT_TYPES, webhookWords } from './webhooks/words'

export default function Webhook() {
  const say = useWords(webhookWords)
  const { appId } = useAppScope()
  const { endpointId } = useParams({ from: '/inside/webhooks/$endpointId' })
  const { endpoints } = useSuspenseQuery(
    api.webhooks.list.queryOptions({ input: { appId }, refetchInterval: safetyNet }),
  ).data
  const endpoint = endpoints.find((one) => one.endpointId === endpointId)
  const back = (
    <Anchor component={Link} to="/webhooks" size="sm">
      {say.back}
    </Anchor>
  )
  if (!endpoint) return <EmptyState icon={IconWebhook} title={say.notFound} next={back} />
  return (
    <>
      <PageHeader
        title={say.title}
        about={
          <AsWritten component="span" inherit>
            {endpoint.url}
          </AsWritten>
        }
      >
        <EndpointActions endpoint={endpoint} />
      </PageHeader>
      <Stack gap="lg">
        {!endpoint.enabled && (
          <Alert color="gray" icon={<IconPlayerPause aria-hidden />} title={say.disabledTitle}>
            {whyDisabled(endpoint)}
          </Alert>
        )}
        {endpoint.warning !== undefined && (
          <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={say.warningTitle}>
            {say.warningNext} {refusalInWords(endpoint.warning)}
          </Alert>
        )}
        <EndpointSettings endpoint={endpoint} />
        <Deliveries endpoint={endpoint} />
        <div>{back}</div>
      </Stack>
    </>
  )
}

/** Read-only settings of an endpoint. */
function EndpointSettings({ endpoint }: { endpoint: ShownEndpoint }) {
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

const words = inWords({ en: { more: 'More' }, ko: { more: '더 보기' } })

/** Actions on an endpoint. */
function EndpointActions({ endpoint }: { endpoint: ShownEndpoint }) {
  const say = useWords(webhookWords)
  const { more } = useWords(words)
  const may = useMay()
  const navigate = useNavigate()
  const { endpointId, url, enabled } = endpoint
  const lookAgain = () => queries.invalidateQueries({ queryKey: api.webhooks.key() })
  const test = useMutation(
    api.webhooks.test.mutationOptions({
      onSuccess(_, { type }) {
        tellDone(say.testSent(type))
        return lookAgain()
      },
      onError: tellProblem,
    }),
  )
  const update = useMutation(
    api.webhooks.update.mutationOptions({
      onSuccess(changed) {
        tellDone(changed.enabled ? say.enabled : say.disabled)
        return lookAgain()
      },
      onError: tellProblem,
    }),
  )
  const disable = () =>
    confirm({
      title: say.disableTitle,
      consequence: say.disableMeans(url),
      action: say.disable,
      run: () => update.mutate({ endpointId, enabled: false }),
    })
  const remove = () =>
    confirmByName({
      title: say.remove,
      name: new URL(url).host,
      consequence: say.removeMeans,
      action: say.remove,
      async run() {
        await client.webhooks.remove({ endpointId })
        tellDone(say.removed)
        await navigate({ to: '/webhooks' })
        await lookAgain()
      },
    })
  if (!may('webhooks')) return null
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            variant="default"
            disabled={!enabled}
            loading={test.isPending}
            leftSection={<IconSend size={16} aria-hidden />}
            rightSection={<IconChevronDown size={14} aria-hidden />}
          >
            {say.test}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {EVENT_TYPES.map((type) => (
            <Menu.Item key={type} onClick={() => test.mutate({ endpointId, type })}>
              {type}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Button
        renderRoot={(props) => <Link to="/webhooks/edit" search={{ endpoint: endpointId }} {...props} />}
        variant="default"
        leftSection={<IconPencil size={16} aria-hidden />}
      >
        {say.edit}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={14} aria-hidden />}>
            {more}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {enabled ? (
            <Menu.Item c="red" onClick={disable}>
              {say.disable}
            </Menu.Item>
          ) : (
            <Menu.Item onClick={() => update.mutate({ endpointId, enabled: true })}>{say.enable}</Menu.Item>
          )}
          <Menu.Item onClick={() => openRotate(endpointId)}>{say.rotate}</Menu.Item>
          <Menu.Divider />
          <Menu.Item c="red" onClick={remove}>
            {say.remove}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  )
}
