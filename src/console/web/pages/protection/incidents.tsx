/** Codes that nobody types: where, since when, what is done about it and what can be done. */
import { Group, Stack, Text, VisuallyHidden } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { api, paging } from '../../api'
import { useFormats } from '../../i18n/format'
import { kindWords, ruleWords } from '../../i18n/protection'
import { useWords } from '../../i18n/words'
import { DataTable, fromPages, type TableColumn } from '../../parts/data-table'
import { whileShort } from '../../parts/refresh'
import { Section } from '../../parts/section'
import { Mark } from '../../parts/status'
import { Time } from '../../parts/time'
import { useAppScope } from '../../scope'
import { BlockButton } from './block-button'
import { EndButton } from './end-button'
import { type ShownIncident, type State, useIncidentPlaceNames } from './place'
import { RefundButton } from './refund'
import { protectionWords } from './words'

export function Incidents({ blocks }: { blocks: State['blocks'] | undefined }) {
  const say = useWords(protectionWords)
  const formats = useFormats()
  const { appId } = useAppScope()
  const incidents = useInfiniteQuery(
    api.protection.incidents.infiniteOptions({
      input: (after: string | undefined) => ({ appId, after }),
      ...paging,
      refetchInterval: whileShort,
    }),
  )
  const columns: TableColumn<ShownIncident>[] = [
    { key: 'what', header: say.place, isHeading: true, cell: (incident) => <What incident={incident} /> },
    {
      key: 'refused',
      header: say.refused,
      isNumber: true,
      isUnbroken: true,
      cell: ({ refused, isBlocked }) => (
        <Amount value={formats.number(refused)} about={isBlocked ? undefined : say.watched} />
      ),
    },
    {
      key: 'cost',
      header: say.cost,
      isNumber: true,
      isUnbroken: true,
      cell: ({ cost, refunded }) => (
        <Amount
          value={formats.number(cost)}
          about={refunded === undefined ? undefined : say.refundedOf(formats.number(refunded))}
        />
      ),
    },
    {
      key: 'actions',
      header: <VisuallyHidden>{say.actions}</VisuallyHidden>,
      isNumber: true,
      cell: (incident) => (
        <Group gap="xs" justify="flex-end" maw={{ md: 190 }}>
          <BlockButton place={{ country: incident.country }} kind={incident.kind} blocks={blocks} />
          <EndButton incident={incident} />
          <RefundButton incident={incident} />
        </Group>
      ),
    },
  ]
  return (
    <Section title={say.incidents} about={say.incidentsAbout}>
      <DataTable
        {...fromPages<ShownIncident>(incidents)}
        label={say.openFirst}
        keyOf={({ incidentId }) => incidentId}
        columns={columns}
        empty={<NoIncident />}
      />
    </Section>
  )
}

/** Most of the time there is none, and the rest of the page is what matters. */
function NoIncident() {
  const say = useWords(protectionWords)
  return (
    <Group gap={6} wrap="nowrap" align="flex-start" role="status">
      <Text c="teal" lh={0} component="span">
        <IconCircleCheck size={18} aria-hidden />
      </Text>
      <Text size="sm">
        {say.noIncidents} {say.noIncidentsNext}
      </Text>
    </Group>
  )
}

/** Where, since when, and why. */
function What({ incident }: { incident: ShownIncident }) {
  const say = useWords(protectionWords)
  const kinds = useWords(kindWords)
  const rules = useWords(ruleWords)
  const nameOf = useIncidentPlaceNames()
  const { kind, since, pausedUntil } = incident
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Text size="sm" fw={500}>
          {nameOf(incident)}
        </Text>
        <StateMark incident={incident} />
      </Group>
      <Text size="sm" c="dimmed">
        {kinds[kind]} · {say.since} <Time at={since} relative />
        {isPaused(incident) && pausedUntil !== undefined && (
          <>
            {' · '}
            {say.pausedUntil} <Time at={pausedUntil} />
          </>
        )}
      </Text>
      <Text component="ul" size="sm">
        {incident.rules.map((rule) => (
          <li key={rule}>{rules[rule]}</li>
        ))}
      </Text>
    </Stack>
  )
}

const isPaused = ({ pausedUntil = 0 }: ShownIncident) => pausedUntil > Date.now()

function StateMark({ incident }: { incident: ShownIncident }) {
  const { states } = useWords(protectionWords)
  if (incident.endedAt !== undefined) return <Mark color="gray">{states.ended}</Mark>
  if (isPaused(incident)) return <Mark color="red">{states.paused}</Mark>
  return incident.isBlocked ? <Mark color="red">{states.refusing}</Mark> : <Mark color="yellow">{states.watching}</Mark>
}

const Amount = ({ value, about }: { value: string; about: string | undefined }) => (
  <div>
    {value}
    {about !== undefined && (
      <Text size="xs" c="dimmed">
        {about}
      </Text>
    )}
  </div>
)
