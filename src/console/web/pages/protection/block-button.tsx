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

/** `blocks`: those that hold; missing while they are loaded. */
export function BlockButton({ place, blocks }: { place: Place; blocks: State['blocks'] | undefined }) {
  const say = useWords(protectionWords)
  const nameOf = usePlaceNames()
  const may = useMay()
  const { appId } = useAppScope()
  const { country, prefix } = place
  const name = nameOf(place)
  const after = (done: string) => ({
    onSuccess: () => tellDone(done),
    onError: tellProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: api.protection.key() }),
  })
  const block = useMutation(api.protection.block.mutationOptions(after(say.blockedFor(name))))
  const unblock = useMutation(api.protection.unblock.mutationOptions(after(say.undone(name))))
  const isBlocked = blocks?.some((one) => one.country === country && one.prefix === prefix) ?? false
  const input = { appId, country, ...(prefix !== undefined && { prefix }) }
  if (country === '' || !(isBlocked || may('apps'))) return null
  return isBlocked ? (
    <Group gap="xs" wrap="nowrap">
      <Mark color="red">{say.blocked}</Mark>
      {may('apps') && (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={say.undoOf(name)}
          onClick={() => unblock.mutate(input)}
          loading={unblock.isPending}
        >
          {say.undo}
        </Button>
      )}
    </Group>
  ) : (
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
