/** Which events an endpoint wants to hear of: by channel, purpose and metadata. */
import { ActionIcon, Button, Checkbox, Fieldset, Group, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { CHANNELS } from '../../../../../contract/constants'
import { channelWords } from '../../i18n/delivery'
import { useWords } from '../../i18n/words'
import { type EndpointDraft, newLine } from './draft'
import { formWords } from './form-words'

export interface EndpointFieldsProps {
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
            {CHANNELS.map((channel) => (
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
