/** The delivery of a code just issued, step by step as it happens. */
import { IconCheck, IconHourglass, IconMailOff, IconMessagePlus, IconSend } from '@tabler/icons-react'
import { useState } from 'react'
import { statusWords } from '../../i18n/statuses'
import { inWords, useWords } from '../../i18n/words'
import { Steps, type StepView } from '../../parts/steps'
import { reportedAt, type Story } from '../issue/timeline'

const words = inWords({
  en: {
    steps: 'Delivery',
    issued: 'Issued',
    queued: 'Queued for the carrier',
    calling: (provider: string, channel: string) => `${provider} is asked to send it as ${channel}`,
    sent: (provider: string, channel: string) => `Sent by ${provider} as ${channel}`,
    ambiguous: (provider: string) => `${provider} did not say whether it took the message`,
    refused: (provider: string) => `${provider} refused the message`,
    report: 'Waiting for the report',
    delivered: 'Delivered',
    failed: 'Not delivered',
  },
  ko: {
    steps: '전달 과정',
    issued: '발급',
    queued: '발송 대기',
    calling: (provider, channel) => `${provider}에 ${channel} 발송 요청 중`,
    sent: (provider, channel) => `${provider}에서 ${channel} 발송`,
    ambiguous: (provider) => `${provider}의 접수 여부를 알 수 없음`,
    refused: (provider) => `${provider}에서 거절`,
    report: '결과 보고 대기',
    delivered: '도달',
    failed: '도달하지 못함',
  },
})

export function Delivery({ story }: { story: Story }) {
  const say = useWords(words)
  const names = useWords(statusWords)
  const { createdAt, deliveryStatus, isAmbiguous, attempts } = story
  const endedAt = useEnd(story)
  const tried = attempts.map(({ number, provider, leg, calledAt, answeredAt, outcome }): StepView => {
    const key = `attempt-${number}`
    const channel = names.channels[leg]
    switch (outcome) {
      case 'accepted':
        return { key, icon: IconSend, tone: 'plain', title: say.sent(provider, channel), at: answeredAt }
      case 'ambiguous':
        return { key, icon: IconSend, tone: 'doubtful', title: say.ambiguous(provider), at: answeredAt }
      case 'refused':
        return { key, icon: IconMailOff, tone: 'bad', title: say.refused(provider), at: answeredAt }
      default:
        return { key, icon: IconHourglass, tone: 'waiting', title: say.calling(provider, channel), at: calledAt }
    }
  })
  const end: StepView[] =
    deliveryStatus === 'delivered'
      ? [{ key: 'end', icon: IconCheck, tone: 'good', title: say.delivered, at: endedAt }]
      : deliveryStatus === 'failed'
        ? [{ key: 'end', icon: IconMailOff, tone: 'bad', title: say.failed, at: endedAt }]
        : attempts.length === 0
          ? [{ key: 'end', icon: IconHourglass, tone: 'waiting', title: say.queued }]
          : deliveryStatus === 'sent' && !isAmbiguous
            ? [{ key: 'end', icon: IconHourglass, tone: 'waiting', title: say.report }]
            : []
  const issued: StepView = { key: 'issued', icon: IconMessagePlus, tone: 'plain', title: say.issued, at: createdAt }
  return (
    <div aria-live="polite">
      <Steps steps={[issued, ...tried, ...end]} label={say.steps} since={createdAt} />
    </div>
  )
}

/** When the delivery ended. Kept once it is seen: it can be told only until the code is verified. */
function useEnd(story: Story): number | undefined {
  const { deliveryStatus } = story
  const now = deliveryStatus === 'delivered' || deliveryStatus === 'failed' ? reportedAt(story) : undefined
  const [seen, setSeen] = useState(now)
  if (seen === undefined && now !== undefined) setSeen(now)
  return seen
}
