/** What the body of a request is: the event, or JSON made by a template, with a preview for each event. */
import {
  Button,
  Code,
  Fieldset,
  Group,
  Input,
  NativeSelect,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { api } from '../../api'
import { refusalInWords } from '../../i18n/refusals'
import { useWords } from '../../i18n/words'
import { ProblemNote } from '../../parts/problem-note'
import { templateIn } from './draft'
import type { EndpointFieldsProps } from './filter-fields'
import { formWords } from './form-words'
import { EVENT_TYPES, type NamedEventType } from './words'

/** Of typing, before the server is asked what would come of it. */
const QUIET_MS = 200

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
  /** Where the cursor is, else at the end. */
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

/** Of every single value in the event: `data.cost.amount`. */
function pathsIn(json: string | undefined): string[] {
  const within = (value: unknown, path: string): string[] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, inner]) => within(inner, path === '' ? name : `${path}.${name}`))
      : [path]
  return json === undefined ? [] : within(JSON.parse(json), '')
}
