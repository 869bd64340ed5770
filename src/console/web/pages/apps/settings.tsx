/** What can be changed of an app: its name, its region, how long its issues are kept, its texts, what protects it, and the proof it asks for. */
import { Checkbox, TextInput } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useQuery } from '@tanstack/react-query'
import { api, client, queries } from '../../api'
import { inWords, useWords, wordsNow } from '../../i18n/words'
import type { ChosenCountry } from '../../parts/country-choice'
import { Form, useServerForm } from '../../parts/form'
import { ProblemNote } from '../../parts/problem-note'
import { tellDone } from '../../parts/tell'
import type { ShownApp } from '../../scope'
import { type ChallengeDraft, ChallengeFields, draftOf } from './challenge'
import { type ProtectionChange, ProtectionFields } from './protection'
import { RegionChoice } from './region-choice'
import { RetentionField } from './retention'
import { type TextsChange, TextsFields } from './texts'
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

/** Fields of its parts, as the server calls them. */
const PARAMS_OF_PARTS = ['androidHash', 'caps', 'networks', 'secret', 'siteKey', 'webOtpDomain']

export function openAppSettings(app: ShownApp): void {
  const modalId = modals.open({
    title: wordsNow(appWords).settingsOf(app.name),
    size: 'lg',
    children: <AppSettings app={app} onClose={() => modals.close(modalId)} />,
  })
}

function AppSettings({ app, onClose }: { app: ShownApp; onClose(): void }) {
  const say = useWords(words)
  const known = useWords(appWords)
  const { appId } = app
  const asked = useQuery(api.apps.challenge.queryOptions({ input: { appId } }))
  const form = useServerForm({
    initialValues: {
      name: app.name,
      region: app.region as ChosenCountry,
      retentionDays: app.retentionDays,
      provesMetadata: app.provesMetadata,
      // What is not touched stays as others may have decided meanwhile.
      texts: {} as TextsChange,
      protection: {} as ProtectionChange,
      challenge: undefined as ChallengeDraft | undefined,
    },
    // What was typed there may name no country.
    validate: {
      name: (name) => (name.trim() === '' ? known.needsName : undefined),
      region: (region) => region === null,
    },
    otherParams: PARAMS_OF_PARTS,
    async send({ name, region, retentionDays, provesMetadata, texts, protection, challenge }) {
      if (name.trim() !== app.name) await client.apps.rename({ appId, name })
      if (region !== app.region) await client.apps.setRegion({ appId, ...(region && { region }) })
      if (retentionDays !== app.retentionDays)
        await client.apps.setRetention({ appId, ...(retentionDays !== undefined && { retentionDays }) })
      if (Object.keys(texts).length > 0) await client.apps.setTexts({ appId, texts })
      if (provesMetadata !== app.provesMetadata) await client.apps.setProvesMetadata({ appId, provesMetadata })
      if (Object.keys(protection).length > 0) await client.apps.protect({ appId, protection })
      if (challenge) await saveChallenge(appId, challenge, { isKnown: asked.data?.challenge !== undefined })
    },
    onDone(_, { name }) {
      tellDone(say.saved(name.trim()))
      onClose()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: api.apps.key() }),
  })
  const { texts, protection, challenge } = form.values
  return (
    <Form form={form} action={say.save} onCancel={onClose}>
      <TextInput data-autofocus label={known.appName} maxLength={100} autoComplete="off" {...form.field('name')} />
      <RegionChoice {...form.plainField('region')} />
      <RetentionField {...form.field('retentionDays', 'days')} />
      <TextsFields known={app.texts} wanted={texts} errors={form.errors} onChange={(texts) => form.set({ texts })} />
      <Checkbox label={say.metadata} description={say.metadataAbout} {...form.checkbox('provesMetadata')} />
      <ProtectionFields
        known={app.protection}
        decided={protection}
        errors={form.errors}
        onChange={(protection) => form.set({ protection })}
      />
      {asked.isSuccess && (
        <ChallengeFields
          known={asked.data.challenge}
          value={challenge ?? draftOf(asked.data.challenge)}
          errors={form.errors}
          onChange={(challenge) => form.set({ challenge })}
        />
      )}
      {asked.isError && <ProblemNote failure={asked.error} />}
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
