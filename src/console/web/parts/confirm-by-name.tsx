/**
 * For what cannot be undone: says what will happen, and wants the name of the thing typed first.
 *
 *     confirmByName({ title: say.revoke, name: key.shown, consequence: say.revokeMeans, action: say.revoke,
 *       run: () => client.keys.revoke({ keyId }) })
 */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { frameWords } from '../i18n/frame'
import { inWords, useWords } from '../i18n/words'
import { ProblemNote } from './problem-note'

export interface Confirmation {
  title: string
  /** What has to be typed. */
  name: string
  /** What will happen, and to whom. */
  consequence: ReactNode
  /** The button's word. */
  action: string
  /** Does it. A failure is shown where it was confirmed; otherwise that closes. */
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
  const common = useWords(frameWords)
  const [typed, setTyped] = useState('')
  const doing = useMutation({ mutationFn: run, onSuccess: onClose })
  const isNamed = typed.trim() === name
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isNamed && !doing.isPending) doing.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{consequence}</Text>
        <TextInput
          data-autofocus
          label={say.type(name)}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
        />
        {doing.isError && <ProblemNote failure={doing.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" color="red" disabled={!isNamed} loading={doing.isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
