/** Preview of the message: on a phone, in bytes, and as sent to AlimTalk providers. */
import { Alert, Badge, Code, Group, Paper, Progress, Select, Stack, Table, Text, TextInput, Title } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { SMS_MAX_BYTES } from '../../../../domain/message/template'
import type { client } from '../../api'
import { useFormats } from '../../i18n/format'
import { languageName } from '../../i18n/names'
import { mistakeInWords } from '../../i18n/refusals'
import { useLanguage, useWords } from '../../i18n/words'
import { ProblemNote } from '../../parts/problem-note'
import { AsWritten, MessageText } from '../../parts/text'
import { codeIn, samplesOf, type TemplateDraft, type VariableDraft, variableNames, variableOf } from './draft'
import styles from './preview.module.css'
import { templateWords } from './words'

export type ShownPreview = Awaited<ReturnType<typeof client.templates.preview>>

export interface TemplatePreviewProps {
  draft: TemplateDraft
  /** A tag; '': the text of the template itself. */
  shownIn: string
  preview: ShownPreview | undefined
  failure: unknown
  onShow(tag: string): void
  onChange(name: string, changes: Partial<VariableDraft>): void
}

export function TemplatePreview({ draft, shownIn, preview, failure, onShow, onChange }: TemplatePreviewProps) {
  const say = useWords(templateWords)
  const names = variableNames(draft)
  return (
    <Paper component="section" withBorder p="md" className={styles.preview} aria-label={say.preview}>
      <Stack>
        <Title order={2}>{say.preview}</Title>
        {draft.translations.length > 0 && <ShownIn draft={draft} value={shownIn} onChange={onShow} />}
        {failure !== null && <ProblemNote failure={failure} />}
        {preview?.mistake !== undefined && (
          <Alert color="red" icon={<IconAlertTriangle aria-hidden />} role="status">
            {mistakeInWords(preview.mistake)}
          </Alert>
        )}
        {preview?.text === undefined ? (
          <Text size="sm" c="dimmed">
            {say.notYet}
          </Text>
        ) : (
          <>
            {draft.channelSupport.includes('sms') && (
              <>
                <OnPhone text={preview.text} />
                <SmsSize {...preview} />
              </>
            )}
            {draft.channelSupport.includes('alimtalk') && <TalkOnPhone {...preview} />}
          </>
        )}
        {names.length > 0 && (
          <Stack gap="xs">
            <Title order={3}>{say.sample}</Title>
            {names.map((name) => {
              const { sample, required } = variableOf(draft, name)
              return (
                <TextInput
                  key={name}
                  size="xs"
                  label={name}
                  aria-label={say.sampleOf(name)}
                  description={required ? undefined : say.sampleLeftOut}
                  value={sample}
                  onChange={(event) => onChange(name, { sample: event.currentTarget.value })}
                />
              )
            })}
          </Stack>
        )}
        {draft.channelSupport.includes('alimtalk') && <AlimTalk draft={draft} shownIn={shownIn} />}
      </Stack>
    </Paper>
  )
}

interface ShownInProps {
  draft: TemplateDraft
  value: string
  onChange(tag: string): void
}

function ShownIn({ draft, value, onChange }: ShownInProps) {
  const say = useWords(templateWords)
  const language = useLanguage()
  const named = (tag: string) => ({ value: tag, label: `${languageName(tag, language)} (${tag})` })
  return (
    <Select
      size="xs"
      label={say.shownIn}
      data={[{ value: '', label: say.ownLanguage }, ...draft.translations.map(({ tag }) => named(tag))]}
      value={value}
      onChange={(tag) => onChange(tag ?? '')}
      allowDeselect={false}
    />
  )
}

function OnPhone({ text }: { text: string }) {
  const say = useWords(templateWords)
  return (
    <section className={styles.phone} aria-label={say.phone}>
      <Text size="xs" c="dimmed" ta="center" mb="xs">
        {say.sender} · 02-0000-0000
      </Text>
      <MessageText>{text}</MessageText>
    </section>
  )
}

/** As KakaoTalk shows it: a card under a yellow heading. */
function TalkOnPhone({ alimtalk = '', prices }: ShownPreview) {
  const say = useWords(templateWords)
  return (
    <section className={styles.phone} aria-label={say.talkOnPhone}>
      <div className={styles.talk}>
        <Text size="sm" fw={600} className={styles.talkHeading}>
          {say.talkArrived}
        </Text>
        <AsWritten size="sm" className={styles.talkText}>
          {alimtalk}
        </AsWritten>
      </div>
      <Price of={prices?.alimtalk} />
    </section>
  )
}

function Price({ of }: { of: number | undefined }) {
  const say = useWords(templateWords)
  const formats = useFormats()
  return (
    of !== undefined && (
      <Text size="xs" c="dimmed" mt="xs">
        {say.price(formats.number(of))}
      </Text>
    )
  )
}

function SmsSize({ bytes = 0, messageType, segments = 1, encoding, prices }: ShownPreview) {
  const say = useWords(templateWords)
  const formats = useFormats()
  const isSms = messageType === 'SMS'
  const label = say.bytes(formats.number(bytes), formats.number(SMS_MAX_BYTES))
  return (
    <Stack gap={6}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm">{label}</Text>
        <Badge variant="light" color={isSms ? 'teal' : 'orange'}>
          {messageType}
        </Badge>
      </Group>
      <Progress.Root size="md">
        <Progress.Section
          value={Math.min(100, (bytes / SMS_MAX_BYTES) * 100)}
          color={isSms ? 'teal.7' : 'orange.8'}
          aria-label={label}
        />
      </Progress.Root>
      <Text size="xs" c="dimmed">
        {isSms ? say.smsFits : say.lms}
      </Text>
      <Group justify="space-between" gap="xs">
        <Text size="sm">{say.segments}</Text>
        <Text size="sm">{say.segmentsOf(formats.number(segments), encoding ?? '')}</Text>
      </Group>
      <Price of={prices?.sms} />
    </Stack>
  )
}

function AlimTalk({ draft, shownIn }: { draft: TemplateDraft; shownIn: string }) {
  const say = useWords(templateWords)
  const samples = samplesOf(draft)
  return (
    <Stack gap="xs">
      <Title order={3}>{say.alimtalk}</Title>
      <Text size="sm" c="dimmed">
        {say.alimtalkAbout}
      </Text>
      <Group gap="xs">
        <Text size="sm">{say.code}</Text>
        <Code>{codeIn(draft, shownIn) || '—'}</Code>
      </Group>
      <Table withRowBorders={false} verticalSpacing={2}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{say.variable}</Table.Th>
            <Table.Th scope="col">{say.value}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {['code', ...variableNames(draft)].map((name) => (
            <Table.Tr key={name}>
              <Table.Td ff="monospace">{name}</Table.Td>
              <Table.Td>
                <AsWritten size="sm">{name === 'code' ? '123456' : (samples[name] ?? '—')}</AsWritten>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  )
}
