/** Dialogs that change and remove a carrier. */
import { modals } from '@mantine/modals'
import { useQuery } from '@tanstack/react-query'
import { api, client, queries } from '../../api'
import { useWords, wordsNow } from '../../i18n/words'
import { confirmByName } from '../../parts/confirm-by-name'
import { Loading } from '../../parts/empty-state'
import { ProblemNote } from '../../parts/problem-note'
import { tellDone } from '../../parts/tell'
import { CarrierForm } from './carrier-form'
import { providerWords, routesInWords, type ShownRoute } from './words'

export function openCarrierChange(name: string): void {
  const modalId = modals.open({
    title: wordsNow(providerWords).changeOf(name),
    size: 'lg',
    children: <ChangeCarrier name={name} onClose={() => modals.close(modalId)} />,
  })
}

function ChangeCarrier({ name, onClose }: { name: string; onClose(): void }) {
  const say = useWords(providerWords)
  // The form begins with what is stored now.
  const asked = useQuery(api.carriers.settings.queryOptions({ input: { name }, gcTime: 0 }))
  if (asked.isError) return <ProblemNote failure={asked.error} />
  if (asked.isPending) return <Loading />
  const { type, channels, settings, secrets } = asked.data
  return (
    <CarrierForm
      type={type}
      initialValues={{ name, channels, settings }}
      stored={secrets}
      action={say.save}
      send={(filled) => client.carriers.change(filled)}
      onDone={() => {
        tellDone(say.changed(name))
        queries.invalidateQueries({ queryKey: api.carriers.key() })
        onClose()
      }}
      onCancel={onClose}
    />
  )
}

/** `routes`: those that name it. */
export function removeCarrier(name: string, routes: readonly ShownRoute[]): void {
  const say = wordsNow(providerWords)
  const inWords = routesInWords(routes, say.everyCountry)
  confirmByName({
    title: say.removeOf(name),
    name,
    consequence: [say.removeMeans, ...(routes.length > 0 ? [say.removeRoutes(inWords)] : [])].join(' '),
    action: say.remove,
    async run() {
      await client.carriers.remove({ name })
      tellDone(say.removed(name))
      await queries.invalidateQueries({ queryKey: api.carriers.key() })
    },
  })
}
