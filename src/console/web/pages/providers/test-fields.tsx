/** The fields of a test message: the phone, the channel, and the template that an AlimTalk needs. */
import { NativeSelect, TextInput } from '@mantine/core'
import { channelWords } from '../../i18n/names'
import { useWords } from '../../i18n/words'
import { providerWords, type ShownChannel } from './words'

interface TestFieldsProps {
  channels: readonly ShownChannel[]
  channel: ShownChannel
  /** The dialog begins here. */
  isFirst?: boolean
  /** Properties of the inputs. */
  to: object
  channelField: object
  templateCode: object
}

export function TestFields({ channels, channel, isFirst = false, to, channelField, templateCode }: TestFieldsProps) {
  const say = useWords(providerWords)
  const channelNames = useWords(channelWords)
  return (
    <>
      <TextInput
        {...(isFirst && { 'data-autofocus': true })}
        label={say.to}
        description={say.toHelp}
        type="tel"
        required
        placeholder="010-1234-5678"
        {...to}
      />
      {channels.length > 1 && (
        <NativeSelect
          label={say.channel}
          data={channels.map((value) => ({ value, label: channelNames[value] }))}
          {...channelField}
        />
      )}
      {channel === 'alimtalk' && (
        <TextInput
          label={say.templateCode}
          description={say.templateCodeHelp}
          required
          spellCheck={false}
          {...templateCode}
        />
      )}
    </>
  )
}
