/** Codes that nobody types: where, since when, what is done about it and what can be done. */
import { Group, Stack, Text, VisuallyHidden } from '@mantine/core'
import { IconShieldCheck } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { api, type client, paging } from '../../api'
import { useFormats } from '../../i18n/format'
import { kindWords, ruleWords } from '../../i18n/protection'
import { useWords } from '../../i18n/words'
import { type Column, DataTable, fromPages } from '../../parts/data-table'
import { EmptyState } from '../../parts/empty-state'
import { whileShort } from '../../parts/refresh'
import { Section } from '../../parts/section'
import { Mark } from '../../parts/status'
import { Time } from '../../parts/time'
import { useAppScope } from '../../scope'
import { BlockButton } from './block-button'
import { EndButton } from './end-button'
import { type State, usePlaceNames } from './place'
import { RefundButton } from './refund'
import { protectionWords } from './words'

export type Incident = Awaited<ReturnType<typeof client.protection.incidents>>['rows'][number]

export function Incidents({ blocks }: { blocks: State['blocks'] | undefined }) {
  const say = useWords(protectionWords)
  const kinds = useWords(kindWords)
  const rules = useWords(ruleWords)
  const formats = useFormats()
  const nameOf = usePlaceNames()
  const { appId } = useAppScope()
  const incidents = useInfiniteQuery(
    api.protection.incidents.infiniteOptions({
      input: (after: string | undefined) => ({ appId, after }),
      ...paging,
      refetchInterval: whileShort,
    }),
  )
  const columns: Column<Incident>[] = [
    {
      key: 'place',
      header: say.place,
      isHeading: true,
      cell: (incident) => (
        <Stack gap={4} align="flex-start">
          <Text size="sm" fw={500}>
            {nameOf(incident)}
          </Text>
          <Text size="xs" c="dimmed">
            {kinds[incident.kind]}
          </Text>
          <StateMark incident={incident} />
        </Stack>
      ),
    },
    {
      key: 'since',
      header: say.since,
      cell: ({ since, pausedUntil }) => (
        <Stack gap={4}>
          <Time at={since} relative />
          {pausedUntil !== undefined && (
            <Text size="xs" c="dimmed">
              {say.pausedUntil} <Time at={pausedUntil} />
            </Text>
          )}
        </Stack>
      ),
    },
    {
      key: 'rules',
      header: say.rules,
      cell: (incident) => (
        <Stack component="ul" gap={2}>
          {incident.rules.map((rule) => (
            <Text component="li" size="sm" key={rule}>
              {rules[rule]}
            </Text>
          ))}
        </Stack>
      ),
    },
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
        <Stack gap="xs" align="flex-end">
          <BlockButton place={{ country: incident.country }} blocks={blocks} />
          <Group gap="xs" wrap="nowrap">
            <EndButton incident={incident} />
            <RefundButton incident={incident} />
          </Group>
        </Stack>
      ),
    },
  ]
  return (
    <Section title={say.incidents} about={say.incidentsAbout}>
      <DataTable
        {...fromPages<Incident>(incidents)}
        label={say.incidents}
        keyOf={({ incidentId }) => incidentId}
        columns={columns}
        empty={<EmptyState icon={IconShieldCheck} title={say.noIncidents} next={say.noIncidentsNext} />}
      />
    </Section>
  )
}

function StateMark({ incident: { endedAt, pausedUntil, isBlocked } }: { incident: Incident }) {
  const { states } = useWords(protectionWords)
  if (endedAt !== undefined) return <Mark color="gray">{states.ended}</Mark>
  if (pausedUntil !== undefined && pausedUntil > Date.now()) return <Mark color="red">{states.paused}</Mark>
  return isBlocked ? <Mark color="red">{states.refusing}</Mark> : <Mark color="yellow">{states.watching}</Mark>
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
