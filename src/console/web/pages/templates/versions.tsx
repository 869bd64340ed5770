/** The versions of a template: who saved them, how each differs from the current one, and the way back to it. */
import { Group, Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useQuery } from '@tanstack/react-query'
import { api, client, queries } from '../../api'
import { languageName } from '../../i18n/names'
import { inWords, useLanguage, useWords, wordsNow } from '../../i18n/words'
import { DataTable, fromList } from '../../parts/data-table'
import { Form, useServerForm } from '../../parts/form'
import { RowAction } from '../../parts/row-action'
import { Section } from '../../parts/section'
import { tellDone } from '../../parts/tell'
import { AsWritten } from '../../parts/text'
import { Time } from '../../parts/time'
import { useMay } from '../../session'
import { useActors } from '../audit/actions'
import type { DraftTemplate } from './draft'
import styles from './versions.module.css'
import { templateWords } from './words'

const words = inWords({
  en: {
    title: 'Versions',
    all: 'All versions',
    about: 'The newest 50 are kept. An older one can be used again.',
    version: 'Version',
    current: 'current',
    savedAt: 'Saved',
    savedBy: 'By',
    actions: 'Actions',
    compare: 'Compare',
    compareOf: (version: number) => `Compare version ${version} with the current one`,
    titleOf: (version: number) => `Version ${version}`,
    same: 'It is the same as the current version.',
    now: 'Now',
    older: (version: number) => `Version ${version}`,
    absent: 'Nothing',
    use: 'Use this version again',
    close: 'Close',
    used: (version: number) => `Version ${version} is used again, as a new version`,
    none: 'No version is stored yet.',
    textIn: (language: string) => `Text in ${language}`,
  },
  ko: {
    title: '버전',
    all: '전체 버전',
    about: '최근 50개를 보관하며, 이전 버전을 다시 사용할 수 있습니다.',
    version: '버전',
    current: '현재',
    savedAt: '저장 시각',
    savedBy: '저장한 사람',
    actions: '작업',
    compare: '비교',
    compareOf: (version) => `버전 ${version}을(를) 현재 버전과 비교`,
    titleOf: (version) => `버전 ${version}`,
    same: '현재 버전과 같습니다.',
    now: '현재',
    older: (version) => `버전 ${version}`,
    absent: '없음',
    use: '이 버전 다시 사용',
    close: '닫기',
    used: (version) => `버전 ${version}을(를) 새 버전으로 다시 사용합니다`,
    none: '아직 저장된 버전이 없습니다.',
    textIn: (language) => `${language} 문구`,
  },
})

type ShownVersion = Awaited<ReturnType<typeof client.templates.versions>>['versions'][number]

export function Versions({ appId, templateId, onRollBack }: { appId: string; templateId: string; onRollBack(): void }) {
  const say = useWords(words)
  const mayChange = useMay()('templates')
  const actors = useActors(undefined)
  const versions = useQuery(api.templates.versions.queryOptions({ input: { appId, templateId } }))
  const [current] = versions.data?.versions ?? []
  const compare = (chosen: ShownVersion) => {
    const modalId = modals.open({
      title: wordsNow(words).titleOf(chosen.version),
      size: 'lg',
      children: current && (
        <Comparison
          {...{ appId, templateId, chosen, current, mayChange }}
          onClose={(isChanged) => {
            modals.close(modalId)
            if (isChanged) onRollBack()
          }}
        />
      ),
    })
  }
  return (
    <Section title={say.title} about={say.about}>
      <DataTable
        {...fromList(versions.data?.versions, versions)}
        label={say.all}
        keyOf={({ version }) => String(version)}
        columns={[
          {
            key: 'version',
            header: say.version,
            cell: ({ version }) => (version === current?.version ? `${version} (${say.current})` : version),
          },
          { key: 'at', header: say.savedAt, cell: ({ savedAt }) => <Time at={savedAt} /> },
          { key: 'by', header: say.savedBy, cell: ({ savedBy }) => actors.nameOf(savedBy) },
          {
            key: 'actions',
            header: say.actions,
            cell: (chosen) =>
              chosen.version !== current?.version && (
                <RowAction name={say.compareOf(chosen.version)} onClick={() => compare(chosen)}>
                  {say.compare}
                </RowAction>
              ),
          },
        ]}
        empty={<Text size="sm">{say.none}</Text>}
      />
    </Section>
  )
}

interface ComparisonProps {
  appId: string
  templateId: string
  chosen: ShownVersion
  current: ShownVersion
  mayChange: boolean
  onClose(isChanged: boolean): void
}

function Comparison({ appId, templateId, chosen, current, mayChange, onClose }: ComparisonProps) {
  const say = useWords(words)
  const { version } = chosen
  const form = useServerForm({
    initialValues: {},
    send: () => client.templates.rollBack({ appId, templateId, version }),
    async onDone() {
      tellDone(say.used(version))
      await queries.invalidateQueries({ queryKey: api.templates.key() })
      onClose(true)
    },
  })
  const differences = useDifferences(current.template, chosen.template)
  return (
    <Form form={form} action={say.use} cancel={say.close} onCancel={() => onClose(false)} disabled={!mayChange}>
      {differences.length === 0 && <Text size="sm">{say.same}</Text>}
      {differences.map(({ name, now, older }) => (
        <Stack key={name} gap={4}>
          <Text size="sm" fw={600}>
            {name}
          </Text>
          <Group grow align="stretch" gap="xs">
            <Side label={say.now} text={now || say.absent} className={styles.removed} />
            <Side label={say.older(version)} text={older || say.absent} className={styles.added} />
          </Group>
        </Stack>
      ))}
    </Form>
  )
}

function Side({ label, text, className }: { label: string; text: string; className: string | undefined }) {
  return (
    <div className={className}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <AsWritten size="sm">{text}</AsWritten>
    </div>
  )
}

interface Difference {
  name: string
  now: string
  older: string
}

function useDifferences(now: DraftTemplate, older: DraftTemplate): Difference[] {
  const say = useWords(words)
  const known = useWords(templateWords)
  const language = useLanguage()
  const tags = [...new Set([...Object.keys(now.bodies), ...Object.keys(older.bodies)])]
  const parts: Array<readonly [string, (template: DraftTemplate) => string]> = [
    [known.name, ({ name }) => name],
    [known.body, ({ body }) => body],
    ...tags.map((tag) => [say.textIn(languageName(tag, language)), textIn(tag)] as const),
    [known.language, ({ locale = '' }) => locale],
    [known.channels, ({ channelSupport }) => channelSupport.join(', ')],
    [known.providerCode, ({ providerTemplateCode }) => providerTemplateCode],
    [known.dltEntityId, ({ dlt }) => [dlt?.entityId, dlt?.templateId].filter(Boolean).join(' ')],
    [known.variables, ({ variables }) => variablesInWords(variables)],
  ]
  return parts
    .map(([name, of]) => ({ name, now: of(now), older: of(older) }))
    .filter((difference) => difference.now !== difference.older)
}

const textIn =
  (tag: string) =>
  ({ bodies }: DraftTemplate) => {
    const { body, providerTemplateCode, dlt } = bodies[tag] ?? {}
    return [body, providerTemplateCode, dlt?.entityId, dlt?.templateId].filter(Boolean).join('\n')
  }

const variablesInWords = (variables: DraftTemplate['variables']) =>
  Object.entries(variables)
    .map(([name, { required, pattern = '', description = '' }]) =>
      [`${name}${required ? '*' : ''}`, pattern, description].filter(Boolean).join(' '),
    )
    .sort()
    .join('\n')
