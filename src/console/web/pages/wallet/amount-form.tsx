/** How much, and for what: of a top-up, and of a clawback. */
import { NumberInput, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { freshName } from '../../fresh-name'
import { useWords } from '../../i18n/words'
import { Form, useServerForm } from '../../parts/form'
import { walletWords } from './words'

interface AmountFormProps {
  about?: ReactNode
  action: string
  /** What cannot be undone is red. */
  color?: 'red'
  send(order: { amount: number; reference: string }): Promise<unknown>
  onCancel(): void
}

export function AmountForm({ about, send, ...end }: AmountFormProps) {
  const say = useWords(walletWords)
  // The same for as long as the form stands: sent twice after a lost answer, it still makes one entry.
  const [ownReference] = useState(() => freshName('console'))
  const form = useServerForm({
    initialValues: { amount: '' as number | string, reference: '' },
    validate: { amount: (amount) => (typeof amount === 'number' && amount >= 1 ? undefined : say.amountProblem) },
    send: ({ amount, reference }) => send({ amount: Number(amount), reference: reference.trim() || ownReference }),
  })
  return (
    <Form form={form} {...end}>
      {about && <Text size="sm">{about}</Text>}
      <NumberInput
        data-autofocus
        label={say.amount}
        required
        min={1}
        max={1_000_000_000}
        allowDecimal={false}
        allowNegative={false}
        thousandSeparator=","
        hideControls
        {...form.field('amount')}
      />
      <TextInput
        label={say.reference}
        description={say.referenceAbout}
        maxLength={128}
        autoComplete="off"
        spellCheck={false}
        {...form.field('reference')}
      />
    </Form>
  )
}
