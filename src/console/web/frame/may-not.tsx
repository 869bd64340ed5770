/** Replaces a page that the role does not allow: describes the page and names operators who may open it. */
import { Anchor, Button, Stack, Text } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { may, type Role } from '../../../domain/access/operator'
import { api } from '../api'
import { frameWords } from '../i18n/frame'
import { roleWords, useWhoMay } from '../i18n/roles'
import { inWords, useWords } from '../i18n/words'
import { EmptyState } from '../parts/empty-state'
import { PageHeader } from '../parts/page-header'
import { useApps } from '../scope'
import { useSession } from '../session'

const words = inWords({
  en: {
    about: {
      try: 'Issue test codes and verify them, by the same rules as with a test key.',
      templates: 'Write what messages say.',
      webhooks: 'Add webhook endpoints and change their settings.',
      audit: 'Every change by an operator: actor, action, time and IP address.',
      privacy: 'Export or erase what is stored of one phone.',
    },
    title: 'Not part of your role',
    who: (yours: string, theirs: string) => `You are signed in as ${yours}. This page is for the role ${theirs}.`,
    ask: 'These people can help:',
    askOwner: 'Ask an owner.',
    installation: 'Not part of your apps',
    yours: (apps: string) => `This page is about all apps of this server. You see ${apps} only.`,
    home: 'To the overview',
  },
  ko: {
    about: {
      try: '테스트 키와 같은 규칙으로 테스트 인증번호를 발급하고 확인합니다.',
      templates: '메시지 문구를 작성합니다.',
      webhooks: '웹훅 엔드포인트를 추가하고 설정을 변경합니다.',
      audit: '누가, 언제, 어디서, 무엇을 변경했는지 모두 확인합니다.',
      privacy: '전화번호 하나에 저장된 정보를 내보내거나 삭제합니다.',
    },
    title: '현재 역할로는 열 수 없습니다',
    who: (yours, theirs) => `현재 역할은 ${yours}입니다. 이 페이지는 ${theirs} 역할만 열 수 있습니다.`,
    ask: '다음 사람에게 요청하세요.',
    askOwner: '소유자에게 요청하세요.',
    installation: '일부 앱만 볼 수 있는 계정입니다',
    yours: (apps) => `이 페이지는 서버의 모든 앱에 관한 것입니다. 볼 수 있는 앱: ${apps}.`,
    home: '개요로 가기',
  },
})

/** Permissions that guard a page. */
export type GuardedBy = keyof (typeof words)['en']['about']

const PAGE = { try: 'tryIt', templates: 'templates', webhooks: 'webhooks', audit: 'audit', privacy: 'privacy' } as const

/** A longer list would have to be searched. */
const MOST_PEOPLE = 3

export function MayNot({ needs }: { needs: GuardedBy }) {
  const say = useWords(words)
  const common = useWords(frameWords)
  const roles = useWords(roleWords)
  const whoMay = useWhoMay()
  const { operator } = useSession()
  return (
    <>
      <PageHeader title={common.pages[PAGE[needs]]} about={say.about[needs]} />
      <AskThem
        title={say.title}
        why={operator && say.who(roles.names[operator.role], whoMay(needs))}
        helps={(role) => may(role, needs)}
      />
    </>
  )
}

/** Names of the pages that are about the whole installation. */
export type PageOfInstallation = 'providers' | 'operators' | 'system'

export function NotYourApps({ page }: { page: PageOfInstallation }) {
  const say = useWords(words)
  const common = useWords(frameWords)
  const apps = useApps()
  return (
    <>
      <PageHeader title={common.pages[page]} />
      <AskThem
        title={say.installation}
        why={say.yours(apps.map(({ name }) => name).join(', '))}
        helps={(role) => role === 'owner'}
      />
    </>
  )
}

interface AskThemProps {
  title: string
  why: string | undefined
  helps(role: Role): boolean
}

function AskThem({ title, why, helps }: AskThemProps) {
  const say = useWords(words)
  const { data } = useQuery(api.operators.list.queryOptions())
  const people = (data?.operators ?? []).filter(({ role }) => helps(role)).slice(0, MOST_PEOPLE)
  return (
    <EmptyState
      icon={IconLock}
      title={title}
      next={
        <Stack gap={4} align="center">
          {why && <Text inherit>{why}</Text>}
          <Text inherit>{people.length > 0 ? say.ask : say.askOwner}</Text>
          {people.map(({ operatorId, name, email }) => (
            <Text key={operatorId} inherit>
              {name} ·{' '}
              <Anchor href={`mailto:${email}`} inherit>
                {email}
              </Anchor>
            </Text>
          ))}
        </Stack>
      }
    >
      <Button component={Link} to="/" variant="default">
        {say.home}
      </Button>
    </EmptyState>
  )
}
