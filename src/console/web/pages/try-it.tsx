/** Issues and verifies a test code, step by step, as an app would. */
import { Anchor, Button, Grid, Group, Paper, Stack, Text, Title } from '@mantine/core'
import {
  IconBook,
  IconCheck,
  IconHourglass,
  IconMailOff,
  IconMessagePlus,
  IconPlayerPlay,
  IconSend,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, client, queries } from '../api'
import { curl, freshName, KEY_PLACEHOLDER } from '../command'
import { frameWords } from '../i18n/frame'
import { statusWords } from '../i18n/names'
import { inWords, useWords } from '../i18n/words'
import { safetyNet } from '../live'
import { CopyBlock } from '../parts/copy'
import { EmptyState } from '../parts/empty-state'
import { useServerForm } from '../parts/form'
import { PageHeader } from '../parts/page-header'
import { ProblemNote } from '../parts/problem-note'
import { VerificationMark } from '../parts/status'
import { Steps, type StepView } from '../parts/steps'
import { RowLink } from '../parts/text'
import { useAppScope } from '../scope'
import { reportedAt, type Story } from './issue/story'
import { FIRST_ORDER, OrderForm, scenarioOfNumber, type TryItRequest, VerifyForm } from './try-it/forms'

const words = inWords({
  en: {
    about:
      'Issue a test code and verify it, by the same rules as with a test key. Nothing is sent, nothing is charged.',
    issue: '1. Issue',
    watch: '2. Watch the delivery, and verify',
    waiting: 'Nothing issued yet',
    waitingNext: 'Choose a scenario and issue. The delivery appears here, second by second.',
    refusedAsPlayed: 'This scenario simulates the refusal: your app gets this answer.',
    details: 'Show the whole timeline',
    terminal: 'The same in a terminal',
    terminalAbout: 'Replace the placeholder with your own secret test key.',
    issueCommand: 'Issue',
    verifyCommand: 'Verify, with the issueId of the answer',
    makeKey: 'Create an API key',
    docs: 'Read the API reference',
  },
  ko: {
    about: '테스트 키와 같은 규칙으로 인증번호를 발급하고 확인합니다. 발송도 차감도 없습니다.',
    issue: '1. 발급',
    watch: '2. 도달 확인과 인증',
    waiting: '아직 발급하지 않았습니다',
    waitingNext: '시나리오를 고르고 발급하세요. 발송 과정이 초 단위로 여기에 표시됩니다.',
    refusedAsPlayed: '이 시나리오에서 의도된 결과입니다. 앱도 이 응답을 받습니다.',
    details: '전체 타임라인 보기',
    terminal: '터미널에서 똑같이 하기',
    terminalAbout: '자리 표시자를 직접 만든 비밀 테스트 키로 바꾸세요.',
    issueCommand: '발급',
    verifyCommand: '확인(응답의 issueId 사용)',
    makeKey: 'API 키 만들기',
    docs: 'API 문서 읽기',
  },
})

export default function TryIt() {
  const say = useWords(words)
  const common = useWords(frameWords)
  return (
    <>
      <PageHeader title={common.pages.tryIt} about={say.about}>
        <Button
          component="a"
          href="/docs"
          target="_blank"
          variant="default"
          leftSection={<IconBook size={16} aria-hidden />}
        >
          {say.docs}
        </Button>
      </PageHeader>
      <Trial />
    </>
  )
}

/** Scenarios in this range are refused. */
const isRefusal = (scenario: number | undefined) => scenario !== undefined && scenario >= 6 && scenario <= 9

