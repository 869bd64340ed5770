/** Timeline of an issue: everything that is known of it, at its moment. */
import { Anchor } from '@mantine/core'
import {
  IconAlertTriangle,
  IconArrowBackUp,
  IconCheck,
  IconClock,
  IconCoin,
  IconHourglass,
  IconMailOff,
  IconMessagePlus,
  IconMessageQuestion,
  IconRefresh,
  IconReplace,
  IconSend,
  IconShieldCheck,
  IconWebhook,
  IconX,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { endOfLeg } from '../../../../domain/delivery/attempt'
import { CODE } from '../../../../domain/delivery/delivery'
import { api } from '../../api'
import { type Formats, useFormats } from '../../i18n/format'
import { statusWords } from '../../i18n/names'
import { inWords, useWords } from '../../i18n/words'
import { Steps, type StepView } from '../../parts/steps'
import { AsWritten, MessageText } from '../../parts/text'
import { DeliveryDetails } from '../webhooks/delivery-details'
import { isAtCarrier, isReportOver, reportedAt, reportOf, type Story } from './story'

interface Tellers {
  say: (typeof timelineWords)['en']
  names: (typeof statusWords)['en']
  formats: Formats
}

/** A step with its sort time. Some times are derived from later events. */
type OrderedStep = StepView & { order: number }

export function IssueTimeline({ story, label }: { story: Story; label: string }) {
  const [openedId, setOpenedId] = useState<string>()
  const opened = story.webhooks.find(({ deliveryId }) => deliveryId === openedId)
  const tellers = { say: useWords(timelineWords), names: useWords(statusWords), formats: useFormats() }
  const steps = [
    issued(story, tellers),
    ...attempts(story, tellers),
    ...delivery(story, tellers),
    // Its platform knows whether a relayed code was verified, and we do not.
    ...(story.isMessageAlone ? [] : verification(story, tellers)),
    ...billing(story, tellers),
    ...webhooks(story, tellers, setOpenedId),
  ].sort((a, b) => a.order - b.order)
  return (
    <>
      <Steps steps={steps} label={label} since={story.createdAt} />
      <Delivery story={story} delivery={opened} onClose={() => setOpenedId(undefined)} />
    </>
  )
}

interface DeliveryProps {
  story: Story
  delivery: Story['webhooks'][number] | undefined
  onClose(): void
}

/** An event as its endpoint was told of it. An endpoint that is removed has nothing to show. */
function Delivery({ story: { appId, issueId }, delivery, onClose }: DeliveryProps) {
  const endpoints = useQuery(api.webhooks.list.queryOptions({ input: { appId }, enabled: delivery !== undefined })).data
    ?.endpoints
  const endpoint = endpoints?.find(({ endpointId }) => endpointId === delivery?.endpointId)
  return (
    endpoint && (
      <DeliveryDetails endpoint={endpoint} delivery={delivery && { ...delivery, issueId }} onClose={onClose} />
    )
  )
}

const issued = ({ createdAt, isMessageAlone }: Story, { say }: Tellers): OrderedStep => ({
  key: 'issued',
  order: createdAt,
  at: createdAt,
  icon: IconMessagePlus,
  tone: 'plain',
  title: isMessageAlone ? say.handedOver : say.issued,
})

const OUTCOMES = {
  accepted: { icon: IconSend, tone: 'plain' },
  refused: { icon: IconX, tone: 'bad' },
  ambiguous: { icon: IconAlertTriangle, tone: 'doubtful' },
  waiting: { icon: IconHourglass, tone: 'waiting' },
} as const

const attempts = (story: Story, { say, names, formats }: Tellers): OrderedStep[] =>
  story.attempts.flatMap((attempt, index): OrderedStep[] => {
    const { number, leg, provider, calledAt, latencyMs, outcome = 'waiting', code, explanation, said, text } = attempt
    const previous = story.attempts[index - 1]
    const before = previous?.leg ?? leg
    const wasInterrupted = code === CODE.interrupted
    const step: OrderedStep = {
      key: `attempt-${number}`,
      order: calledAt,
      at: calledAt,
      ...OUTCOMES[outcome],
      title: say.attempt(formats.number(number), provider, names.channels[leg]),
      detail: (
        <>
          {say.outcome[wasInterrupted ? 'interrupted' : outcome]}
          {/* Then it is how long others waited, not the carrier's time. */}
          {latencyMs !== undefined && !wasInterrupted && ` · ${formats.milliseconds(latencyMs)}`}
          {code !== undefined && ` · ${code}`}
          {explanation !== undefined && <div>{explanation}</div>}
          {said !== undefined && <AsWritten component="div">{say.said(said)}</AsWritten>}
          {/* The next carrier of the leg gets the same text. */}
          {text !== undefined && text !== previous?.text && (
            <div>
              <MessageText label={say.text}>{text}</MessageText>
            </div>
          )}
        </>
      ),
    }
    const steps = [step, ...report(attempt, { say, names })]
    if (!previous || before === leg) return steps
    const { why, afterMs } = endOfLeg(previous, attempt)
    const fellBack: OrderedStep = {
      ...{ key: `to-${leg}`, order: calledAt - 0.5, icon: IconRefresh, tone: 'doubtful' },
      title: say.fellBack(names.channels[before], names.channels[leg]),
      detail: say.ended[why](formats.milliseconds(afterMs)),
    }
    return [fellBack, ...steps]
  })

const report = (
  { number, leg, report, reportedAt }: Story['attempts'][number],
  { say, names }: Pick<Tellers, 'say' | 'names'>,
): OrderedStep[] =>
  report === undefined || reportedAt === undefined
    ? []
    : [
        {
          key: `report-${number}`,
          order: reportedAt,
          at: reportedAt,
          icon: report === 'delivered' ? IconCheck : IconMailOff,
          tone: report === 'delivered' ? 'good' : 'bad',
          title: (report === 'delivered' ? say.deliveredBy : say.reportedFailed)(names.channels[leg]),
        },
      ]

const lastAttemptAt = ({ attempts, createdAt }: Story) =>
  Math.max(createdAt, ...attempts.map(({ calledAt, answeredAt }) => answeredAt ?? calledAt))

function delivery(story: Story, { say }: Tellers): OrderedStep[] {
  const after = lastAttemptAt(story)
  const { deliveryStatus, outcomeCode } = story
  if (isAtCarrier(story)) return []
  if (deliveryStatus === 'queued')
    return [{ key: 'delivery', order: after + 0.2, icon: IconClock, tone: 'waiting', title: say.waiting }]
  if (deliveryStatus === 'sent')
    return [
      {
        key: 'delivery',
        order: after + 0.2,
        icon: isReportOver(story) ? IconMessageQuestion : IconHourglass,
        tone: 'waiting',
        title: isReportOver(story) ? say.noReport : say.waitingReport,
      },
    ]
  const at = reportedAt(story)
  const isDelivered = deliveryStatus === 'delivered'
  // The report is a step by itself.
  if (reportOf(story)) return []
  const wasRefused = story.attempts.at(-1)?.outcome === 'refused'
  return [
    {
      key: 'delivery',
      order: Math.max(at ?? 0, after + 0.2),
      at,
      icon: isDelivered ? IconCheck : IconMailOff,
      tone: isDelivered ? 'good' : 'bad',
      title: isDelivered ? say.delivered : say.failed,
      detail: !isDelivered && !wasRefused && outcomeCode,
    },
  ]
}

function verification(story: Story, { say, formats }: Tellers): OrderedStep[] {
  const { verificationStatus, wrongAt, maxAttempts = 0, verifiedAt, expiresAt, updatedAt } = story
  const steps: OrderedStep[] = wrongAt.map((at, index) => {
    const remaining = maxAttempts - index - 1
    return {
      key: `wrong-${index}`,
      order: at,
      at,
      icon: IconX,
      tone: remaining > 0 ? 'doubtful' : 'bad',
      title: say.wrong(formats.number(index + 1), formats.number(maxAttempts)),
      detail: remaining > 0 ? say.remaining(remaining) : say.maxAttempts,
    }
  })
  switch (verificationStatus) {
    case 'verified':
      steps.push({
        key: 'end',
        order: verifiedAt ?? updatedAt,
        at: verifiedAt,
        icon: IconShieldCheck,
        tone: 'good',
        title: say.verified,
      })
      break
    case 'max_attempts':
      // The last wrong code says it.
      break
    case 'replaced':
      steps.push({ key: 'end', order: updatedAt, icon: IconReplace, tone: 'waiting', title: say.replaced })
      break
    default:
      steps.push({
        key: 'end',
        order: expiresAt,
        at: expiresAt,
        icon: IconClock,
        tone: 'waiting',
        title: verificationStatus === 'expired' ? say.expired : say.expires,
      })
  }
  return steps
}

const LEDGER_ICONS = { debit: IconCoin, refund: IconArrowBackUp } as const

const billing = ({ ledger }: Story, { say, formats }: Tellers): OrderedStep[] =>
  ledger.map(({ entryType, amountDelta, balanceAfter, createdAt }) => ({
    key: `ledger-${entryType}`,
    order: createdAt + 0.3,
    at: createdAt,
    icon: LEDGER_ICONS[entryType as keyof typeof LEDGER_ICONS] ?? IconCoin,
    tone: 'plain',
    title: say.ledger[entryType as keyof typeof say.ledger] ?? entryType,
    detail: say.balance(formats.number(Math.abs(amountDelta)), formats.number(balanceAfter)),
  }))

const HOOK_TONES = { pending: 'waiting', delivered: 'good', failed: 'bad' } as const

const webhooks = ({ webhooks }: Story, { say, names }: Tellers, onOpen: (deliveryId: string) => void): OrderedStep[] =>
  webhooks.map(({ deliveryId, eventId, endpointId, type, status, attempts, lastStatus, lastError, createdAt }) => ({
    key: `${eventId}-${endpointId}`,
    order: createdAt + 0.4,
    at: createdAt,
    icon: IconWebhook,
    tone: HOOK_TONES[status],
    title: say.webhook(type),
    detail: (
      <>
        {[say.hook(names.hooks[status], attempts), lastStatus, lastError].filter(Boolean).join(' · ')}{' '}
        <Anchor
          component="button"
          type="button"
          size="sm"
          aria-label={say.detailsOf(type)}
          onClick={() => onOpen(deliveryId)}
        >
          {say.details}
        </Anchor>
      </>
    ),
  }))

const timelineWords = inWords({
  en: {
    issued: 'Code issued',
    handedOver: 'Code handed over by its platform',
    attempt: (number: string, provider: string, channel: string) => `Attempt ${number}: ${provider}, ${channel}`,
    outcome: {
      accepted: 'The carrier accepted the message',
      refused: 'The carrier refused the message',
      ambiguous: 'Unknown whether the carrier accepted the message; it is not sent again',
      interrupted: 'The server was interrupted before the carrier’s answer; it is not sent again',
      waiting: 'Waiting for the carrier’s answer',
    },
    fellBack: (before: string, now: string) => `Fallback from ${before} to ${now}`,
    ended: {
      refused: () => 'Its carriers refused the message',
      failed: () => 'Its carrier reported that it had failed',
      silent: (after: string) => `Not reported as delivered within ${after}`,
    },
    waiting: 'Waiting to be sent',
    waitingReport: 'Waiting for the delivery report',
    noReport: 'No delivery report from the carrier',
    delivered: 'Delivered, as reported by the carrier',
    failed: 'Not delivered',
    deliveredBy: (channel: string) => `Delivered by ${channel}, as reported by the carrier`,
    reportedFailed: (channel: string) => `Not delivered by ${channel}, as reported by the carrier`,
    said: (words: string) => `“${words}”`,
    text: 'The text, with the code and names masked',
    details: 'Payload and headers',
    detailsOf: (type: string) => `Payload and headers of ${type}`,
    wrong: (number: string, most: string) => `Wrong code, ${number} of ${most}`,
    remaining: (count: number) => (count === 1 ? 'One attempt remains' : `${count} attempts remain`),
    verified: 'Verified',
    expired: 'The code expired',
    expires: 'The code expires',
    maxAttempts: 'No attempts remain',
    replaced: 'Replaced: a newer code was issued for the same number and purpose',
    webhook: (type: string) => `Webhook ${type}`,
    hook: (status: string, attempts: number) => `${status}, ${attempts === 1 ? 'one attempt' : `${attempts} attempts`}`,
    ledger: { credit: 'Credited', debit: 'Charged', refund: 'Refunded', clawback: 'Clawed back' },
    balance: (amount: string, balance: string) =>
      `${amount === '1' ? '1 credit' : `${amount} credits`}, balance then ${balance}`,
  },
  ko: {
    issued: '인증번호 발급',
    handedOver: '플랫폼이 인증번호를 보냄',
    attempt: (number, provider, channel) => `${number}차 발송: ${provider}, ${channel}`,
    outcome: {
      accepted: '발송사가 메시지를 접수했습니다',
      refused: '발송사가 메시지를 거절했습니다',
      ambiguous: '발송사의 접수 여부를 알 수 없어 다시 보내지 않습니다',
      interrupted: '발송사의 응답을 받기 전에 서버가 중단되어 다시 보내지 않습니다',
      waiting: '발송사의 응답을 기다리는 중입니다',
    },
    fellBack: (before, now) => `${before} 대신 ${now}(으)로 대체 발송`,
    ended: {
      refused: () => '발송사가 메시지를 거절했습니다',
      failed: () => '발송사가 실패로 보고했습니다',
      silent: (after) => `${after} 안에 도달 보고가 없었습니다`,
    },
    waiting: '발송 대기 중',
    waitingReport: '발송사의 결과 보고를 기다리는 중',
    noReport: '결과 보고 없음: 발송사가 도달 여부를 알려 주지 않았습니다',
    delivered: '도달(발송사 보고)',
    failed: '도달하지 못함',
    deliveredBy: (channel) => `${channel} 도달(발송사 보고)`,
    reportedFailed: (channel) => `${channel} 도달하지 못함(발송사 보고)`,
    said: (words) => `“${words}”`,
    text: '보낸 내용(인증번호와 이름은 가림)',
    details: '페이로드와 헤더',
    detailsOf: (type) => `${type} 페이로드와 헤더`,
    wrong: (number, most) => `틀린 인증번호, ${most}회 중 ${number}회`,
    remaining: (count) => `${count}회 더 시도할 수 있습니다`,
    verified: '인증 완료: 올바른 인증번호가 입력되었습니다',
    expired: '인증번호 만료',
    expires: '인증번호 만료 예정',
    maxAttempts: '더 시도할 수 없습니다',
    replaced: '대체됨: 같은 번호와 용도로 새 인증번호가 발급되었습니다',
    webhook: (type) => `웹훅 ${type}`,
    hook: (status, attempts) => `${status}, ${attempts}회 시도`,
    ledger: { credit: '충전', debit: '차감', refund: '환불', clawback: '회수' },
    balance: (amount, balance) => `${amount} 크레딧, 이후 잔액 ${balance}`,
  },
})
