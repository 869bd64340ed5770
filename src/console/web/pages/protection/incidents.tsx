/** Incidents of low conversion, with their state and actions. */
import { Button, Group, Stack, Text, VisuallyHidden } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { REOPENED_MS } from '../../../../abuse/rules/incident'
import { api, client, paging, queries } from '../../api'
import { useFormats } from '../../i18n/format'
import { kindWords, ruleWords } from '../../i18n/protection'
import { useWords } from '../../i18n/words'
import { safetyNetWhileShort } from '../../live'
import { confirm } from '../../parts/confirm'
import { DataTable, fromPages, type TableColumn } from '../../parts/data-table'
import { Section } from '../../parts/section'
import { Mark } from '../../parts/status'
import { tellDone, tellProblem } from '../../parts/tell'
import { Time } from '../../parts/time'
import { useAppScope } from '../../scope'
import { useMay } from '../../session'
import { codesOf, keysOf, openQuestion, Question, useCounts, useLately } from './ask'
import { BlockButton } from './block-button'
import { type ShownIncident, type State, useIncidentPlaceNames, usePlaceNames } from './place'
import { protectionWords } from './words'

export function Incidents({ blocks }: { blocks: State['blocks'] | undefined }) {
  const say = useWords(protectionWords)
  const formats = useFormats()
  const { appId } = useAppScope()
  const incidents = useInfiniteQuery(
    api.protection.incidents.infiniteOptions({
      input: (after: string | undefined) => ({ appId, after }),
      ...paging,
      refetchInterval: safetyNetWhileShort,
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
        file={{ name: 'incidents', load: (after) => client.protection.incidents({ appId, after, limit: 200 }) }}
        columns={columns}
        empty={<NoIncident />}
      />
    </Section>
  )
}

/** Usually there is no incident, so the section is small. */
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

/** Country, start and cause of an incident. */
function What({ incident }: { incident: ShownIncident }) {
  const say = useWords(protectionWords)
  const kinds = useWords(kindWords)
  const rules = useWords(ruleWords)
  const nameOf = useIncidentPlaceNames()
  const { kind, since, evidence } = incident
  const { number } = useFormats()
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
      </Text>
      {evidence && (
        <Text size="sm">
          {say.evidence[evidence.place](evidence.digits)}:{' '}
          {say.lostOf(number(evidence.wishes), number(evidence.lost), number(evidence.usually))}
        </Text>
      )}
      <Text component="ul" size="sm">
        {incident.rules.map((rule) => (
          <li key={rule}>{rules[rule]}</li>
        ))}
      </Text>
    </Stack>
  )
}

function StateMark({ incident }: { incident: ShownIncident }) {
  const { states } = useWords(protectionWords)
  if (incident.endedAt !== undefined) return <Mark color="gray">{states.ended}</Mark>
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

/** Ends an incident and exempts the country from conversion rules for a day. */
function EndButton({ incident }: { incident: ShownIncident }) {
  const say = useWords(protectionWords)
  const name = useIncidentPlaceNames()(incident)
  const may = useMay()
  if (incident.endedAt !== undefined || !may('protection')) return null
  const ask = () => openQuestion(say.endTitle(name), (onClose) => <EndQuestion incident={incident} onClose={onClose} />)
  return (
    <Button size="compact-xs" variant="subtle" color="red" aria-label={say.endOf(name)} onClick={ask}>
      {say.end}
    </Button>
  )
}

function EndQuestion({ incident, onClose }: { incident: ShownIncident; onClose(): void }) {
  const say = useWords(protectionWords)
  const kinds = useWords(kindWords)
  const counts = useCounts()
  const name = useIncidentPlaceNames()(incident)
  const lately = useLately(incident.appId)
  const formats = useFormats()
  const { incidentId, kind, country } = incident
  const run = async () => {
    const { reopenedUntil } = await client.protection.end({ incidentId })
    queries.invalidateQueries({ queryKey: api.protection.key() })
    tellDone(`${say.ended(kinds[kind], name, formats.time(reopenedUntil))} ${say.stillHolds}`)
  }
  return (
    <Question lately={lately} action={say.end} run={run} onClose={onClose}>
      {(lately) => (
        <>
          <Text size="sm">
            {say.endMeans(kinds[kind], name, formats.time(Date.now() + REOPENED_MS))} {say.stillHolds}
          </Text>
          <Text size="sm">
            {say.endTouches(
              counts.keys(keysOf(lately, [kind])),
              counts.codes(
                codesOf(lately, [kind], (one) => one === country, ['refused']),
                { areAll: true },
              ),
            )}
          </Text>
        </>
      )}
    </Question>
  )
}

/** Refunds the unverified codes of an incident. */
function RefundButton({ incident }: { incident: ShownIncident }) {
  const say = useWords(protectionWords)
  const formats = useFormats()
  const nameOf = usePlaceNames()
  const may = useMay()
  const { incidentId } = incident
  const refund = useMutation(
    api.protection.refund.mutationOptions({
      onSuccess({ credits, issues, undecided }) {
        const done = say.refunded(formats.number(credits), formats.number(issues))
        tellDone(undecided === 0 ? done : `${done} ${say.undecided(formats.number(undecided))}`)
        queries.invalidateQueries({ queryKey: api.wallet.key() })
      },
      onError: tellProblem,
      onSettled: () => queries.invalidateQueries({ queryKey: api.protection.key() }),
    }),
  )
  if (incident.cost === 0 || !may('money')) return null
  const name = nameOf(incident)
  const ask = () =>
    confirm({
      title: say.refundTitle,
      consequence: say.refundMeans(name),
      action: say.refund,
      run: () => refund.mutate({ incidentId }),
    })
  return (
    <Button
      size="compact-xs"
      variant="subtle"
      color="red"
      aria-label={say.refundOf(name)}
      onClick={ask}
      loading={refund.isPending}
    >
      {say.refund}
    </Button>
  )
}
