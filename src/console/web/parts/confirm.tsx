/**
 * For what can be undone, yet is felt at once: says what will happen and how to undo it, and wants one more click. What
 * cannot be undone asks for a name: `confirmByName`.
 */
import { Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import type { ReactNode } from 'react'
import { frameWords } from '../i18n/frame'
import { wordsNow } from '../i18n/words'

interface Question {
  title: string
  /** It says what the action touches, and how to undo it. */
  consequence: ReactNode
  /** Label of the button. */
  action: string
  run(): void
}

export function confirm({ title, consequence, action, run }: Question): void {
  modals.openConfirmModal({
    title,
    children: typeof consequence === 'string' ? <Text size="sm">{consequence}</Text> : consequence,
    labels: { confirm: action, cancel: wordsNow(frameWords).cancel },
    confirmProps: { color: 'red' },
    onConfirm: run,
  })
}
