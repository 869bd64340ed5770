import { Alert, Button, Group, List, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconDownload, IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client } from '../api'
import { useFormats } from '../i18n/format'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import { confirmByName } from '../parts/confirm-by-name'
import { fieldProblem } from '../parts/field-problem'
import { PageHeader } from '../parts/page-header'
import { ProblemNote } from '../parts/problem-note'
import { Section } from '../parts/section'
import { tellDone } from '../parts/tell'
import { saveFile } from '../save-file'
import { useApps } from '../scope'
import { privacyWords } from './privacy/words'

/** No app has it. */
const EVERY_APP = ''

interface Sought {
  phoneNumber: string
  appId?: string
}

/** All of it in one file, made of every page. */
async function exportAll(sought: Sought): Promise<number> {
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

type Outcome = Awaited<ReturnType<typeof client.privacy.erase>>

export default function Privacy() {
  const say = useWords(privacyWords)
  const common = useWords(frameWords)
  const apps = useApps()
  const [phoneNumber, setPhoneNumber] = useState('')
  const [appId, setAppId] = useState(EVERY_APP)
  const [hasTried, setHasTried] = useState(false)
  const [outcome, setOutcome] = useState<Outcome>()
  const sought = { phoneNumber, ...(appId !== EVERY_APP && { appId }) }
  const scope = apps.find((app) => app.appId === appId)?.name ?? say.everyApp

  const save = useMutation({ mutationFn: exportAll, onSuccess: (count) => tellDone(say.exported(count)) })
  const ask = useMutation({
    mutationFn: (wanted: Sought) => client.privacy.read(wanted),
    onSuccess: ({ phoneNumber: name }) =>
      confirmByName({
        title: say.eraseTitle,
        name,
        consequence: say.consequence(scope),
        action: say.erase,
        run: async () => setOutcome(await client.privacy.erase(sought)),
      }),
  })
  const isBusy = save.isPending || ask.isPending
  const failure = save.error ?? ask.error
  const isMissing = hasTried && phoneNumber.trim() === ''
  const problem = isMissing ? say.needsNumber : fieldProblem(failure, 'phoneNumber')
  const begin = (what: typeof save | typeof ask) => {
    setHasTried(true)
    setOutcome(undefined)
    save.reset()
    ask.reset()
    if (phoneNumber.trim() !== '' && !isBusy) what.mutate(sought)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    begin(save)
  }
  return (
    <>
      <PageHeader title={common.pages.privacy} about={say.about} />
      <Stack>
        <Section title={say.ofPhone} about={say.ofPhoneAbout}>
          <form onSubmit={submit} noValidate>
            <Stack maw={480}>
              <TextInput
                label={say.number}
                description={say.numberAbout}
                type="tel"
                required
                autoComplete="off"
                maxLength={64}
                value={phoneNumber}
                onChange={(event) => setPhoneNumber(event.currentTarget.value)}
                error={problem}
              />
              <Select
                label={common.app}
                data={[
                  { value: EVERY_APP, label: say.everyApp },
                  ...apps.map((app) => ({ value: app.appId, label: app.name })),
                ]}
                value={appId}
                onChange={(chosen) => setAppId(chosen ?? EVERY_APP)}
                allowDeselect={false}
              />
              {failure !== null && problem === undefined && <ProblemNote failure={failure} />}
              <Group gap="sm">
                <Button type="submit" leftSection={<IconDownload size={18} aria-hidden />} loading={save.isPending}>
                  {say.export}
                </Button>
                <Button
                  variant="light"
                  color="red"
                  leftSection={<IconTrash size={18} aria-hidden />}
                  loading={ask.isPending}
                  onClick={() => begin(ask)}
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

function Told({ outcome: { erased } }: { outcome: Outcome }) {
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
