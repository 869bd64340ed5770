/**
 * For what cannot be undone: says what will happen, and wants the name of the thing typed first.
 *
 *     confirmByName({ title: say.revoke, name: key.shown, consequence: say.revokeMeans, action: say.revoke,
 *       run: () => client.keys.revoke({ keyId }) })
 */
import { Text, TextInput } from '@mantine/core'
import { modals } from '@mantine/modals'
import type { ReactNode } from 'react'
import { inWords, useWords } from '../i18n/words'
import { Form, useServerForm } from './form'

export interface Confirmation {
  title: string
  /** The text that has to be typed. */
  name: string
  /** The consequence, in a sentence. */
  consequence: ReactNode
  /** Label of the button. */
  action: string
  /** Runs the action. The dialog shows a failure, or closes. */
  run(): Promise<unknown>
}

export function confirmByName(confirmation: Confirmation): void {
  const modalId = modals.open({
    title: confirmation.title,
    children: <ConfirmByName {...confirmation} onClose={() => modals.close(modalId)} />,
  })
}

const words = inWords({
  en: { type: (name: string) => `Type “${name}” to confirm` },
  ko: { type: (name) => `확인하려면 “${name}”을(를) 입력하세요` },
})

function ConfirmByName({ name, consequence, action, run, onClose }: Confirmation & { onClose(): void }) {
  const say = useWords(words)
  const form = useServerForm({ initialValues: { typed: '' }, send: run, onDone: onClose })
  const isNamed = form.values.typed.trim() === name
  return (
    <Form form={form} action={action} color="red" disabled={!isNamed} onCancel={onClose}>
      <Text size="sm">{consequence}</Text>
      <TextInput
        data-autofocus
        label={say.type(name)}
        autoComplete="off"
        spellCheck={false}
        {...form.plainField('typed')}
      />
    </Form>
  )
}
