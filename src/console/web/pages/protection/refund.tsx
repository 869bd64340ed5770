/** Gives back what codes of an incident have cost that nobody typed. */
import { Button, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useMutation } from '@tanstack/react-query'
import { api, queries } from '../../api'
import { useFormats } from '../../i18n/format'
import { frameWords } from '../../i18n/frame'
import { useWords } from '../../i18n/words'
import { tellDone, tellProblem } from '../../parts/tell'
import { useMay } from '../../session'
import { type ShownIncident, usePlaceNames } from './place'
import { protectionWords } from './words'

export function RefundButton({ incident }: { incident: ShownIncident }) {
  const say = useWords(protectionWords)
  const common = useWords(frameWords)
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
    modals.openConfirmModal({
      title: say.refundTitle,
      children: <Text size="sm">{say.refundMeans(name)}</Text>,
      labels: { confirm: say.refund, cancel: common.cancel },
      onConfirm: () => refund.mutate({ incidentId }),
    })
  return (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={say.refundOf(name)}
      onClick={ask}
      loading={refund.isPending}
    >
      {say.refund}
    </Button>
  )
}
