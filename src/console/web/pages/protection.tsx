/** Codes that an app is refused, since when and why, and the blocks and exemptions of its operators. */
import { Stack } from '@mantine/core'
import { useWords } from '../i18n/words'
import { ProblemNote } from '../parts/problem-note'
import { Blocks, Reopened } from './protection/blocks'
import { Incidents } from './protection/incidents'
import { PlaceHeader } from './protection/place-header'
import { Refused } from './protection/refused'
import { useProtectionState } from './protection/state'
import { protectionWords } from './protection/words'

export default function RefusedPlace() {
  const say = useWords(protectionWords)
  const { data: state, error } = useProtectionState()
  return (
    <>
      <PlaceHeader about={say.about} />
      <Stack gap="lg">
        <Incidents blocks={state?.blocks} />
        {error && <ProblemNote failure={error} />}
        {state && <Blocks blocks={state.blocks} />}
        {state && state.reopened.length > 0 && <Reopened reopened={state.reopened} />}
        <Refused blocks={state?.blocks} />
      </Stack>
    </>
  )
}
