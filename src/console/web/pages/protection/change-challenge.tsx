/** The dialog that changes which proof of a human an app asks for. */
import { modals } from '@mantine/modals'
import { api, client, queries } from '../../api'
import { useWords } from '../../i18n/words'
import { Form, useServerForm } from '../../parts/form'
import { tellDone } from '../../parts/tell'
import { type Challenge, type ChallengeDraft, ChallengeFields, draftOf } from './challenge'
import { protectionWords } from './words'

export function openChallenge(appId: string, known: Challenge | undefined, title: string): void {
  const modalId = modals.open({
    title,
    children: <ChangeChallenge appId={appId} known={known} onClose={() => modals.close(modalId)} />,
  })
}

interface ChangeChallengeProps {
  appId: string
  known: Challenge | undefined
  onClose(): void
}

function ChangeChallenge({ appId, known, onClose }: ChangeChallengeProps) {
  const say = useWords(protectionWords)
  const form = useServerForm({
    initialValues: draftOf(known),
    otherParams: ['secret', 'siteKey'],
    send: (draft) => saveChallenge(appId, draft, { isKnown: known !== undefined }),
    onDone() {
      tellDone(say.policySaved)
      onClose()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: api.apps.key() }),
  })
  return (
    <Form form={form} action={say.save} onCancel={onClose}>
      <ChallengeFields known={known} value={form.values} errors={form.errors} onChange={form.set} />
    </Form>
  )
}

async function saveChallenge(
  appId: string,
  { vendor, secret, siteKey, onOutage }: ChallengeDraft,
  { isKnown }: { isKnown: boolean },
): Promise<void> {
  if (vendor === '') {
    if (isKnown) await client.apps.removeChallenge({ appId })
    return
  }
  await client.apps.setChallenge({
    ...{ appId, vendor, onOutage },
    ...(secret !== '' && { secret }),
    ...(siteKey !== '' && { siteKey }),
  })
}
