/** What can be changed of an app: its name, its region, how long its issues are kept, its texts, what protects it, and the proof it asks for. */
import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { modals } from '@mantine/modals'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, client, queries } from '../../api'
import { frameWords } from '../../i18n/frame'
import { inWords, useWords, wordsNow } from '../../i18n/words'
import { fieldProblem, refuseField, toFirstProblem } from '../../parts/field-problem'
import { ProblemNote } from '../../parts/problem-note'
import { tellDone } from '../../parts/tell'
import type { App } from '../../scope'
import { type ChallengeDraft, ChallengeFields, draftOf } from './challenge'
import { type Decided, ProtectionFields } from './protection'
import { RegionChoice } from './region-choice'
import { RetentionField } from './retention'
import { TextsFields, type WantedTexts } from './texts'
import { appWords } from './words'

const words = inWords({
  en: {
    save: 'Save',
    metadata: 'Proofs of verification have the metadata of their issue',
    metadataAbout: 'Whoever verifies reads it then, also a browser.',
    saved: (name: string) => `The settings of “${name}” are saved.`,
  },
  ko: {
    save: '저장',
    metadata: '인증 증명에 발급의 metadata 포함',
    metadataAbout: '브라우저를 포함해 인증하는 쪽에서 읽을 수 있습니다.',
    saved: (name) => `“${name}” 앱의 설정을 저장했습니다.`,
  },
})

/** Said beside the field it is about. */
const BESIDE_FIELD = ['androidHash', 'caps', 'days', 'networks', 'secret', 'siteKey', 'webOtpDomain']

export function openAppSettings(app: App): void {
  const modalId = modals.open({
    title: wordsNow(appWords).settingsOf(app.name),
    size: 'lg',
    children: <AppSettings app={app} onClose={() => modals.close(modalId)} />,
  })
}

function AppSettings({ app, onClose }: { app: App; onClose(): void }) {
  const say = useWords(words)
  const common = useWords(frameWords)
  const known = useWords(appWords)
  const { appId } = app
  const form = useForm({
    initialValues: { name: app.name },
    validate: { name: (name) => (name.trim() === '' ? known.needsName : undefined) },
  })
  const [region, setRegion] = useState<string | undefined | null>(app.region)
  const [retentionDays, setRetentionDays] = useState(app.retentionDays)
  const [texts, setTexts] = useState<WantedTexts>({})
  const [provesMetadata, setProvesMetadata] = useState(app.provesMetadata)
  const [decided, setDecided] = useState<Decided>({})
  const asked = useQuery(api.apps.challenge.queryOptions({ input: { appId } }))
  const [challenge, setChallenge] = useState<ChallengeDraft>()
  const save = useMutation({
    async mutationFn({ name }: { name: string }) {
      if (name.trim() !== app.name) await client.apps.rename({ appId, name })
      if (region !== null && region !== app.region)
        await client.apps.setRegion({ appId, ...(region !== undefined && { region }) })
      if (retentionDays !== app.retentionDays)
        await client.apps.setRetention({ appId, ...(retentionDays !== undefined && { retentionDays }) })
      // What is not touched stays as others may have decided meanwhile.
      if (Object.keys(texts).length > 0) await client.apps.setTexts({ appId, texts })
      if (provesMetadata !== app.provesMetadata) await client.apps.setProvesMetadata({ appId, provesMetadata })
      if (Object.keys(decided).length > 0) await client.apps.protect({ appId, protection: decided })
      if (challenge) await saveChallenge(appId, challenge, { isKnown: asked.data?.challenge !== undefined })
    },
    onSuccess(_, { name }) {
      tellDone(say.saved(name.trim()))
      onClose()
    },
    onError(failure) {
      if (refuseField(form, failure)) save.reset()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: api.apps.key() }),
  })
  return (
    <form
      onSubmit={form.onSubmit((values, event) => {
        // What was typed as a country names none.
        const mistaken = event?.currentTarget.querySelector<HTMLInputElement>('input:invalid')
        if (mistaken) return mistaken.focus()
        if (region !== null && !save.isPending) save.mutate(values)
      }, toFirstProblem)}
      noValidate
    >
      <Stack>
        <TextInput
          data-autofocus
          label={known.appName}
          maxLength={100}
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <RegionChoice value={region} onChange={setRegion} />
        <RetentionField value={retentionDays} failure={save.error} onChange={setRetentionDays} />
        <TextsFields known={app.texts} wanted={texts} failure={save.error} onChange={setTexts} />
        <Checkbox
          label={say.metadata}
          description={say.metadataAbout}
          checked={provesMetadata}
          onChange={(event) => setProvesMetadata(event.currentTarget.checked)}
        />
        <ProtectionFields known={app.protection} decided={decided} failure={save.error} onChange={setDecided} />
        {asked.isSuccess && (
          <ChallengeFields
            known={asked.data.challenge}
            value={challenge ?? draftOf(asked.data.challenge)}
            failure={save.error}
            onChange={setChallenge}
          />
        )}
        {asked.isError && <ProblemNote failure={asked.error} />}
        {save.isError && fieldProblem(save.error, ...BESIDE_FIELD) === undefined && (
          <ProblemNote failure={save.error} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {say.save}
          </Button>
        </Group>
      </Stack>
    </form>
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
