/** Chooses a role, then shows the link, once. */
import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Role } from '../../../../domain/role'
import { api, queries } from '../../api'
import { useFormats } from '../../i18n/format'
import { frameWords } from '../../i18n/frame'
import { inWords, useWords } from '../../i18n/words'
import { SecretOnce } from '../../parts/copy'
import { ProblemNote } from '../../parts/problem-note'
import { RoleChoice } from './role-choice'

const words = inWords({
  en: {
    role: 'What may they do?',
    make: 'Make a link',
    link: 'Invitation link',
    until: (time: string) => `Send it to them. It works once, until ${time}.`,
  },
  ko: {
    role: '어떤 역할을 부여할까요?',
    make: '링크 만들기',
    link: '초대 링크',
    until: (time) => `초대할 사람에게 보내세요. ${time}까지 한 번만 사용할 수 있습니다.`,
  },
})

export function Invite({ onClose }: { onClose(): void }) {
  const say = useWords(words)
  const common = useWords(frameWords)
  const formats = useFormats()
  const [role, setRole] = useState<Role>('developer')
  const invite = useMutation(
    api.operators.invite.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: api.operators.key() }),
    }),
  )
  if (invite.data)
    return (
      <SecretOnce secret={invite.data.url} label={say.link} onDone={onClose}>
        <Text size="sm">{say.until(formats.time(invite.data.expiresAt))}</Text>
      </SecretOnce>
    )
  return (
    <Stack>
      <RoleChoice label={say.role} role={role} onChoose={setRole} />
      {invite.isError && <ProblemNote failure={invite.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button onClick={() => invite.mutate({ role })} loading={invite.isPending}>
          {say.make}
        </Button>
      </Group>
    </Stack>
  )
}
