import { Button, Group, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Role } from '../../../../domain/role'
import { api, queries } from '../../api'
import { frameWords } from '../../i18n/frame'
import { inWords, useWords } from '../../i18n/words'
import { ProblemNote } from '../../parts/problem-note'
import { tellDone } from '../../parts/tell'
import { RoleChoice } from './role-choice'

const words = inWords({
  en: {
    role: (name: string) => `What may ${name} do?`,
    change: 'Change role',
    changed: (name: string) => `The role of ${name} is changed.`,
  },
  ko: {
    role: (name) => `${name} 님에게 어떤 역할을 부여할까요?`,
    change: '역할 변경',
    changed: (name) => `${name} 님의 역할을 변경했습니다.`,
  },
})

export interface ChangeRoleProps {
  operator: { operatorId: string; name: string; role: Role }
  onClose(): void
}

export function ChangeRole({ operator, onClose }: ChangeRoleProps) {
  const say = useWords(words)
  const common = useWords(frameWords)
  const { operatorId, name } = operator
  const [role, setRole] = useState<Role>(operator.role)
  const change = useMutation(
    api.operators.changeRole.mutationOptions({
      onSuccess() {
        queries.invalidateQueries({ queryKey: api.operators.key() })
        // It may have been one's own.
        queries.invalidateQueries({ queryKey: api.session.current.key() })
        tellDone(say.changed(name))
        onClose()
      },
    }),
  )
  return (
    <Stack>
      <RoleChoice label={say.role(name)} role={role} onChoose={setRole} />
      {change.isError && <ProblemNote failure={change.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button
          onClick={() => change.mutate({ operatorId, role })}
          loading={change.isPending}
          disabled={role === operator.role}
        >
          {say.change}
        </Button>
      </Group>
    </Stack>
  )
}