function Trial() {
  const say = useWords(words)
  const { appId } = useAppScope()
  const form = useServerForm({
    initialValues: FIRST_ORDER,
    send: (order) => client.inbox.tryIt({ appId, ...order }),
    onDone() {
      queries.invalidateQueries({ queryKey: api.issues.list.key() })
      queries.invalidateQueries({ queryKey: api.inbox.key() })
    },
  })
  const issueId = form.answer?.issueId
  const refused = isRefusal(scenarioOfNumber(form.sent?.phoneNumber ?? ''))
  return (
    <Stack gap="lg">
      <Grid>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Paper withBorder p="md" h="100%">
            <Title order={2} mb="md">
              {say.issue}
            </Title>
            <OrderForm form={form} />
          </Paper>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Paper withBorder p="md" h="100%">
            <Title order={2} mb="md">
              {say.watch}
            </Title>
            {issueId !== undefined ? (
              <Watched key={issueId} appId={appId} issueId={issueId} />
            ) : form.failure ? (
              <ProblemNote failure={form.failure}>
                {refused && <Text size="sm">{say.refusedAsPlayed}</Text>}
              </ProblemNote>
            ) : (
              <EmptyState icon={IconPlayerPlay} title={say.waiting} next={say.waitingNext} />
            )}
          </Paper>
        </Grid.Col>
      </Grid>
      <InTerminal order={form.values} issueId={issueId} />
    </Stack>
  )
}

function Watched({ appId, issueId }: { appId: string; issueId: string }) {
  const say = useWords(words)
  const { data: story, error } = useQuery(
    api.issues.story.queryOptions({ input: { issueId }, refetchInterval: safetyNet }),
  )
  return (
    <Stack>
      <VerifyForm appId={appId} issueId={issueId} />
      {story && (
        <>
          <Delivery story={story} />
          <Group justify="space-between">
            <VerificationMark of={story} />
            <Text size="sm">
              <RowLink to="/issues/$issueId" params={{ issueId }}>
                {say.details}
              </RowLink>
            </Text>
          </Group>
        </>
      )}
      {error && !story && <ProblemNote failure={error} />}
    </Stack>
  )
}

function InTerminal({ order, issueId }: { order: TryItRequest; issueId: string | undefined }) {
  const say = useWords(words)
  const [idempotencyKey] = useState(() => freshName('try'))
  return (
    <Paper withBorder p="md">
      <Title order={2} mb={4}>
        {say.terminal}
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        {say.terminalAbout}{' '}
        <Anchor component={Link} to="/keys" size="sm" underline="always">
          {say.makeKey}
        </Anchor>
      </Text>
      <Stack>
        <CopyBlock
          label={say.issueCommand}
          value={curl({ path: '/issue', key: KEY_PLACEHOLDER, idempotencyKey, body: order })}
        />
        <CopyBlock
          label={say.verifyCommand}
          value={curl({ path: '/verify', key: KEY_PLACEHOLDER, body: { issueId: issueId ?? '…', code: '000000' } })}
        />
      </Stack>
    </Paper>
  )
}

const deliveryWords = inWords({
  en: {
    steps: 'Delivery',
    issued: 'Issued',
    queued: 'Queued for the carrier',
    calling: (provider: string, channel: string) => `Sending to ${provider} as ${channel}`,
    sent: (provider: string, channel: string) => `Sent by ${provider} as ${channel}`,
    ambiguous: (provider: string) => `${provider} did not say whether it accepted the message`,
    refused: (provider: string) => `${provider} refused the message`,
    report: 'Waiting for the delivery report',
    delivered: 'Delivered',
    failed: 'Not delivered',
  },
  ko: {
    steps: '발송 과정',
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

/** The delivery of a code just issued, step by step as it happens. */
function Delivery({ story }: { story: Story }) {
  const say = useWords(deliveryWords)
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

/** When the delivery ended. The state is kept, because it is visible only until the code is verified. */
function useEnd(story: Story): number | undefined {
  const { deliveryStatus } = story
  const now = deliveryStatus === 'delivered' || deliveryStatus === 'failed' ? reportedAt(story) : undefined
  const [seen, setSeen] = useState(now)
  if (seen === undefined && now !== undefined) setSeen(now)
  return seen
}
