/**
 * Fields of the endpoint form: headers, filters and payload. Stored header values are never sent to the page, so
 * headers are kept or replaced as a whole.
 */
import {
  ActionIcon,
  Button,
  Checkbox,
  Code,
  Fieldset,
  Group,
  Input,
  NativeSelect,
  SegmentedControl,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { LEGS } from '../../../../../contract/constants'
import { api } from '../../api'
import { channelWords } from '../../i18n/names'
import { refusalInWords } from '../../i18n/refusals'
import { useWords } from '../../i18n/words'
import { ProblemNote } from '../../parts/problem-note'
import { type EndpointDraft, formWords, newLine, templateIn } from './draft'
import { EVENT_TYPES, type NamedEventType } from './words'

export function HeaderFields({ draft, onChange, known }: EndpointFieldsProps & { known: readonly string[] }) {
  const say = useWords(formWords)
  const { headers } = draft
  const changeLine = (key: number, changes: { name?: string; value?: string }) =>
    onChange({ headers: headers?.map((line) => (line.key === key ? { ...line, ...changes } : line)) })
  return (
    <Fieldset legend={say.headers}>
      <Stack>
        <Text size="sm" c="dimmed">
          {say.headersHelp}
        </Text>
        {headers === undefined && (
          <Group justify="space-between">
            <Text size="sm">{say.headersKept(known.join(', '))}</Text>
            <Button size="compact-sm" variant="default" onClick={() => onChange({ headers: [newLine('')] })}>
              {say.replaceHeaders}
            </Button>
          </Group>
        )}
        {headers?.map(({ key, name, value }, index) => (
          <Group key={key} align="flex-end" wrap="nowrap" gap="xs">
            <TextInput
              flex="1 1 0"
              miw={0}
              label={say.headerName}
              aria-label={say.nth(`${say.headers} ${say.headerName}`, index + 1)}
              placeholder="X-Token"
              value={name}
              spellCheck={false}
              onChange={(event) => changeLine(key, { name: event.currentTarget.value })}
            />
            <TextInput
              flex="1 1 0"
              miw={0}
              label={say.headerValue}
              aria-label={say.nth(`${say.headers} ${say.headerValue}`, index + 1)}
              value={value}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => changeLine(key, { value: event.currentTarget.value })}
            />
            <ActionIcon
              variant="subtle"
              color="red"
              size="lg"
              aria-label={say.removeLine(say.nth(say.headers, index + 1))}
              onClick={() => onChange({ headers: headers.filter((line) => line.key !== key) })}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        {headers && (
          <Group>
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => onChange({ headers: [...headers, newLine('')] })}
            >
              {say.addHeader}
            </Button>
          </Group>
        )}
      </Stack>
    </Fieldset>
  )
}

/** Filters by channel, purpose and metadata. */
interface EndpointFieldsProps {
  draft: EndpointDraft
  onChange(changes: Partial<EndpointDraft>): void
}

export function FilterFields({ draft, onChange }: EndpointFieldsProps) {
  const say = useWords(formWords)
  const channels = useWords(channelWords)
  const { methods, purposes, metadata } = draft
  const changeLine = (key: number, changes: { name?: string; value?: string[] }) =>
    onChange({ metadata: metadata.map((line) => (line.key === key ? { ...line, ...changes } : line)) })
  return (
    <Fieldset legend={say.filters}>
      <Stack>
        <Text size="sm" c="dimmed">
          {say.filtersHelp}
        </Text>
        <Checkbox.Group label={say.method} value={methods} onChange={(value) => onChange({ methods: value })}>
          <Group mt={6}>
            {LEGS.map((channel) => (
              <Checkbox key={channel} value={channel} label={channels[channel]} />
            ))}
          </Group>
        </Checkbox.Group>
        <TagsInput
          label={say.purpose}
          description={say.purposeHelp}
          acceptValueOnBlur
          value={purposes}
          onChange={(value) => onChange({ purposes: value })}
        />
        {metadata.map(({ key, name, value }, index) => (
          <Group key={key} align="flex-end" gap="xs">
            <TextInput
              flex="1 1 140px"
              label={say.metadataKey}
              aria-label={say.nth(`${say.metadata} ${say.metadataKey}`, index + 1)}
              value={name}
              onChange={(event) => changeLine(key, { name: event.currentTarget.value })}
            />
            <TagsInput
              flex="1 1 160px"
              label={say.metadataValues}
              aria-label={say.nth(`${say.metadata} ${say.metadataValues}`, index + 1)}
              acceptValueOnBlur
              value={value}
              onChange={(values) => changeLine(key, { value: values })}
            />
            <ActionIcon
              variant="subtle"
              color="red"
              size="lg"
              aria-label={say.removeLine(say.nth(say.metadata, index + 1))}
              onClick={() => onChange({ metadata: metadata.filter((line) => line.key !== key) })}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <Group>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => onChange({ metadata: [...metadata, newLine<string[]>([])] })}
          >
            {say.addMetadata}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}

/** Pause in typing before the server renders the preview. */
const QUIET_MS = 200

/** Payload: the unchanged event or JSON from a template, with a preview. */
export function BodyFields({ draft, onChange }: EndpointFieldsProps) {
  const say = useWords(formWords)
  const [chosen, setChosen] = useState<NamedEventType>('otp.delivered')
  const [template] = useDebouncedValue(templateIn(draft), QUIET_MS)
  const made = useQuery(
    api.webhooks.preview.queryOptions({
      input: { template, events: EVENT_TYPES },
      placeholderData: keepPreviousData,
      gcTime: 0,
    }),
  )
  const event = useQuery(
    api.webhooks.preview.queryOptions({ input: { template: '', events: EVENT_TYPES }, staleTime: Infinity }),
  )
  const bodyOf = (query: typeof made) => query.data?.previews.find(({ type }) => type === chosen)?.body
  const field = useRef<HTMLTextAreaElement>(null)
  /** Inserts at the cursor, or at the end. */
  const insert = (path: string) => {
    const { selectionStart, selectionEnd } = field.current ?? {}
    const from = selectionStart ?? draft.template.length
    const text = `{{${path}}}`
    onChange({
      template: draft.template.slice(0, from) + text + draft.template.slice(selectionEnd ?? from),
    })
    field.current?.focus()
  }
  const preview = bodyOf(made)
  return (
    <Fieldset legend={say.body}>
      <Stack>
        <SegmentedControl
          aria-label={say.body}
          value={draft.hasTemplate ? 'own' : 'asIs'}
          data={[
            { value: 'asIs', label: say.asIs },
            { value: 'own', label: say.own },
          ]}
          onChange={(value) => onChange({ hasTemplate: value === 'own' })}
        />
        {draft.hasTemplate && (
          <>
            <Textarea
              ref={field}
              label={say.template}
              description={say.templateHelp}
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
              autosize
              minRows={6}
              maxRows={20}
              spellCheck={false}
              value={draft.template}
              error={made.data?.mistake && refusalInWords(made.data.mistake)}
              onChange={(change) => onChange({ template: change.currentTarget.value })}
            />
            <Input.Wrapper label={say.paths} labelElement="div">
              <Group gap={6} mt={4}>
                {pathsIn(bodyOf(event)).map((path) => (
                  <Button key={path} size="compact-xs" variant="default" ff="monospace" onClick={() => insert(path)}>
                    {path}
                  </Button>
                ))}
              </Group>
            </Input.Wrapper>
          </>
        )}
        <NativeSelect
          label={say.previewOf}
          data={EVENT_TYPES}
          value={chosen}
          onChange={(change) => setChosen(change.currentTarget.value as NamedEventType)}
        />
        {made.isError && <ProblemNote failure={made.error} />}
        {preview !== undefined && (
          <div>
            <Text size="sm" fw={500} mb={4}>
              {say.preview}
            </Text>
            <Code block tabIndex={0} role="region" aria-label={say.preview}>
              {pretty(preview)}
            </Code>
          </div>
        )}
      </Stack>
    </Fieldset>
  )
}

const pretty = (json: string) => JSON.stringify(JSON.parse(json), undefined, 2)

/** Paths of all values in the event, such as `data.cost.amount`. */
function pathsIn(json: string | undefined): string[] {
  const within = (value: unknown, path: string): string[] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, inner]) => within(inner, path === '' ? name : `${path}.${name}`))
      : [path]
  return json === undefined ? [] : within(JSON.parse(json), '')
}
