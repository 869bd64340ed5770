import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, client } from '../api'
import { frameWords } from '../i18n/frame'
import { roleWords } from '../i18n/roles'
import { inWords, useWords } from '../i18n/words'
import { Loading } from '../parts/empty-state'
import { PageHeader } from '../parts/page-header'
import { ProblemNote } from '../parts/problem-note'
import { isUsedLink, PersonForm, UsedLink, useLinkToken } from './entering/person-form'

const words = inWords({
  en: {
    title: 'You are invited',
    by: (name: string) => `${name === 'cli' ? 'The operator of the server' : name} invites you to this Watchword.`,
    role: 'Your role',
    action: 'Accept and sign in',
  },
  ko: {
    title: '초대를 받았습니다',
    by: (name) => `${name === 'cli' ? '서버 운영자가' : `${name} 님이`} Watchword에 초대했습니다.`,
    role: '역할',
    action: '수락하고 로그인',
  },
})

export default function Invitation() {
  const say = useWords(words)
  const token = useLinkToken()
  return (
    <>
      <PageHeader title={say.title} />
      {token === undefined ? <UsedLink /> : <Invited token={token} />}
    </>
  )
}

function Invited({ token }: { token: string }) {
  const say = useWords(words)
  const common = useWords(frameWords)
  const roles = useWords(roleWords)
  // Accepting uses up the invitation, so the answer is kept and never refetched.
  const invitation = useQuery(
    api.session.invitation.queryOptions({ input: { token }, staleTime: Number.POSITIVE_INFINITY }),
  )
  if (isUsedLink(invitation.error)) return <UsedLink />
  if (invitation.isError)
    return (
      <ProblemNote failure={invitation.error}>
        <Button variant="default" size="xs" onClick={() => invitation.refetch()}>
          {common.retry}
        </Button>
      </ProblemNote>
    )
  if (!invitation.data) return <Loading />
  const { role, invitedBy } = invitation.data
  return (
    <Stack>
      <Stack gap={6}>
        <Text size="sm">{say.by(invitedBy)}</Text>
        <Group gap="xs">
          <Text size="sm">{say.role}</Text>
          <Badge variant="light">{roles.names[role]}</Badge>
        </Group>
        <Text size="sm" c="dimmed">
          {roles.about[role]}
        </Text>
      </Stack>
      <PersonForm action={say.action} make={(person) => client.session.accept({ token, ...person })} />
    </Stack>
  )
}
