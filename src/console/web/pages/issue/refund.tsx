/** Gives back what a charged issue has cost. */
import { Button, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { IconArrowBackUp } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { api, queries } from '../../api'
import { useFormats } from '../../i18n/format'
import { frameWords } from '../../i18n/frame'
import { inWords, useWords } from '../../i18n/words'
import { tellDone, tellProblem } from '../../parts/tell'
import { useMay } from '../../session'
import type { Story } from './timeline'

const words = inWords({
  en: {
    refund: 'Refund',
    title: 'Refund this issue?',
    means: (credits: string) =>
      `The price of ${credits} goes back to the wallet of the app, as an entry of its ledger. An issue is refunded once; the entry cannot be removed.`,
    done: (credits: string) => `Given back to the wallet: ${credits}.`,
  },
  ko: {
    refund: '환불',
    title: '이 발급 건을 환불할까요?',
    means: (credits) =>
      `${credits} 크레딧을 앱 지갑으로 돌려주고 원장에 기록합니다. 발급 건마다 한 번만 환불할 수 있으며 기록은 지울 수 없습니다.`,
    done: (credits) => `${credits} 크레딧을 환불했습니다.`,
  },
})

export function RefundButton({ story: { appId, issueId, mode, billingStatus, price, ledger } }: { story: Story }) {
  const say = useWords(words)
  const common = useWords(frameWords)
  const formats = useFormats()
  const may = useMay()
  const refund = useMutation(
    api.wallet.refund.mutationOptions({
      onSuccess({ amountDelta }) {
        queries.invalidateQueries({ queryKey: api.issues.key() })
        queries.invalidateQueries({ queryKey: api.wallet.key() })
        tellDone(say.done(formats.number(amountDelta)))
      },
      onError: tellProblem,
    }),
  )
  const isRefunded = ledger.some(({ entryType }) => entryType === 'refund')
  if (!may('money') || mode !== 'live' || billingStatus !== 'debited' || isRefunded) return null
  const ask = () =>
    modals.openConfirmModal({
      title: say.title,
      children: <Text size="sm">{say.means(formats.number(price))}</Text>,
      labels: { confirm: say.refund, cancel: common.cancel },
      onConfirm: () => refund.mutate({ appId, issueId }),
    })
  return (
    <Button
      variant="default"
      leftSection={<IconArrowBackUp size={16} aria-hidden />}
      onClick={ask}
      loading={refund.isPending}
    >
      {say.refund}
    </Button>
  )
}
