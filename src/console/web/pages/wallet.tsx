/** The prepaid credit of an app: balance and ledger. */
import {
  Alert,
  Button,
  Group,
  Menu,
  Modal,
  NumberInput,
  Paper,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { IconAlertTriangle, IconChevronDown, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, client, queries } from '../api'
import { freshName } from '../command'
import { useFormats } from '../i18n/format'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import { safetyNet } from '../live'
import { confirmByName } from '../parts/confirm-by-name'
import { Loading } from '../parts/empty-state'
import { Form, useServerForm } from '../parts/form'
import { PageHeader } from '../parts/page-header'
import { ProblemNote } from '../parts/problem-note'
import { tellDone } from '../parts/tell'
import { useAppScope } from '../scope'
import { useMay } from '../session'
import { Ledger } from './wallet/ledger'
import { walletWords } from './wallet/words'

const invalidate = () => queries.invalidateQueries({ queryKey: api.wallet.key() })

export default function WalletPage() {
  const say = useWords(walletWords)
  const common = useWords(frameWords)
  const formats = useFormats()
  const may = useMay()('money')
  const { appId, appName } = useAppScope()
  const [open, setOpen] = useState<'topUp' | 'clawback' | 'levels'>()
  const close = () => setOpen(undefined)
  const wallet = useQuery(api.wallet.show.queryOptions({ input: { appId }, refetchInterval: safetyNet }))
  const topUp = async (order: { amount: number; reference: string }) => {
    const { amountDelta, balanceAfter } = await client.wallet.topUp({ appId, ...order })
    invalidate()
    close()
    tellDone(say.added(formats.number(amountDelta), formats.number(balanceAfter)))
  }
  const clawBack = async ({ amount, reference }: { amount: number; reference: string }) => {
    close()
    const shown = formats.number(amount)
    const balance = formats.number((wallet.data?.balance ?? 0) - amount)
    confirmByName({
      title: say.clawbackTitle(shown),
      name: appName,
      consequence: say.clawbackMeans(shown, appName, balance),
      action: say.clawback,
      async run() {
        const { balanceAfter } = await client.wallet.clawback({ appId, amount, reference })
        await invalidate()
        tellDone(say.taken(shown, formats.number(balanceAfter)))
      },
    })
  }

  const topUpButton = may && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen('topUp')}>
      {say.topUp}
    </Button>
  )
  return (
    <>
      <PageHeader title={common.pages.wallet} about={say.about}>
        {may && (
          <>
            <Menu position="bottom-end">
              <Menu.Target>
                <Button variant="default" rightSection={<IconChevronDown size={14} aria-hidden />}>
                  {say.more}
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item c="red" onClick={() => setOpen('clawback')}>
                  {say.clawback}
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
            <Button variant="default" onClick={() => setOpen('levels')} disabled={!wallet.data}>
              {say.levels}
            </Button>
          </>
        )}
        {topUpButton}
      </PageHeader>
      {wallet.data ? (
        <Balance wallet={wallet.data} />
      ) : wallet.error ? (
        <ProblemNote failure={wallet.error} />
      ) : (
        <Loading />
      )}
      <Ledger firstStep={topUpButton} />
      <Modal
        opened={open !== undefined}
        onClose={close}
        title={open && say[open]}
        closeButtonProps={{ 'aria-label': common.close }}
      >
        {open === 'topUp' && <AmountForm action={say.topUp} send={topUp} onCancel={close} />}
        {open === 'clawback' && (
          <AmountForm about={say.clawbackAbout} action={say.clawback} color="red" send={clawBack} onCancel={close} />
        )}
        {open === 'levels' && wallet.data && <LevelsForm appId={appId} wallet={wallet.data} onDone={close} />}
      </Modal>
    </>
  )
}

type ShownWallet = Awaited<ReturnType<typeof client.wallet.show>>

/** Balance, reserved and available credit. */
function Balance({ wallet }: { wallet: ShownWallet }) {
  const say = useWords(walletWords)
  const formats = useFormats()
  const { balance, reserved, available, overdraftLimit, alertBelow } = wallet
  const isEmpty = available + overdraftLimit <= 0
  const isLow = alertBelow !== undefined && available < alertBelow
  return (
    <Stack mb="lg">
      {(isEmpty || isLow) && (
        <Alert color={isEmpty ? 'red' : 'yellow'} icon={<IconAlertTriangle aria-hidden />} role="status">
          {isEmpty ? say.empty : say.low(formats.number(alertBelow ?? 0))}
        </Alert>
      )}
      <SimpleGrid component="dl" cols={{ base: 2, xs: 3 }}>
        <Amount name={say.available} about={say.availableAbout} value={formats.number(available)} />
        <Amount name={say.balance} about={say.balanceAbout} value={formats.number(balance)} />
        <Amount name={say.reserved} about={say.reservedAbout} value={formats.number(reserved)} />
      </SimpleGrid>
      <Group gap="lg">
        <Text size="sm">
          {say.overdraft}: <strong>{formats.number(overdraftLimit)}</strong>
        </Text>
        <Text size="sm">
          {say.alert}: <strong>{alertBelow === undefined ? say.noAlert : formats.number(alertBelow)}</strong>
        </Text>
      </Group>
    </Stack>
  )
}

const Amount = ({ name, about, value }: { name: string; about: string; value: string }) => (
  <Paper withBorder p="md">
    <Text component="dt" size="sm" fw={500}>
      {name}
    </Text>
    <Text component="dd">
      <Text component="span" display="block" fz={{ base: 20, md: 26 }} fw={600}>
        {value}
      </Text>
      <Text component="span" size="xs" c="dimmed">
        {about}
      </Text>
    </Text>
  </Paper>
)

interface LevelsFormProps {
  appId: string
  wallet: ShownWallet
  onDone(): void
}

/** Overdraft and low-credit alert. */
function LevelsForm({ appId, wallet, onDone }: LevelsFormProps) {
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

interface AmountFormProps {
  about?: ReactNode
  action: string
  /** Red, because it cannot be undone. */
  color?: 'red'
  send(order: { amount: number; reference: string }): Promise<unknown>
  onCancel(): void
}

/** Amount and reference of a top-up or a clawback. */
function AmountForm({ about, send, ...end }: AmountFormProps) {
  const say = useWords(walletWords)
  // One reference for the life of the form, so that a retry after a lost answer creates no second entry.
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
