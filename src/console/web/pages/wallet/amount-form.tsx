/** How much, and for what: of a top-up, and of a clawback. */
import { Button, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { freshName } from '../../fresh-name'
import { frameWords } from '../../i18n/frame'
import { useWords } from '../../i18n/words'
import { fieldProblem } from '../../parts/field-problem'
import { ProblemNote } from '../../parts/problem-note'
import { walletWords } from './words'

export interface AmountFormProps {
  about?: ReactNode
  action: string
  /** What cannot be undone is red. */
  isDangerous?: boolean
  isPending?: boolean
  failure?: unknown
  onSubmit(order: { amount: number; reference: string }): void
  onCancel(): void
}

export function AmountForm({ about, action, isDangerous, isPending, failure, onSubmit, onCancel }: AmountFormProps) {
  const say = useWords(walletWords)
  const common = useWords(frameWords)
  const [amount, setAmount] = useState<number | string>('')
  const [reference, setReference] = useState('')
  const [hasTried, setHasTried] = useState(false)
  // The same for as long as the form stands: sent twice after a lost answer, it still makes one entry.
  const [ownReference] = useState(() => freshName('console'))
  const isAmount = typeof amount === 'number' && amount >= 1
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setHasTried(true)
    if (isAmount && !isPending) onSubmit({ amount, reference: reference.trim() || ownReference })
  }
  const amountProblem = fieldProblem(failure, 'amount') ?? (hasTried && !isAmount ? say.amountProblem : undefined)
  const referenceProblem = fieldProblem(failure, 'reference')
  const isElsewhere = failure !== null && failure !== undefined && !amountProblem && !referenceProblem
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
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
          value={amount}
          onChange={setAmount}
          error={amountProblem}
        />
        <TextInput
          label={say.reference}
          description={say.referenceAbout}
          maxLength={128}
          value={reference}
          onChange={(event) => setReference(event.currentTarget.value)}
          error={referenceProblem}
          autoComplete="off"
          spellCheck={false}
        />
        {isElsewhere && <ProblemNote failure={failure} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={isPending ?? false} {...(isDangerous && { color: 'red' })}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
