/** User-written text such as an address, a name or a message. It keeps spaces and breaks long words. */
import { Anchor, Text } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import styles from './text.module.css'

export const AsWritten = Text.withProps({ style: { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' } })

/** The text of a message, as a phone shows it. */
export const MessageText = ({ children, label }: { children: string; label?: string }) => (
  <AsWritten size="sm" className={styles.message} title={label}>
    {children}
  </AsWritten>
)

/** The last characters of a long id. */
export const ShortId = ({ id }: { id: string }) => <span style={{ whiteSpace: 'nowrap' }}>…{id.slice(-8)}</span>

/** Link to a page of the console within a text or table. */
export const RowLink = createLink(Anchor.withProps<'a'>({ inherit: true, fw: 500 }))

/** Link beside the heading of a section, to where its content comes from. */
export const SectionLink = createLink(Anchor.withProps<'a'>({ size: 'sm' }))

/** A state, as a link to the list of all that have it. */
export const FilterLink = createLink(
  Anchor.withProps<'a'>({ inherit: true, c: 'inherit', underline: 'hover', display: 'inline-flex' }),
)
