/** Text as somebody wrote it, in however long words: an address, a name, a message. */
import { Anchor, Text } from '@mantine/core'
import { createLink } from '@tanstack/react-router'

export const AsWritten = Text.withProps({ style: { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' } })

/** The end of a long id: enough to tell one from another. */
export const ShortId = ({ id }: { id: string }) => <span style={{ whiteSpace: 'nowrap' }}>…{id.slice(-8)}</span>

/** A link of the console among values. */
export const RowLink = createLink(Anchor.withProps<'a'>({ inherit: true, fw: 500 }))
