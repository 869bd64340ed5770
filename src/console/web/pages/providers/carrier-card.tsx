/** One carrier: health, current load and results of the last hour. */
import { Alert, Badge, Group, Paper, Progress, Stack, Text, Title } from '@mantine/core'
import { IconAlertTriangle, IconPlayerPause } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api } from '../../api'
import { useFormats } from '../../i18n/format'
import { channelWords } from '../../i18n/names'
import { useWords } from '../../i18n/words'
import { RowAction } from '../../parts/row-action'
import { Time } from '../../parts/time'
import { useMay } from '../../session'
import { openCarrierAnswers } from './carrier-answers'
import { openCarrierTest } from './carrier-test'
import { openCarrierChange, openRotation, removeCarrier } from './change-carrier'
import { PauseButton } from './pause-carrier'
import { openWhatsappTemplate } from './whatsapp-template'
import { providerWords, type ShownCarrier } from './words'

export function CarrierCard({ carrier }: { carrier: ShownCarrier }) {
  const say = useWords(providerWords)
  const channels = useWords(channelWords)
  const formats = useFormats()
  const may = useMay()
  const { name, type, state, inFlight, concurrency, waiting, timeoutMs } = carrier
  const routes = useQuery(api.carriers.routes.queryOptions())
  const remove = () =>
    removeCarrier(name, routes.data?.routes.filter(({ providers }) => providers.includes(name)) ?? [])
  return (
    <Paper component="article" withBorder p="md" aria-label={name}>
      <Stack gap="sm" h="100%">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Stack gap={2}>
            <Title order={3}>{name}</Title>
            <Text size="sm" c="dimmed">
              {type} · {carrier.channels.map((channel) => channels[channel]).join(', ')}
            </Text>
          </Stack>
          <Badge variant="light" color={COLORS[state]} miw="max-content">
            {say.states[state]}
          </Badge>
        </Group>
        {state !== 'healthy' && <CarrierState carrier={carrier} state={state} />}
        <Stack gap={4}>
          <Line name={say.inFlight}>{say.inFlightOf(formats.number(inFlight), formats.number(concurrency))}</Line>
          <Progress
            size="sm"
            value={concurrency === 0 ? 0 : (inFlight / concurrency) * 100}
            aria-label={`${say.inFlight}: ${name}`}
          />
        </Stack>
        <Line name={say.waiting}>{formats.number(waiting)}</Line>
        <Line name={say.timeout}>{formats.milliseconds(timeoutMs)}</Line>
        <LastHour {...carrier.recent} />
        <Reports carrier={carrier} />
        <Group gap="xs" mt="auto">
          <RowAction name={say.answersOf(name)} onClick={() => openCarrierAnswers(name)}>
            {say.answers}
          </RowAction>
          {may('carriers') && (
            <>
              <RowAction name={say.testOf(name)} onClick={() => openCarrierTest(carrier)}>
                {say.test}
              </RowAction>
              <RowAction name={say.changeOf(name)} onClick={() => openCarrierChange(name)}>
                {say.change}
              </RowAction>
              <RowAction name={say.rotateOf(name)} onClick={() => openRotation(name)}>
                {say.rotate}
              </RowAction>
              {type === 'whatsapp' && (
                <RowAction name={say.templateOf(name)} onClick={() => openWhatsappTemplate(name)}>
                  {say.template}
                </RowAction>
              )}
              <PauseButton carrier={carrier} />
              <RowAction isDestructive name={say.removeOf(name)} onClick={remove}>
                {say.remove}
              </RowAction>
            </>
          )}
        </Group>
      </Stack>
    </Paper>
  )
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Group justify="space-between" gap="xs">
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text size="sm">{children}</Text>
    </Group>
  )
}

const COLORS = { healthy: 'teal', unhealthy: 'red', paused: 'yellow' } as const

interface CarrierStateProps {
  carrier: ShownCarrier
  state: 'unhealthy' | 'paused'
}

/** The reason of the state, in one sentence where the carrier has said something. */
function CarrierState({ carrier: { since, code, explanation }, state }: CarrierStateProps) {
  const say = useWords(providerWords)
  return (
    <Alert
      color={COLORS[state]}
      p="xs"
      icon={state === 'paused' ? <IconPlayerPause aria-hidden /> : <IconAlertTriangle aria-hidden />}
    >
      <Stack gap={4}>
        {code !== undefined && (
          <Text size="sm">
            <b>{code}</b>
            {explanation !== undefined && `: ${explanation}`}
          </Text>
        )}
        <Text size="sm">{say.reasons[state]}</Text>
        {since !== undefined && (
          <Text size="xs">
            <Time at={since} relative />
          </Text>
        )}
      </Stack>
    </Alert>
  )
}

/** Nothing where the carrier reports no deliveries, or has not begun. */
function Reports({ carrier: { reportedAt, unreported, refusedReports } }: { carrier: ShownCarrier }) {
  const say = useWords(providerWords)
  const formats = useFormats()
  return (
    <>
      {reportedAt !== undefined && (
        <Line name={say.lastReport}>
          <Time at={reportedAt} relative />
        </Line>
      )}
      {reportedAt === undefined && unreported > 0 && (
        <Line name={say.lastReport}>{say.noReport(formats.number(unreported))}</Line>
      )}
      {refusedReports.map(({ reason, times }) => (
        <Line key={reason} name={say.refusedReports}>
          {say.refusedFor[reason](formats.number(times))}
        </Line>
      ))}
    </>
  )
}

const OUTCOMES = [
  ['accepted', 'teal.7'],
  ['refused', 'red.8'],
  ['ambiguous', 'orange.7'],
] as const

function LastHour(recent: ShownCarrier['recent']) {
  const say = useWords(providerWords)
  const formats = useFormats()
  const total = recent.accepted + recent.refused + recent.ambiguous
  const inWords = OUTCOMES.map(([kind]) => `${formats.number(recent[kind])} ${say[kind]}`).join(' · ')
  return (
    <Stack gap={4}>
      <Line name={say.lastHour}>{total === 0 ? say.nothing : inWords}</Line>
      {total > 0 && (
        <Progress.Root size="sm">
          {OUTCOMES.map(([kind, color]) => (
            <Progress.Section key={kind} value={(recent[kind] / total) * 100} color={color} aria-label={say[kind]} />
          ))}
        </Progress.Root>
      )}
    </Stack>
  )
}
