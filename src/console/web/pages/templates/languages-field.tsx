/** The same message in other languages, each with its text, and the choice of one more. */
import { Button, Fieldset, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { languageName } from '../../i18n/delivery'
import { useLanguage } from '../../i18n/language'
import { type Refused, refusalInWords } from '../../i18n/refusals'
import { useWords } from '../../i18n/words'
import type { TemplateDraft, TranslationDraft } from './draft'
import { templateWords } from './words'

/** What is proposed; the command line takes any other, too. */
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
  /** Those that are there already. */
  taken: readonly string[]
  error?: string | undefined
  isReadOnly: boolean
  onChange(tag: string): void
}

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

interface LanguagesFieldProps {
  draft: TemplateDraft
  isReadOnly: boolean
  /** What is wrong with the draft, if anything. */
  mistake: Refused | undefined
  onChange(translations: readonly TranslationDraft[]): void
  /** Of the language that is worked on, by its tag. */
  onShow(tag: string): void
}

export function LanguagesField({ draft, isReadOnly, mistake, onChange, onShow }: LanguagesFieldProps) {
  const say = useWords(templateWords)
  const language = useLanguage()
  const { translations, locale, channelSupport } = draft
  const change = (changed: TranslationDraft) =>
    onChange(translations.map((known) => (known.tag === changed.tag ? changed : known)))
  const add = (tag: string) => {
    if (tag === '') return
    onChange([...translations, { tag, body: draft.body, providerTemplateCode: '' }])
    onShow(tag)
  }
  return (
    <Fieldset legend={say.languages}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {say.languagesAbout}
        </Text>
        {translations.map((translation) => {
          const { tag, body, providerTemplateCode } = translation
          const name = languageName(tag, language)
          return (
            <Stack key={tag} gap="xs">
              <Group justify="space-between">
                <Text size="sm" fw={600}>
                  {name} ({tag})
                </Text>
                {!isReadOnly && (
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={say.removeLanguageOf(name)}
                    onClick={() => onChange(translations.filter((known) => known.tag !== tag))}
                  >
                    {say.removeLanguage}
                  </Button>
                )}
              </Group>
              <Textarea
                aria-label={say.bodyIn(name)}
                lang={tag}
                required
                autosize
                minRows={2}
                maxRows={14}
                value={body}
                readOnly={isReadOnly}
                error={mistake?.param === `bodies.${tag}` ? refusalInWords(mistake) : undefined}
                onFocus={() => onShow(tag)}
                onChange={(event) => change({ ...translation, body: event.currentTarget.value })}
              />
              {channelSupport.includes('alimtalk') && (
                <TextInput
                  label={say.providerCode}
                  aria-label={say.ofVariable(say.providerCode, name)}
                  description={say.translationCodeHelp}
                  maxLength={64}
                  value={providerTemplateCode}
                  readOnly={isReadOnly}
                  spellCheck={false}
                  onChange={(event) => change({ ...translation, providerTemplateCode: event.currentTarget.value })}
                />
              )}
            </Stack>
          )
        })}
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
