/** Fields for variables and for other languages of a template. */
import { Accordion, Button, Checkbox, Fieldset, Group, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { languageName } from '../../i18n/names'
import { type Refused, refusalInWords } from '../../i18n/refusals'
import { useLanguage, useWords } from '../../i18n/words'
import {
  type DltDraft,
  NO_DLT,
  type TemplateDraft,
  type TranslationDraft,
  type VariableDraft,
  variableNames,
  variableOf,
} from './draft'
import { MessageText } from './message-text'
import { templateWords } from './words'

interface VariablesFieldProps {
  draft: TemplateDraft
  isReadOnly: boolean
  /** The mistake in the draft, if any. */
  mistake: Refused | undefined
  onChange(name: string, changes: Partial<VariableDraft>): void
}

export function VariablesField({ draft, isReadOnly, mistake, onChange }: VariablesFieldProps) {
  const say = useWords(templateWords)
  const names = variableNames(draft)
  return (
    <Fieldset legend={say.variables}>
      <Stack gap="md">
        {names.length === 0 && (
          <Text size="sm" c="dimmed">
            {say.noVariables}
          </Text>
        )}
        {names.map((name) => {
          const { required, pattern, description } = variableOf(draft, name)
          return (
            <Stack key={name} gap="xs">
              <Group justify="space-between">
                <Text size="sm" fw={600} ff="monospace">
                  {name}
                </Text>
                <Checkbox
                  size="sm"
                  label={say.required}
                  aria-label={say.requiredOf(name)}
                  checked={required}
                  disabled={isReadOnly}
                  onChange={(event) => onChange(name, { required: event.currentTarget.checked })}
                />
              </Group>
              <Group grow preventGrowOverflow={false} align="flex-start">
                <TextInput
                  label={say.pattern}
                  aria-label={say.ofVariable(say.pattern, name)}
                  title={say.patternHelp}
                  placeholder="[A-Za-z ]{1,20}"
                  value={pattern}
                  readOnly={isReadOnly}
                  spellCheck={false}
                  error={patternMistake(name, mistake)}
                  onChange={(event) => onChange(name, { pattern: event.currentTarget.value })}
                />
                <TextInput
                  label={say.description}
                  aria-label={say.ofVariable(say.description, name)}
                  value={description}
                  readOnly={isReadOnly}
                  onChange={(event) => onChange(name, { description: event.currentTarget.value })}
                />
              </Group>
            </Stack>
          )
        })}
      </Stack>
    </Fieldset>
  )
}

/** A refused pattern names its variable. */
function patternMistake(variable: string, mistake: Refused | undefined): string | undefined {
  const { reason, about } = mistake ?? {}
  const isAboutPattern = reason === 'invalid_pattern' || reason === 'pattern_too_large'
  return mistake && isAboutPattern && about && 'name' in about && about.name === variable
    ? refusalInWords(mistake)
    : undefined
}

/** Proposed languages; the command line accepts any other. */
const PROPOSED = [
  ...[
    'ar',
    'bg',
    'bn',
    'cs',
    'da',
    'de',
    'el',
    'en',
    'es',
    'fi',
    'fil',
    'fr',
    'he',
    'hi',
    'hu',
    'id',
    'it',
    'ja',
    'kk',
  ],
  ...['km', 'ko', 'mn', 'ms', 'my', 'nb', 'ne', 'nl', 'pl', 'pt', 'pt-BR', 'ro', 'ru', 'si', 'sk', 'sv', 'th', 'tr'],
  ...['uk', 'ur', 'uz', 'vi', 'zh', 'zh-HK', 'zh-TW'],
]

interface LanguageChoiceProps {
  label: string
  about: string
  /** '': none. */
  value: string
  /** Languages that are already used. */
  taken: readonly string[]
  error?: string | undefined
  isReadOnly: boolean
  onChange(tag: string): void
}

/** Texts in other languages, and a choice to add one. */
export function LanguageChoice({ label, about, value, taken, error, isReadOnly, onChange }: LanguageChoiceProps) {
  const say = useWords(templateWords)
  const language = useLanguage()
  const choices = [...new Set([...PROPOSED, ...(value === '' ? [] : [value])])]
    .filter((tag) => !taken.includes(tag))
    .map((tag) => ({ value: tag, label: `${languageName(tag, language)} (${tag})` }))
    .sort((one, other) => one.label.localeCompare(other.label, language))
  return (
    <Select
      label={label}
      description={about}
      data={choices}
      value={value === '' ? null : value}
      onChange={(tag) => onChange(tag ?? '')}
      clearable={!isReadOnly}
      searchable
      readOnly={isReadOnly}
      error={error}
      nothingFoundMessage={say.noLanguage}
    />
  )
}

interface DltFieldsProps {
  value: DltDraft
  /** The fields of these ids in a refusal. */
  path: string
  /** Name of the language; missing: of the template itself. */
  language?: string
  isReadOnly: boolean
  mistake: Refused | undefined
  onChange(changed: Partial<DltDraft>): void
}

export function DltFields({ value, path, language, isReadOnly, mistake, onChange }: DltFieldsProps) {
  const say = useWords(templateWords)
  const field = (name: keyof DltDraft, label: string, param: string) => (
    <TextInput
      size={language === undefined ? 'sm' : 'xs'}
      label={label}
      aria-label={language === undefined ? undefined : say.ofVariable(label, language)}
      inputMode="numeric"
      maxLength={30}
      value={value[name]}
      readOnly={isReadOnly}
      spellCheck={false}
      error={mistake?.param === `${path}.${param}` ? refusalInWords(mistake) : undefined}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
    />
  )
  return (
    <Stack gap={4}>
      <Group grow preventGrowOverflow={false} align="flex-start">
        {field('dltEntityId', say.dltEntityId, 'entityId')}
        {field('dltTemplateId', say.dltTemplateId, 'templateId')}
      </Group>
      {language === undefined && (
        <Text size="xs" c="dimmed">
          {say.dltHelp}
        </Text>
      )}
    </Stack>
  )
}

interface LanguagesFieldProps {
  draft: TemplateDraft
  isReadOnly: boolean
  /** The mistake in the draft, if any. */
  mistake: Refused | undefined
  onChange(translations: readonly TranslationDraft[]): void
  /** Tag of the language being edited. */
  onShow(tag: string): void
}

export function LanguagesField({ draft, isReadOnly, mistake, onChange, onShow }: LanguagesFieldProps) {
  const say = useWords(templateWords)
  const language = useLanguage()
  const { translations, locale, channelSupport } = draft
  const isAboutCodes = mistake?.param?.startsWith('bodies.') && mistake.param.includes('.dlt')
  const change = (changed: TranslationDraft) =>
    onChange(translations.map((known) => (known.tag === changed.tag ? changed : known)))
  const add = (tag: string) => {
    if (tag === '') return
    onChange([...translations, { tag, body: draft.body, providerTemplateCode: '', ...NO_DLT }])
    onShow(tag)
  }
  return (
    <Fieldset legend={say.languages}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {say.languagesAbout}
        </Text>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          {translations.map((translation) => {
            const { tag, body } = translation
            const name = languageName(tag, language)
            return (
              <Stack key={tag} gap={6}>
                <Group justify="space-between" gap="xs">
                  <Text size="sm" fw={600}>
                    {name} ({tag})
                  </Text>
                  {!isReadOnly && (
                    <Button
                      size="compact-xs"
                      variant="subtle"
                      color="red"
                      aria-label={say.removeLanguageOf(name)}
                      onClick={() => onChange(translations.filter((known) => known.tag !== tag))}
                    >
                      {say.removeLanguage}
                    </Button>
                  )}
                </Group>
                <MessageText
                  aria-label={say.bodyIn(name)}
                  lang={tag}
                  language={name}
                  variables={['code', ...variableNames(draft)]}
                  value={body}
                  readOnly={isReadOnly}
                  error={mistake?.param === `bodies.${tag}` ? refusalInWords(mistake) : undefined}
                  onFocus={() => onShow(tag)}
                  onChange={(text) => change({ ...translation, body: text })}
                />
              </Stack>
            )
          })}
        </SimpleGrid>
        {translations.length > 0 && (
          <Accordion variant="contained" {...(isAboutCodes && { value: 'codes' })}>
            <Accordion.Item value="codes">
              <Accordion.Control>{say.codesByLanguage}</Accordion.Control>
              <Accordion.Panel>
                <Stack gap="md">
                  <Text size="sm" c="dimmed">
                    {say.codesAbout} {say.translationDltHelp}
                  </Text>
                  {translations.map((translation) => (
                    <LanguageCodes
                      key={translation.tag}
                      translation={translation}
                      hasTalk={channelSupport.includes('alimtalk')}
                      isReadOnly={isReadOnly}
                      mistake={mistake}
                      onChange={change}
                    />
                  ))}
                </Stack>
              </Accordion.Panel>
            </Accordion.Item>
          </Accordion>
        )}
        {!isReadOnly && (
          <LanguageChoice
            label={say.addLanguage}
            about={say.addLanguageHelp}
            value=""
            taken={[locale, ...translations.map(({ tag }) => tag)]}
            isReadOnly={false}
            onChange={add}
          />
        )}
      </Stack>
    </Fieldset>
  )
}

interface LanguageCodesProps {
  translation: TranslationDraft
  hasTalk: boolean
  isReadOnly: boolean
  mistake: Refused | undefined
  onChange(changed: TranslationDraft): void
}

/** The codes of one language in one line. */
function LanguageCodes({ translation, hasTalk, isReadOnly, mistake, onChange }: LanguageCodesProps) {
  const say = useWords(templateWords)
  const name = languageName(translation.tag, useLanguage())
  return (
    <Group grow preventGrowOverflow={false} align="flex-end" gap="xs">
      <Text size="sm" fw={600} miw={90} maw={140}>
        {name}
      </Text>
      {hasTalk && (
        <TextInput
          size="xs"
          label={say.code}
          aria-label={say.ofVariable(say.providerCode, name)}
          maxLength={64}
          value={translation.providerTemplateCode}
          readOnly={isReadOnly}
          spellCheck={false}
          onChange={(event) => onChange({ ...translation, providerTemplateCode: event.currentTarget.value })}
        />
      )}
      <DltFields
        value={translation}
        path={`bodies.${translation.tag}.dlt`}
        language={name}
        isReadOnly={isReadOnly}
        mistake={mistake}
        onChange={(ids) => onChange({ ...translation, ...ids })}
      />
    </Group>
  )
}
