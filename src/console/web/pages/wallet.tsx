/** The prepaid credit of an app: how much there is, how it got there and where it went. */
import { Button, Modal } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, client, queries } from '../api'
import { Loading } from '../frame/loading'
import { useFormats } from '../i18n/format'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import { confirmByName } from '../parts/confirm-by-name'
import { PageHeader } from '../parts/page-header'
import { ProblemNote } from '../parts/problem-note'
import { tellDone } from '../parts/tell'
import { useAppScope } from '../scope'
import { useMay } from '../session'
import { AmountForm } from './wallet/amount-form'
import { Balance } from './wallet/balance'
import { Ledger } from './wallet/ledger'
import { LevelsForm } from './wallet/levels-form'
import { walletWords } from './wallet/words'

const LIVE_MS = 3_000

const invalidate = () => queries.invalidateQueries({ queryKey: api.wallet.key() })

export default function WalletPage() {
  const say = useWords(walletWords)
  const common = useWords(frameWords)
  const formats = useFormats()
  const may = useMay()('money')
  const { appId, appName } = useAppScope()
  const [open, setOpen] = useState<'topUp' | 'clawback' | 'levels'>()
  const close = () => setOpen(undefined)
  const wallet = useQuery(api.wallet.show.queryOptions({ input: { appId }, refetchInterval: LIVE_MS }))
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
            <Button variant="default" onClick={() => setOpen('levels')} disabled={!wallet.data}>
              {say.levels}
            </Button>
            <Button variant="light" color="red" onClick={() => setOpen('clawback')}>
              {say.clawback}
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
