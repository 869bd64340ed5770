/** How far the credit may go down, and from when on the console warns. */
import { Button, Group, NumberInput, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, client, queries } from '../../api'
import { frameWords } from '../../i18n/frame'
import { useWords } from '../../i18n/words'
import { fieldProblem } from '../../parts/field-problem'
import { ProblemNote } from '../../parts/problem-note'
import { tellDone } from '../../parts/tell'
import type { Wallet } from './balance'
import { walletWords } from './words'

interface LevelsFormProps {
  appId: string
  wallet: Wallet
  onDone(): void
}

export function LevelsForm({ appId, wallet, onDone }: LevelsFormProps) {
  const say = useWords(walletWords)
  const common = useWords(frameWords)
  const [overdraft, setOverdraft] = useState<number | string>(wallet.overdraftLimit)
  const [alert, setAlert] = useState<number | string>(wallet.alertBelow ?? '')
  const save = useMutation({
    async mutationFn() {
      const limit = Number(overdraft || 0)
      const below = alert === '' ? undefined : Number(alert)
      if (limit !== wallet.overdraftLimit) await client.wallet.setOverdraft({ appId, limit })
      if (below !== wallet.alertBelow) await client.wallet.setAlert({ appId, below })
    },
    onSuccess() {
      tellDone(say.saved)
      onDone()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: api.wallet.key() }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!save.isPending) save.mutate()
  }
  const overdraftProblem = fieldProblem(save.error, 'overdraft', 'limit')
  const alertProblem = fieldProblem(save.error, 'below')
  const whole = { min: 0, allowDecimal: false, allowNegative: false, thousandSeparator: ',', hideControls: true }
  return (
    <form onSubmit={submit}>
      <Stack>
        <NumberInput
          {...whole}
          data-autofocus
          label={say.overdraft}
          description={say.overdraftAbout}
          value={overdraft}
          onChange={setOverdraft}
          error={overdraftProblem}
        />
        <NumberInput
          {...whole}
          label={say.alert}
          description={say.alertAbout}
          value={alert}
          onChange={setAlert}
          error={alertProblem}
        />
        {save.isError && !overdraftProblem && !alertProblem && <ProblemNote failure={save.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {say.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
