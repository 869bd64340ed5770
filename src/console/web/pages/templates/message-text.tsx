/** The text of a message in one language, with its variables as buttons that insert them. */
import { Button, Group, Stack, Text, Textarea, type TextareaProps } from '@mantine/core'
import { useRef } from 'react'
import { placeholdersOf } from '../../../../domain/message/template'
import { inWords, useWords } from '../../i18n/words'

const words = inWords({
  en: {
    variables: 'Variables',
    insert: (name: string) => `Insert #{${name}}`,
    insertIn: (name: string, language: string) => `Insert #{${name}} in ${language}`,
    missing: (names: string) => `Missing: ${names}`,
    unknown: (names: string) => `Unknown variables: ${names}`,
  },
  ko: {
    variables: '변수',
    insert: (name) => `#{${name}} 넣기`,
    insertIn: (name, language) => `${language}: #{${name}} 넣기`,
    missing: (names) => `빠진 변수: ${names}`,
    unknown: (names) => `알 수 없는 변수: ${names}`,
  },
})

interface MessageTextProps extends Omit<TextareaProps, 'value' | 'onChange'> {
  value: string
  /** The variables that the text should have, the code included. */
  variables: readonly string[]
  /** Name of the language; missing: the template's own text, which decides what the variables are. */
  language?: string
  onChange(text: string): void
}

export function MessageText({ value, variables, language, onChange, ...props }: MessageTextProps) {
  const say = useWords(words)
  const input = useRef<HTMLTextAreaElement>(null)
  const used = placeholdersOf(value).filter((name) => name !== '')
  const missing = variables.filter((name) => !used.includes(name))
  const unknown = used.filter((name) => !variables.includes(name))
  const insert = (name: string) => {
    const { selectionStart, selectionEnd } = input.current ?? {
      selectionStart: value.length,
      selectionEnd: value.length,
    }
    onChange(`${value.slice(0, selectionStart)}#{${name}}${value.slice(selectionEnd)}`)
    input.current?.focus()
  }
  const listed = (names: readonly string[]) => names.map((name) => `#{${name}}`).join(', ')
  return (
    <Stack gap={6}>
      <Textarea
        ref={input}
        required
        autosize
        minRows={3}
        maxRows={14}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        {...props}
      />
      {!props.readOnly && (
        <Group gap={6} role="group" aria-label={say.variables}>
          {variables.map((name) => (
            <Button
              key={name}
              size="compact-xs"
              variant={used.includes(name) ? 'light' : 'outline'}
              color={used.includes(name) ? 'indigo' : 'orange.9'}
              radius="xl"
              ff="monospace"
              aria-label={language === undefined ? say.insert(name) : say.insertIn(name, language)}
              onClick={() => insert(name)}
            >
              {`#{${name}}`}
            </Button>
          ))}
        </Group>
      )}
      {missing.length > 0 && (
        <Text size="xs" c="orange.9">
          {say.missing(listed(missing))}
        </Text>
      )}
      {unknown.length > 0 && (
        <Text size="xs" c="red.9">
          {say.unknown(listed(unknown))}
        </Text>
      )}
    </Stack>
  )
}
