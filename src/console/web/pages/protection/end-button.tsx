/** Ends an incident: its pause is lifted, and no rule about typing refuses codes there for a day. */
import { Button, Text } from '@mantine/core'
import { REOPENED_MS } from '../../../../abuse/rules/incident'
import { api, client, queries } from '../../api'
import { useFormats } from '../../i18n/format'
import { kindWords } from '../../i18n/protection'
import { useWords } from '../../i18n/words'
import { tellDone } from '../../parts/tell'
import { useMay } from '../../session'
import { openQuestion, Question } from './ask'
import { type ShownIncident, useIncidentPlaceNames } from './place'
import { codesOf, keysOf, useCounts, useLately } from './touched'
import { protectionWords } from './words'

export function EndButton({ incident }: { incident: ShownIncident }) {
  const say = useWords(protectionWords)
  const name = useIncidentPlaceNames()(incident)
  const may = useMay()
  if (incident.endedAt !== undefined || !may('apps')) return null
  const ask = () => openQuestion(say.endTitle(name), (onClose) => <EndQuestion incident={incident} onClose={onClose} />)
  return (
    <Button size="compact-xs" variant="default" aria-label={say.endOf(name)} onClick={ask}>
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
