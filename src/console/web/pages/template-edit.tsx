/** Editor of a template: a new one or a new version. */
import { Alert, Anchor, Button, Checkbox, Grid, Group, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconInfoCircle, IconTemplate } from '@tabler/icons-react'
import { keepPreviousData, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { CHANNELS } from '../../../../contract/constants'
import { api, client, queries } from '../api'
import { MayNot } from '../frame/may-not'
import { frameWords } from '../i18n/frame'
import { channelWords } from '../i18n/names'
import { type Refused, refusalInWords } from '../i18n/refusals'
import { useWords } from '../i18n/words'
import { EmptyState } from '../parts/empty-state'
import { useServerForm } from '../parts/form'
import { PageHeader } from '../parts/page-header'
import { ProblemNote } from '../parts/problem-note'
import { tellDone } from '../parts/tell'
import { useAppScope } from '../scope'
import { useMay } from '../session'
import {
  draftOf,
  newDraft,
  samplesOf,
  type TemplateDraft,
  templateOf,
  type VariableDraft,
  variableNames,
  variableOf,
} from './templates/draft'
import { DltFields, LanguageChoice, LanguagesField, VariablesField } from './templates/fields'
import { MessageText } from './templates/message-text'
import { TemplatePreview } from './templates/preview'
import { Versions } from './templates/versions'
import { templateWords } from './templates/words'

export default function TemplateEdit() {
  const say = useWords(templateWords)
  const may = useMay()
  const { appId } = useAppScope()
  const { template: templateId } = useSearch({ from: '/inside/templates/edit' })
  const { templates } = useSuspenseQuery(api.templates.list.queryOptions({ input: { appId } })).data
  const known = templates.find((template) => template.templateId === templateId)
  const back = (
    <Anchor component={Link} to="/templates" size="sm">
      {say.back}
    </Anchor>
  )
  if (templateId === undefined && !may('templates')) return <MayNot needs="templates" />
  if (templateId !== undefined && !known) return <EmptyState icon={IconTemplate} title={say.notFound} next={back} />
  const title = !known ? say.newTitle : may('templates') ? say.editTitle(known.name) : say.viewTitle(known.name)
  return (
    <>
      <PageHeader title={title}>{back}</PageHeader>
      <TemplateEditor
        key={`${appId} ${templateId}`}
        appId={appId}
        from={known ? draftOf(known) : newDraft()}
        isNew={!known}
        isBuiltIn={known?.isBuiltIn ?? false}
      />
    </>
  )
}

/** Pause in typing before the server renders the preview. */
const QUIET_MS = 200

interface TemplateEditorProps {
  appId: string
  from: TemplateDraft
  isNew: boolean
  isBuiltIn: boolean
}

/** The form of a template, with its preview beside it. */
function TemplateEditor({ appId, from, isNew, isBuiltIn }: TemplateEditorProps) {
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
            <MessageText
              label={say.body}
              description={say.bodyHelp}
              variables={[...new Set(['code', ...variableNames(draft), ...Object.keys(draft.variables)])]}
              value={draft.body}
              readOnly={isReadOnly}
              error={mistakeIn('body')}
              onFocus={() => setShownIn('')}
              onChange={(body) => form.set({ body })}
            />
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
            <DltFields
              value={draft}
              path="dlt"
              isReadOnly={isReadOnly}
              mistake={preview.data?.mistake}
              onChange={(ids) => form.set(ids)}
            />
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
      {!isNew && !isBuiltIn && (
        <Grid.Col span={12}>
          <Versions appId={appId} templateId={from.templateId} onRollBack={() => void navigate({ to: '/templates' })} />
        </Grid.Col>
      )}
    </Grid>
  )
}

/** The server's preview of the draft, after a pause in typing. */
function usePreview(appId: string, draft: TemplateDraft, locale: string) {
  const [quiet] = useDebouncedValue(draft, QUIET_MS)
  // A template without an id can be previewed as well.
  const template = templateOf({ ...quiet, templateId: quiet.templateId.trim() || 'new' })
  return useQuery(
    api.templates.preview.queryOptions({
      input: { appId, template, ...(locale && { locale }), values: samplesOf(quiet) },
      placeholderData: keepPreviousData,
      gcTime: 0,
    }),
  )
}

/** The path of a mistake begins with its field. */
const mistakeAbout = (field: string, mistake: Refused | undefined) =>
  mistake?.param === field ? refusalInWords(mistake) : undefined
