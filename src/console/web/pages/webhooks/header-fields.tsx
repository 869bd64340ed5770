/** Headers that go with every request. What is set already is known by name only, so it is kept or replaced whole. */
import { ActionIcon, Button, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useWords } from '../../i18n/words'
import { newLine } from './draft'
import type { EndpointFieldsProps } from './filter-fields'
import { formWords } from './form-words'

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
