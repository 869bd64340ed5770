/** Places that operators blocked, or exempted by ending an incident. */
import { Group, Stack, Text } from '@mantine/core'
import { kindWords } from '../../i18n/protection'
import { useWords } from '../../i18n/words'
import { Section } from '../../parts/section'
import { Time } from '../../parts/time'
import { UndoButton } from './block-button'
import { type State, useIncidentPlaceNames, usePlaceNames } from './place'
import { protectionWords } from './words'

export function Blocks({ blocks }: { blocks: State['blocks'] }) {
  const say = useWords(protectionWords)
  const kinds = useWords(kindWords)
  const nameOf = usePlaceNames()
  return (
    <Section title={say.blocks}>
      {blocks.length === 0 ? (
        <Text size="sm" c="dimmed">
          {say.noBlocks}
        </Text>
      ) : (
        <Stack component="ul" gap="xs">
          {blocks.map((block) => (
            <Group component="li" key={`${block.country}/${block.prefix}/${block.kind}`} gap="xs">
              <Text size="sm">
                {nameOf(block)}{' '}
                <Text span c="dimmed">
                  {block.kind && `(${kinds[block.kind]}) `}
                  {say.until} <Time at={block.until} />
                </Text>
              </Text>
              <UndoButton block={block} />
            </Group>
          ))}
        </Stack>
      )}
    </Section>
  )
}

export function Reopened({ reopened }: { reopened: State['reopened'] }) {
  const say = useWords(protectionWords)
  const kinds = useWords(kindWords)
  const nameOf = useIncidentPlaceNames()
  return (
    <Section title={say.reopened} about={`${say.reopenedMeans} ${say.stillHolds}`}>
      <Stack component="ul" gap="xs">
        {reopened.map((place) => (
          <Text component="li" key={`${place.kind}/${place.country}`} size="sm">
            {nameOf(place)}{' '}
            <Text span c="dimmed">
              ({kinds[place.kind]}) {say.until} <Time at={place.until} />
            </Text>
          </Text>
        ))}
      </Stack>
    </Section>
  )
}
