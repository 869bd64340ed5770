/** One issue: its state and its timeline. */
import { Anchor, Button, Grid, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { modals } from '@mantine/modals'
import { IconArrowBackUp, IconArrowLeft, IconLockOpen, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { CODE } from '../../../domain/delivery/delivery'
import { isShownReviewed } from '../../../domain/verification/review-number'
import { api, queries } from '../api'
import { useFormats } from '../i18n/format'
import { frameWords } from '../i18n/frame'
import { statusWords } from '../i18n/names'
import { inWords, useWords } from '../i18n/words'
import { safetyNet } from '../live'
import { Loading } from '../parts/empty-state'
import { PageHeader } from '../parts/page-header'
import { ProblemNote } from '../parts/problem-note'
import { DeliveryMark, Mark, VerificationMark } from '../parts/status'
import { tellDone, tellProblem } from '../parts/tell'
import { FilterLink } from '../parts/text'
import { useApps } from '../scope'
import { useMay } from '../session'
import { ForCustomer } from './issue/customer'
import { IssueFacts } from './issue/facts'
import { isAtCarrier, isReportOver, type Story } from './issue/story'
import { IssueTimeline } from './issue/timeline'
import { openPhone } from './protection/phones'
import type { IssueFilters } from './search-params'

const words = inWords({
  en: {
    title: (purpose: string) => `Issue for “${purpose}”`,
    relayed: (relay: string) => `Message of the relay “${relay}”`,
    unknown: 'Issue',
    back: 'All issues',
    backToRelays: 'All relays',
    timeline: 'Timeline',
    facts: 'Details',
    review: 'Review number',
    glance: {
      review: 'The code is the fixed one of a review number. No message was sent.',
      verified: 'The message was delivered and the code was verified.',
      verifiedUndelivered: 'The code was verified.',
      relayedDelivered: 'The message was delivered. The platform that made the code verifies it.',
      relayedFailed: 'The message was not delivered. The timeline says why.',
      waitingDelivered: 'The message was delivered; the code is not verified yet.',
      waitingSent: 'A carrier accepted the message and has not sent a delivery report yet.',
      noReport: 'A carrier accepted the message, but it sends no delivery reports.',
      waitingQueued: 'The message has not been sent yet.',
      waitingCarrier: 'A carrier has been asked to send the message, and has not answered yet.',
      interrupted:
        'The server was interrupted while it sent the message. Whether it was sent is unknown; it is not sent again, to avoid a duplicate.',
      ambiguous: 'The carrier did not say whether it accepted the message. It is not sent again, to avoid a duplicate.',
      failed: 'The message was not delivered. The timeline says why; a new code can be issued.',
      expiredDelivered: 'The message was delivered, but the code was not verified in time.',
      expired: 'The code expired before it was verified.',
      max_attempts: 'Wrong codes used up all attempts. A new code can be issued.',
      replaced: 'A newer code was issued for the same number and purpose; only the newer one is valid.',
    },
  },
  ko: {
    title: (purpose) => `“${purpose}” 발급 건`,
    relayed: (relay) => `“${relay}” 릴레이 메시지`,
    unknown: '발급 건',
    back: '전체 발급 내역',
    backToRelays: '전체 릴레이',
    timeline: '타임라인',
    facts: '상세 정보',
    review: '심사용 번호',
    glance: {
      review: '심사용 번호의 고정 인증번호입니다. 메시지는 발송되지 않았습니다.',
      verified: '인증번호가 도달했고 올바르게 입력되었습니다.',
      verifiedUndelivered: '올바른 인증번호가 입력되었습니다.',
      relayedDelivered: '메시지가 도달했습니다. 인증번호는 그것을 만든 플랫폼이 확인합니다.',
      relayedFailed: '메시지가 도달하지 못했습니다. 원인은 타임라인에서 확인하세요.',
      waitingDelivered: '메시지가 도달했고 아직 인증번호가 입력되지 않았습니다.',
      waitingSent: '발송사가 메시지를 접수했고 아직 결과를 보고하지 않았습니다.',
      noReport: '발송사가 메시지를 접수했지만 도달 여부는 보고하지 않습니다.',
      waitingQueued: '아직 메시지를 보내지 않았습니다.',
      waitingCarrier: '발송사에 발송을 요청했고 아직 응답이 없습니다.',
      interrupted:
        '메시지를 보내던 서버가 중단되어 발송 여부를 알 수 없습니다. 중복 발송을 막기 위해 다시 보내지 않습니다.',
      ambiguous: '발송사의 접수 여부를 알 수 없습니다. 중복 발송을 막기 위해 다시 보내지 않습니다.',
      failed: '메시지가 도달하지 못했습니다. 원인은 타임라인에서 확인하고, 새 인증번호를 발급할 수 있습니다.',
      expiredDelivered: '메시지는 도달했지만 시간 안에 인증번호가 입력되지 않았습니다.',
      expired: '올바른 인증번호가 입력되기 전에 만료되었습니다.',
      max_attempts: '틀린 인증번호로 시도 횟수를 모두 썼습니다. 새 인증번호를 발급할 수 있습니다.',
      replaced: '같은 번호와 용도로 새 인증번호가 발급되어 새 번호만 유효합니다.',
    },
  },
})

export default function Issue() {
  const say = useWords(words)
  const { issueId } = useParams({ from: '/inside/issues/$issueId' })
  const filters = useSearch({ from: '/inside/issues/$issueId' })
  const { data, error } = useQuery(
    api.issues.story.queryOptions({
      input: { issueId },
      refetchInterval: safetyNet,
    }),
  )
  return (
    <>
      <Anchor
        component={Link}
        {...(data?.isMessageAlone ? { to: '/relays' } : { to: '/issues', search: filters })}
        size="sm"
        display="inline-block"
        mb="sm"
      >
        <Group gap={4} component="span">
          <IconArrowLeft size={16} aria-hidden /> {data?.isMessageAlone ? say.backToRelays : say.back}
        </Group>
      </Anchor>
      {data ? (
        <IssueStory story={data} />
      ) : error ? (
        <>
          <PageHeader title={say.unknown} />
          <ProblemNote failure={error}>
            <Button component={Link} to="/issues" search={filters} variant="default" size="xs">
              {say.back}
            </Button>
          </ProblemNote>
        </>
      ) : (
        <Loading />
      )}
    </>
  )
}

function IssueStory({ story }: { story: Story }) {
  const say = useWords(words)
  const common = useWords(frameWords)
  const names = useWords(statusWords)
  const { appId, mode, billingStatus, price, outcomeCode: providerOutcomeCode } = story
  const filteredBy = (filters: IssueFilters) => ({ to: '/issues', search: { ...filters, app: appId, mode } }) as const
  return (
    <>
      <PageHeader
        title={(story.isMessageAlone ? say.relayed : say.title)(story.purpose)}
        about={say.glance[glance(story)]}
      >
        <RefundButton story={story} />
        <PhoneButtons story={story} />
      </PageHeader>
      <Group gap="xs" mb="lg" role="status">
        {story.isMessageAlone ? (
          <VerificationMark of={story} />
        ) : (
          <FilterLink {...filteredBy({ status: story.verificationStatus })}>
            <VerificationMark of={story} />
          </FilterLink>
        )}
        <FilterLink {...filteredBy({ delivery: story.deliveryStatus })}>
          <DeliveryMark status={story.deliveryStatus} isAmbiguous={story.isAmbiguous} />
        </FilterLink>
        {mode === 'live' ? (
          <Mark color="gray">{names.billing[billingStatus as keyof typeof names.billing] ?? billingStatus}</Mark>
        ) : (
          <Mark color="orange">{common.test}</Mark>
        )}
        {isShownReviewed({ price, providerOutcomeCode }) && <Mark color="orange">{say.review}</Mark>}
      </Group>
      <Grid>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Paper withBorder p="md">
            <Title order={2} mb="md">
              {say.timeline}
            </Title>
            <IssueTimeline story={story} label={say.timeline} />
          </Paper>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack>
            <ForCustomer story={story} />
            <Paper withBorder p="md">
              <Title order={2} mb="md">
                {say.facts}
              </Title>
              <IssueFacts story={story} />
            </Paper>
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  )
}

function glance(story: Story): keyof (typeof words)['en']['glance'] {
  const { verificationStatus, deliveryStatus, isAmbiguous, outcomeCode, price, isMessageAlone } = story
  if (isShownReviewed({ price, providerOutcomeCode: outcomeCode })) return 'review'
  const isDelivered = deliveryStatus === 'delivered'
  if (!isMessageAlone && verificationStatus === 'verified') return isDelivered ? 'verified' : 'verifiedUndelivered'
  if (!isMessageAlone && (verificationStatus === 'max_attempts' || verificationStatus === 'replaced'))
    return verificationStatus
  if (isAmbiguous) return outcomeCode === CODE.interrupted ? 'interrupted' : 'ambiguous'
  if (deliveryStatus === 'failed') return isMessageAlone ? 'relayedFailed' : 'failed'
  if (verificationStatus === 'expired' && !isMessageAlone) return isDelivered ? 'expiredDelivered' : 'expired'
  if (isDelivered) return isMessageAlone ? 'relayedDelivered' : 'waitingDelivered'
  if (deliveryStatus === 'queued') return isAtCarrier(story) ? 'waitingCarrier' : 'waitingQueued'
  return isReportOver(story) ? 'noReport' : 'waitingSent'
}

const phoneWords = inWords({
  en: { unlock: 'Unlock the phone', erase: 'Erase the phone' },
  ko: { unlock: '전화번호 잠금 해제', erase: '전화번호 데이터 삭제' },
})

/** No number is stored, so both ask for it. */
function PhoneButtons({ story: { appId, mode, isMessageAlone } }: { story: Story }) {
  const say = useWords(phoneWords)
  const may = useMay()
  const app = useApps().find((one) => one.appId === appId)
  if (mode !== 'live') return null
  return (
    <>
      {app && !isMessageAlone && may('find') && (
        <Button variant="default" leftSection={<IconLockOpen size={16} aria-hidden />} onClick={() => openPhone(app)}>
          {say.unlock}
        </Button>
      )}
      {may('privacy') && (
        <Button
          component={Link}
          to="/privacy"
          variant="light"
          color="red"
          leftSection={<IconTrash size={16} aria-hidden />}
        >
          {say.erase}
        </Button>
      )}
    </>
  )
}

const refundWords = inWords({
  en: {
    refund: 'Refund',
    title: 'Refund this issue?',
    means: (credits: string) =>
      `The price of ${credits} is refunded to the wallet of the app and recorded in its ledger. An issue can be refunded once; the entry cannot be removed.`,
    done: (credits: string) => `Refunded to the wallet: ${credits}.`,
  },
  ko: {
    refund: '환불',
    title: '이 발급 건을 환불할까요?',
    means: (credits) =>
      `${credits} 크레딧을 앱 지갑으로 돌려주고 원장에 기록합니다. 발급 건마다 한 번만 환불할 수 있으며 기록은 지울 수 없습니다.`,
    done: (credits) => `${credits} 크레딧을 환불했습니다.`,
  },
})

/** Refunds a charged issue. */
function RefundButton({ story: { appId, issueId, mode, billingStatus, price, ledger } }: { story: Story }) {
  const say = useWords(refundWords)
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
