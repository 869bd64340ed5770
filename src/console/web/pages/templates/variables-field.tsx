/** What an app fills in: the placeholders of the text, each with its rules. */
import { Checkbox, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core'
import { type Refused, refusalInWords } from '../../i18n/refusals'
import { useWords } from '../../i18n/words'
import { type TemplateDraft, type VariableDraft, variableNames, variableOf } from './draft'
import { templateWords } from './words'

export interface VariablesFieldProps {
  draft: TemplateDraft
  isReadOnly: boolean
  /** What is wrong with the draft, if anything. */
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

/** Refused patterns are told of the variable they are for. */
function patternMistake(variable: string, mistake: Refused | undefined): string | undefined {
  const { reason, about } = mistake ?? {}
  const isAboutPattern = reason === 'invalid_pattern' || reason === 'pattern_too_large'
  return mistake && isAboutPattern && about && 'name' in about && about.name === variable
    ? refusalInWords(mistake)
    : undefined
}
