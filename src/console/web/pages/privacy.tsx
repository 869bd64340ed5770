import { Alert, Button, Group, List, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconDownload, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { client } from '../api'
import { useFormats } from '../i18n/format'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import { confirmByName } from '../parts/confirm-by-name'
import { useServerForm } from '../parts/form'
import { PageHeader } from '../parts/page-header'
import { ProblemNote } from '../parts/problem-note'
import { Section } from '../parts/section'
import { tellDone } from '../parts/tell'
import { saveFile } from '../save-file'
import { useApps } from '../scope'
import { privacyWords } from './privacy/words'

/** No app has it. */
const EVERY_APP = ''

interface SoughtPhone {
  phoneNumber: string
  appId?: string
}

/** All of it in one file, made of every page. */
async function exportAll(sought: SoughtPhone): Promise<number> {
  const issues: unknown[] = []
  let head: Record<string, unknown> = {}
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const page = await client.privacy.export({ ...sought, after })
    head = page.head ?? head
    issues.push(...page.issues)
    after = page.next
  }
  saveFile('phone-export.json', 'application/json', `${JSON.stringify({ ...head, issues }, undefined, 2)}\n`)
  return issues.length
}

type ErasureOutcome = Awaited<ReturnType<typeof client.privacy.erase>>

export default function Privacy() {
  const say = useWords(privacyWords)
  const common = useWords(frameWords)
  const apps = useApps()
  const [outcome, setOutcome] = useState<ErasureOutcome>()
  const form = useServerForm({
    initialValues: { phoneNumber: '', appId: EVERY_APP, isErasing: false },
    validate: { phoneNumber: (typed) => (typed.trim() === '' ? say.needsNumber : undefined) },
    async send({ phoneNumber, appId, isErasing }) {
      setOutcome(undefined)
      const sought = { phoneNumber, ...(appId !== EVERY_APP && { appId }) }
      if (!isErasing) return tellDone(say.exported(await exportAll(sought)))
      const { phoneNumber: name } = await client.privacy.read(sought)
      confirmByName({
        ...{ title: say.eraseTitle, name, action: say.erase },
        consequence: say.consequence(apps.find((app) => app.appId === appId)?.name ?? say.everyApp),
        run: async () => setOutcome(await client.privacy.erase(sought)),
      })
    },
  })
  const isErasing = form.sent?.isErasing
  return (
    <>
      <PageHeader title={common.pages.privacy} about={say.about} />
      <Stack>
        <Section title={say.ofPhone} about={say.ofPhoneAbout}>
          <form onSubmit={form.submit} noValidate>
            <Stack maw={480}>
              <TextInput
                label={say.number}
                description={say.numberAbout}
                type="tel"
                required
                autoComplete="off"
                maxLength={64}
                {...form.field('phoneNumber')}
              />
              <Select
                label={common.app}
                data={[
                  { value: EVERY_APP, label: say.everyApp },
                  ...apps.map((app) => ({ value: app.appId, label: app.name })),
                ]}
                allowDeselect={false}
                {...form.plainField('appId')}
              />
              {form.failure && <ProblemNote failure={form.failure} />}
              <Group gap="sm">
                <Button
                  type="submit"
                  leftSection={<IconDownload size={18} aria-hidden />}
                  loading={form.isPending && !isErasing}
                  onClick={() => form.set({ isErasing: false })}
                >
                  {say.export}
                </Button>
                <Button
                  type="submit"
                  variant="light"
                  color="red"
                  leftSection={<IconTrash size={18} aria-hidden />}
                  loading={form.isPending && isErasing}
                  onClick={() => form.set({ isErasing: true })}
                >
                  {say.erase}
                </Button>
              </Group>
              {outcome && <Told outcome={outcome} />}
            </Stack>
          </form>
        </Section>
        <Section title={say.stays} about={say.staysAbout}>
          <List size="sm" spacing="xs" listStyleType="disc">
            {Object.values(say.staying).map((what) => (
              <List.Item key={what}>{what}</List.Item>
            ))}
          </List>
        </Section>
      </Stack>
    </>
  )
}

function Told({ outcome: { erased } }: { outcome: ErasureOutcome }) {
  const say = useWords(privacyWords)
  const format = useFormats()
  return (
    <Alert color="teal" role="status">
      <Text size="sm">
        {erased ? say.erased(format.number(erased.issues), format.number(erased.events)) : say.underWay}
      </Text>
      {erased !== undefined && erased.counted > 0 && (
        <Text size="sm">{say.counted(format.number(erased.counted))}</Text>
      )}
    </Alert>
  )
}
