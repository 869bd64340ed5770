/** How far the credit may go down, and from when on the console warns. */
import { NumberInput } from '@mantine/core'
import { api, client, queries } from '../../api'
import { useWords } from '../../i18n/words'
import { Form, useServerForm } from '../../parts/form'
import { tellDone } from '../../parts/tell'
import type { ShownWallet } from './balance'
import { walletWords } from './words'

interface LevelsFormProps {
  appId: string
  wallet: ShownWallet
  onDone(): void
}

export function LevelsForm({ appId, wallet, onDone }: LevelsFormProps) {
  const say = useWords(walletWords)
  const form = useServerForm({
    initialValues: { overdraft: wallet.overdraftLimit as number | string, alert: wallet.alertBelow ?? '' },
    async send({ overdraft, alert }) {
      const limit = Number(overdraft || 0)
      const below = alert === '' ? undefined : Number(alert)
      if (limit !== wallet.overdraftLimit) await client.wallet.setOverdraft({ appId, limit })
      if (below !== wallet.alertBelow) await client.wallet.setAlert({ appId, below })
    },
    onDone() {
      tellDone(say.saved)
      onDone()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: api.wallet.key() }),
  })
  const whole = { min: 0, allowDecimal: false, allowNegative: false, thousandSeparator: ',', hideControls: true }
  return (
    <Form form={form} action={say.save} onCancel={onDone}>
      <NumberInput
        {...whole}
        data-autofocus
        label={say.overdraft}
        description={say.overdraftAbout}
        {...form.field('overdraft', 'limit')}
      />
      <NumberInput {...whole} label={say.alert} description={say.alertAbout} {...form.field('alert', 'below')} />
    </Form>
  )
}
