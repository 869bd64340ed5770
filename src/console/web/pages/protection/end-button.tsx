import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { api, queries } from '../../api'
import { useWords } from '../../i18n/words'
import { tellDone, tellProblem } from '../../parts/tell'
import { useMay } from '../../session'
import { type Incident, usePlaceNames } from './place'
import { protectionWords } from './words'

/** Lifts the pause of an incident: codes are sent there again. */
export function EndButton({ incident }: { incident: Incident }) {
  const say = useWords(protectionWords)
  const nameOf = usePlaceNames()
  const may = useMay()
  const { incidentId, endedAt } = incident
  const end = useMutation(
    api.protection.end.mutationOptions({
      onSuccess: () => tellDone(say.ended),
      onError: tellProblem,
      onSettled: () => queries.invalidateQueries({ queryKey: api.protection.key() }),
    }),
  )
  if (endedAt !== undefined || !may('apps')) return null
  return (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={say.endOf(nameOf(incident))}
      onClick={() => end.mutate({ incidentId })}
      loading={end.isPending}
    >
      {say.end}
    </Button>
  )
}
