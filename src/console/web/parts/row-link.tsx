/** A link of the console among values. */
import { Anchor } from '@mantine/core'
import { createLink } from '@tanstack/react-router'

export const RowLink = createLink(Anchor.withProps<'a'>({ inherit: true, fw: 500 }))
