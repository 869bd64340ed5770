/** The form of a template, with its preview beside it. */
import { Alert, Button, Checkbox, Grid, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconInfoCircle } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { CHANNELS } from '../../../../../contract/constants'
import { api, client, queries } from '../../api'
import { channelWords } from '../../i18n/delivery'
import { frameWords } from '../../i18n/frame'
import { type Refused, refusalInWords } from '../../i18n/refusals'
import { useWords } from '../../i18n/words'
import { useServerForm } from '../../parts/form'
import { ProblemNote } from '../../parts/problem-note'
import { tellDone } from '../../parts/tell'
import { useMay } from '../../session'
import { samplesOf, type TemplateDraft, templateOf, type VariableDraft, variableOf } from './draft'
import { LanguageChoice, LanguagesField } from './languages-field'
import { TemplatePreview } from './preview'
import { VariablesField } from './variables-field'
import { templateWords } from './words'

/** Of typing, before the server is asked what would come of it. */
const QUIET_MS = 200

export interface TemplateEditorProps {
  appId: string
  from: TemplateDraft
  isNew: boolean
  isBuiltIn: boolean
}

export function TemplateEditor({ appId, from, isNew, isBuiltIn }: TemplateEditorProps) {
  const say = useWords(templateWords)
  const common = useWords(frameWords)
  const channels = useWords(channelWords)
  const navigate = useNavigate()
  const isReadOnly = !useMay()('templates')
  const form = useServerForm({
    initialValues: from,
    send: (draft) => client.templates.save({ appId, template: templateOf(draft) }),
    async onDone({ name }) {
      tellDone(say.saved(name))
      await queries.invalidateQueries({ queryKey: api.templates.key() })
      await navigate({ to: '/templates' })
    },
  })
  const draft = form.values
  const changeVariable = (name: string, changes: Partial<VariableDraft>) =>
    form.set({ variables: { ...draft.variables, [name]: { ...variableOf(draft, name), ...changes } } })
  const [shownIn, setShownIn] = useState('')
  const preview = usePreview(appId, draft, shownIn)
  const mistakeIn = (field: string) => mistakeAbout(field, preview.data?.mistake)
  const body = useRef<HTMLTextAreaElement>(null)
  return (
    <Grid gap="xl">
      <Grid.Col span={{ base: 12, lg: 7 }}>
        <form onSubmit={form.submit}>
          <Stack>
            {!isNew && !isReadOnly && (
              <Alert
                color="blue"
                icon={<IconInfoCircle aria-hidden />}
                title={isBuiltIn ? say.builtInTitle : say.flightTitle}
              >
                {isBuiltIn ? say.builtInAbout : say.flight}
              </Alert>
            )}
            {isReadOnly && <Alert color="gray">{say.mayNot}</Alert>}
            <Group grow preventGrowOverflow={false} align="flex-start">
              <TextInput label={say.name} required maxLength={100} readOnly={isReadOnly} {...form.plainField('name')} />
              <TextInput
                label={say.id}
                description={isNew ? say.idHelp : undefined}
                required
                maxLength={64}
                pattern="[A-Za-z0-9._\-]+"
                title={say.idHelp}
                placeholder="signup_kr"
                readOnly={!isNew}
                variant={isNew ? 'default' : 'filled'}
                spellCheck={false}
                {...form.plainField('templateId')}
              />
            </Group>
            <Textarea
              ref={body}
              label={say.body}
              description={say.bodyHelp}
              required
              autosize
              minRows={4}
              maxRows={14}
              readOnly={isReadOnly}
              error={mistakeIn('body')}
              {...form.plainField('body')}
              onFocus={() => setShownIn('')}
            />
            {!isReadOnly && !draft.body.includes('#{code}') && (
              <Group>
                <Button
                  size="compact-sm"
                  variant="default"
                  onClick={() => {
                    form.set({ body: `${draft.body}#{code}` })
                    body.current?.focus()
                  }}
                >
                  {say.insertCode}
                </Button>
              </Group>
            )}
            <LanguageChoice
              label={say.language}
              about={say.languageHelp}
              value={draft.locale}
              taken={draft.translations.map(({ tag }) => tag)}
              error={mistakeIn('locale')}
              isReadOnly={isReadOnly}
              onChange={(locale) => form.set({ locale })}
            />
            <Checkbox.Group
              label={say.channels}
              required
              readOnly={isReadOnly}
              error={mistakeIn('channelSupport')}
              {...form.plainField('channelSupport')}
            >
              <Group mt="xs">
                {CHANNELS.map((channel) => (
                  <Checkbox key={channel} value={channel} label={channels[channel]} />
                ))}
              </Group>
            </Checkbox.Group>
            {draft.channelSupport.includes('alimtalk') && (
              <TextInput
                label={say.providerCode}
                description={say.providerCodeHelp}
                placeholder={draft.templateId}
                maxLength={64}
                readOnly={isReadOnly}
                spellCheck={false}
                error={mistakeIn('providerTemplateCode')}
                {...form.plainField('providerTemplateCode')}
              />
            )}
            <LanguagesField
              draft={draft}
              isReadOnly={isReadOnly}
              mistake={preview.data?.mistake}
              onChange={(translations) => form.set({ translations })}
              onShow={setShownIn}
            />
            <VariablesField
              draft={draft}
              isReadOnly={isReadOnly}
              mistake={preview.data?.mistake}
              onChange={changeVariable}
            />
            {form.failure && <ProblemNote failure={form.failure} />}
            <Group>
              {!isReadOnly && (
                <Button type="submit" loading={form.isPending}>
                  {isNew ? say.save : say.saveVersion}
                </Button>
              )}
              <Button component={Link} to="/templates" variant="default">
                {isReadOnly ? say.back : common.cancel}
              </Button>
            </Group>
          </Stack>
        </form>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 5 }}>
        <TemplatePreview
          draft={draft}
          shownIn={shownIn}
          preview={preview.data}
          failure={preview.error}
          onShow={setShownIn}
          onChange={changeVariable}
        />
      </Grid.Col>
    </Grid>
  )
}

/** The server's word on the draft, a moment after the last key. */
function usePreview(appId: string, draft: TemplateDraft, locale: string) {
  const [quiet] = useDebouncedValue(draft, QUIET_MS)
  // A template that has no id yet can be looked at all the same.
  const template = templateOf({ ...quiet, templateId: quiet.templateId.trim() || 'new' })
  return useQuery(
    api.templates.preview.queryOptions({
      input: { appId, template, ...(locale && { locale }), values: samplesOf(quiet) },
      placeholderData: keepPreviousData,
      gcTime: 0,
    }),
  )
}

/** Mistakes begin with the field they are about. */
const mistakeAbout = (field: string, mistake: Refused | undefined) =>
  mistake?.param === field ? refusalInWords(mistake) : undefined
