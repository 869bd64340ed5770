/** The test inbox: test issues with their number and the code that verifies them, and codes of test relays. */
import { Box, Button, Code, Group, Text } from '@mantine/core'
import { IconInbox, IconPlayerPlay } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, paging } from '../api'
import { frameWords } from '../i18n/frame'
import { countryName } from '../i18n/names'
import { useScenarios } from '../i18n/scenarios'
import { inWords, useLanguage, useWords } from '../i18n/words'
import { safetyNetWhileShort } from '../live'
import { CopyButton } from '../parts/copy'
import { DataTable, fromPages } from '../parts/data-table'
import { EmptyState } from '../parts/empty-state'
import { PageHeader } from '../parts/page-header'
import { DeliveryMark, VerificationMark } from '../parts/status'
import { AsWritten, ShortId } from '../parts/text'
import { Time } from '../parts/time'
import { useAppScope } from '../scope'

const words = inWords({
  en: {
    about: 'Codes of test keys and test relays of the last 7 days, live. None of these messages was really sent.',
    to: 'Recipient',
    scenario: 'Scenario',
    relayed: 'From a relay',
    code: 'Code',
    noCode: 'None',
    delivery: 'Delivery',
    verification: 'Verification',
    issued: 'Issued',
    empty: 'Nothing arrived in the last 7 days',
    next: 'Issue a code to a magic number such as 010-0000-0000, here in the console or with a test key.',
    tryIt: 'Try it',
  },
  ko: {
    about:
      '최근 7일 동안 테스트 키와 테스트 릴레이로 받은 인증번호를 실시간으로 보여 줍니다. 실제로 발송된 것은 없습니다.',
    to: '수신 번호와 용도',
    scenario: '시나리오',
    relayed: '릴레이로 받음',
    code: '인증되는 번호',
    noCode: '없음',
    delivery: '전달 상태',
    verification: '인증 상태',
    issued: '발급 시각',
    empty: '최근 7일 동안 수신한 것이 없습니다',
    next: '콘솔이나 테스트 키로 010-0000-0000 같은 매직 번호에 인증번호를 발급해 보세요.',
    tryIt: '시험해 보기',
  },
})

export default function Inbox() {
  const say = useWords(words)
  const common = useWords(frameWords)
  const scenarioOf = useScenarios()
  const language = useLanguage()
  const { appId } = useAppScope()
  const query = useInfiniteQuery(
    api.inbox.list.infiniteOptions({
      input: (after: string | undefined) => ({ appId, after }),
      ...paging,
      refetchInterval: safetyNetWhileShort,
    }),
  )
  const tryIt = (
    <Button component={Link} to="/try-it" leftSection={<IconPlayerPlay size={16} aria-hidden />}>
      {say.tryIt}
    </Button>
  )
  return (
    <>
      <PageHeader title={common.pages.inbox} about={say.about}>
        {tryIt}
      </PageHeader>
      <DataTable
        {...fromPages(query)}
        label={common.pages.inbox}
        keyOf={({ issueId }) => issueId}
        linkOf={({ issueId }) => ({ to: '/issues/$issueId', params: { issueId } })}
        columns={[
          {
            key: 'to',
            header: say.to,
            cell: ({ phoneNumber, issueId, purpose, isMessageAlone, country }) => (
              <Box maw="12rem">
                <Text size="sm">
                  {isMessageAlone && country !== undefined
                    ? countryName(country, language)
                    : (phoneNumber ?? <ShortId id={issueId} />)}
                </Text>
                <AsWritten size="xs" c="dimmed" visibleFrom="sm">
                  {purpose}
                </AsWritten>
              </Box>
            ),
            isUnbroken: true,
          },
          {
            key: 'scenario',
            header: say.scenario,
            cell: ({ scenario, isMessageAlone }) => {
              if (isMessageAlone) return say.relayed
              if (scenario === undefined) return common.none
              const { name, about } = scenarioOf(scenario)
              return (
                <Box miw="10rem" maw="26rem">
                  <Text size="sm">{name}</Text>
                  <Text size="xs" c="dimmed" visibleFrom="sm">
                    {about}
                  </Text>
                </Box>
              )
            },
          },
          {
            key: 'code',
            header: say.code,
            cell: ({ code }) =>
              code === undefined ? (
                <Text size="sm">{say.noCode}</Text>
              ) : (
                <Group gap={4} wrap="nowrap">
                  <Code>{code}</Code>
                  <CopyButton value={code} what={say.code} />
                </Group>
              ),
          },
          {
            key: 'delivery',
            header: say.delivery,
            cell: (issue) => <DeliveryMark status={issue.deliveryStatus} isAmbiguous={issue.isAmbiguous} />,
          },
          {
            key: 'verification',
            header: say.verification,
            cell: (issue) => <VerificationMark of={issue} />,
          },
          { key: 'issued', header: say.issued, cell: ({ createdAt }) => <Time at={createdAt} relative /> },
        ]}
        empty={
          <EmptyState icon={IconInbox} title={say.empty} next={say.next}>
            {tryIt}
          </EmptyState>
        }
      />
    </>
  )
}
