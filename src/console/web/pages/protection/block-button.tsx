/** Stops a country or a prefix for a day with one click, and undoes that with another. */
import { Button, Group } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { api, queries } from '../../api'
import { useWords } from '../../i18n/words'
import { Mark } from '../../parts/status'
import { tellDone, tellProblem } from '../../parts/tell'
import { useAppScope } from '../../scope'
import { useMay } from '../../session'
import { type Place, type State, usePlaceNames } from './place'
import { protectionWords } from './words'

function useActs(place: Place) {
  const say = useWords(protectionWords)
  const { appId } = useAppScope()
  const name = usePlaceNames()(place)
  const { country, prefix } = place
  const input = { appId, country, ...(prefix !== undefined && { prefix }) }
  const after = (done: string) => ({
    onSuccess: () => tellDone(done),
    onError: tellProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: api.protection.key() }),
  })
  const block = useMutation(api.protection.block.mutationOptions(after(say.blockedFor(name))))
  const unblock = useMutation(api.protection.unblock.mutationOptions(after(say.undone(name))))
  return { say, name, input, block, unblock }
}

/** `blocks`: those that hold; missing while they are loaded. */
export function BlockButton({ place, blocks }: { place: Place; blocks: State['blocks'] | undefined }) {
  const { say, name, input, block } = useActs(place)
  const may = useMay()
  const { country, prefix } = place
  if (blocks?.some((one) => one.country === country && one.prefix === prefix))
    return (
      <Group gap="xs" wrap="nowrap">
        <Mark color="red">{say.blocked}</Mark>
        <UndoButton place={place} />
      </Group>
    )
  if (country === '' || !may('apps')) return null
  return (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={say.blockOf(name)}
      onClick={() => block.mutate(input)}
      loading={block.isPending}
    >
      {say.block}
    </Button>
  )
}

/** Of a place that is blocked. */
export function UndoButton({ place }: { place: Place }) {
  const { say, name, input, unblock } = useActs(place)
  const may = useMay()
  if (!may('apps')) return null
  return (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={say.undoOf(name)}
      onClick={() => unblock.mutate(input)}
      loading={unblock.isPending}
    >
      {say.undo}
    </Button>
  )
}
