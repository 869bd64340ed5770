/** Text as somebody wrote it, in however long words: an address, a name, a message. */
import { Text } from '@mantine/core'

export const AsWritten = Text.withProps({ style: { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' } })
