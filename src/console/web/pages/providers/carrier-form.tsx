/** Form of a carrier, made of the settings of its type. A stored secret is not here: an empty field keeps it. */
import { Anchor, Checkbox, Fieldset, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { channelWords } from '../../i18n/names'
import { inWords, useWords } from '../../i18n/words'
import { Form, useServerForm } from '../../parts/form'
import { PasswordField } from '../../parts/password-field'
import type { ShownChannel, ShownSetting, ShownType } from './words'

const words = inWords({
  en: {
    name: 'Name',
    nameHelp: 'Routes, issues and the report URL have it.',
    channels: 'Channels',
    stored: 'Stored',
    secrets: 'Stored secrets are not shown. An empty field keeps its secret. A new address needs the secrets again.',
    documentation: 'Documentation',
    documentationOf: (title: string) => `Documentation of ${title}`,
  },
  ko: {
    name: '이름',
    nameHelp: '경로, 발급 내역, 전송 결과 URL에 이 이름이 쓰입니다.',
    channels: '채널',
    stored: '저장됨',
    secrets: '저장된 비밀 값은 표시되지 않으며, 비워 두면 그대로 유지됩니다. 주소를 바꾸면 다시 입력해야 합니다.',
    documentation: '문서',
    documentationOf: (title) => `${title} 문서`,
  },
})

export interface FilledCarrier {
  name: string
  channels: ShownChannel[]
  settings: Record<string, string>
}

interface CarrierFormProps<Answer> {
  type: ShownType
  initialValues: FilledCarrier
  /** Stored secrets, where the carrier is there already. */
  stored?: readonly string[]
  action: string
  cancel?: string
  send(filled: FilledCarrier): Promise<Answer>
  onDone(answer: Answer, filled: FilledCarrier): unknown
  onCancel(): void
  /** Above the fields, and below them. */
  before?: ReactNode
  children?: ReactNode
}

export function CarrierForm<Answer>(props: CarrierFormProps<Answer>) {
  const { type, initialValues, stored, action, cancel, send, onDone, onCancel, before, children } = props
  const say = useWords(words)
  const channels = useWords(channelWords)
  const form = useServerForm({
    initialValues,
    send: ({ settings, ...filled }) =>
      send({ ...filled, settings: Object.fromEntries(Object.entries(settings).filter(([, text]) => text !== '')) }),
    onDone,
    otherParams: type.settings.map(paramOf),
  })
  const { settings } = form.values
  const fieldsOf = (some: readonly ShownSetting[]) =>
    some.map((setting) => (
      <SettingField
        key={setting.name}
        setting={setting}
        isFirst={setting === type.settings[0]}
        value={settings[setting.name] ?? ''}
        isStored={stored?.includes(setting.name) ?? false}
        error={form.errors[paramOf(setting)]}
        onChange={(text) => form.set({ settings: { ...settings, [setting.name]: text } })}
      />
    ))
  const groups = [...new Set(type.settings.flatMap(({ group }) => group ?? []))]
  return (
    <Form form={form} action={action} onCancel={onCancel} {...(cancel !== undefined && { cancel })}>
      {before ?? <DocumentationLink type={type} />}
      {stored === undefined && (
        <TextInput
          label={say.name}
          description={say.nameHelp}
          required
          maxLength={64}
          autoComplete="off"
          spellCheck={false}
          {...form.field('name')}
        />
      )}
      {type.channels.length > 1 && (
        <Checkbox.Group label={say.channels} {...form.field('channels', 'channel')}>
          <Group gap="md" mt={4}>
            {type.channels.map((channel) => (
              <Checkbox key={channel} value={channel} label={channels[channel]} />
            ))}
          </Group>
        </Checkbox.Group>
      )}
      {stored !== undefined && stored.length > 0 && (
        <Text size="sm" c="dimmed">
          {say.secrets}
        </Text>
      )}
      {fieldsOf(type.settings.filter(({ group }) => group === undefined))}
      {groups.map((group) => (
        <Fieldset key={group} legend={group}>
          <Stack>{fieldsOf(type.settings.filter((setting) => setting.group === group))}</Stack>
        </Fieldset>
      ))}
      {children}
    </Form>
  )
}

/** The server's name of a setting. */
const paramOf = ({ name }: ShownSetting) => `config.${name}`

interface SettingFieldProps {
  setting: ShownSetting
  isFirst: boolean
  value: string
  isStored: boolean
  error: ReactNode
  onChange(text: string): void
}

function SettingField({ setting, isFirst, value, isStored, error, onChange }: SettingFieldProps) {
  const say = useWords(words)
  const { title, help, secret, url, multiline, kind, default: byDefault = '' } = setting
  if (kind === 'flag')
    return (
      <Checkbox
        label={title}
        description={help}
        checked={value === 'true'}
        onChange={(event) => onChange(event.currentTarget.checked ? 'true' : '')}
      />
    )
  const field = {
    ...(isFirst && { 'data-autofocus': true }),
    label: title,
    description: help,
    error,
    value,
    placeholder: isStored ? say.stored : byDefault,
    // A group is there as a whole or not at all, which the server checks.
    required: !setting.optional && !isStored && byDefault === '' && setting.group === undefined,
    autoComplete: 'off',
    spellCheck: false,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  }
  if (multiline) return <Textarea autosize minRows={2} maxRows={8} {...field} />
  // People look at an address while they type it, even if it may hold a key.
  if (secret && !url) return <PasswordField {...field} autoComplete="new-password" />
  return <TextInput {...field} {...(kind === 'number' && { inputMode: 'numeric' })} />
}

/** To the vendor, or to our own page for what is no vendor's. */
export function DocumentationLink({ type: { title, documentation } }: { type: ShownType }) {
  const say = useWords(words)
  const href = documentation.startsWith('https://') ? documentation : '/docs/guide/carriers'
  return (
    <Anchor
      href={href}
      target="_blank"
      rel="noopener"
      size="sm"
      underline="always"
      aria-label={say.documentationOf(title)}
    >
      {say.documentation}
    </Anchor>
  )
}
