/** Blocks a country or prefix for a day for chosen keys, and unblocks it. */
import { Button, Group, Radio, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, client, queries } from '../../api'
import { kindWords } from '../../i18n/protection'
import { useWords } from '../../i18n/words'
import { Mark } from '../../parts/status'
import { tellDone, tellProblem } from '../../parts/tell'
import { useAppScope } from '../../scope'
import { useMay } from '../../session'
import { codesOf, keysOf, openQuestion, Question, type ShownKeyKind, useCounts, useLately } from './ask'
import { type ShownBlock, type ShownPlace, type State, usePlaceNames } from './place'
import { protectionWords } from './words'

interface BlockButtonProps {
  place: ShownPlace
  /** Kind of key of the incident. */
  kind?: ShownKeyKind
  /** Current blocks; missing while loading. */
  blocks: State['blocks'] | undefined
}

export function BlockButton({ place, kind, blocks }: BlockButtonProps) {
  const say = useWords(protectionWords)
  const kinds = useWords(kindWords)
  const { appId } = useAppScope()
  const name = usePlaceNames()(place)
  const may = useMay()
  const { country, prefix } = place
  const touches = (block: ShownBlock) =>
    block.country === country && block.prefix === prefix && (!kind || !block.kind || block.kind === kind)
  const block = blocks?.find(touches)
  if (block)
    return (
      <Group gap="xs">
        <Mark color="red">{block.kind ? say.blockedKeys(kinds[block.kind]) : say.blocked}</Mark>
        <UndoButton block={block} />
      </Group>
    )
  if (country === '' || !may('protection')) return null
  const ask = () =>
    openQuestion(say.blockTitle(name), (onClose) => (
      <BlockQuestion appId={appId} place={place} {...(kind && { kind })} onClose={onClose} />
    ))
  return (
    <Button size="compact-xs" variant="subtle" color="red" aria-label={say.blockOf(name)} onClick={ask}>
      {say.block}
    </Button>
  )
}

const CHOICES = ['pk', 'sk', 'relay', 'all'] as const
type BlockChoice = (typeof CHOICES)[number]
const KINDS: Readonly<Record<BlockChoice, readonly ShownKeyKind[]>> = {
  ...{ pk: ['pk'], sk: ['sk'], relay: ['relay'] },
  all: ['pk', 'sk', 'relay'],
}

interface BlockQuestionProps {
  appId: string
  place: ShownPlace
  kind?: ShownKeyKind
  onClose(): void
}

function BlockQuestion({ appId, place: { country, prefix, digits }, kind, onClose }: BlockQuestionProps) {
  const say = useWords(protectionWords)
  const kinds = useWords(kindWords)
  const counts = useCounts()
  const name = usePlaceNames()({ country, prefix, digits })
  const lately = useLately(appId, prefix)
  const [chosen, choose] = useState<BlockChoice>()
  // Preselects browser keys: they are public, while blocking secret keys stops every user.
  const choice = chosen ?? kind ?? (lately.data && lately.data.keys.pk === 0 ? 'sk' : 'pk')
  const run = async () => {
    const of = { ...(prefix !== undefined && { prefix }), ...(choice !== 'all' && { kind: choice }) }
    await client.protection.block({ appId, country, ...of })
    queries.invalidateQueries({ queryKey: api.protection.key() })
    tellDone(say.blockedFor[choice](name))
  }
  return (
    <Question lately={lately} action={say.block} run={run} onClose={onClose}>
      {(lately) => (
        <>
          <Text size="sm">{say.blockMeans}</Text>
          <Radio.Group
            label={say.blockWhose}
            value={choice}
            onChange={(value) => choose(CHOICES.find((known) => known === value))}
          >
            <Stack gap="xs" mt="xs">
              {CHOICES.map((value) => (
                <Radio
                  key={value}
                  value={value}
                  label={value === 'all' ? say.everyKey : kinds[value]}
                  description={say.touched(
                    counts.keys(keysOf(lately, KINDS[value])),
                    counts.codes(
                      codesOf(lately, KINDS[value], (one) => one === country, ['sent', 'refused']),
                      lately,
                    ),
                  )}
                />
              ))}
            </Stack>
          </Radio.Group>
        </>
      )}
    </Question>
  )
}

export function UndoButton({ block }: { block: ShownBlock }) {
  const say = useWords(protectionWords)
  const name = usePlaceNames()(block)
  const { appId } = useAppScope()
  const may = useMay()
  const unblock = useMutation(
    api.protection.unblock.mutationOptions({
      onSuccess: () => tellDone(say.undone(name)),
      onError: tellProblem,
      onSettled: () => queries.invalidateQueries({ queryKey: api.protection.key() }),
    }),
  )
  if (!may('protection')) return null
  const { country, prefix, kind } = block
  return (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={say.undoOf(name)}
      onClick={() => unblock.mutate({ appId, country, ...(prefix !== undefined && { prefix }), ...(kind && { kind }) })}
      loading={unblock.isPending}
    >
      {say.undo}
    </Button>
  )
}
