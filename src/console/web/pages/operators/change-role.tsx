import type { Role } from '../../../../domain/access/role'
import { api, client, queries } from '../../api'
import { inWords, useWords } from '../../i18n/words'
import { Form, useServerForm } from '../../parts/form'
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
  const { operatorId, name } = operator
  const form = useServerForm({
    initialValues: { role: operator.role },
    send: ({ role }) => client.operators.changeRole({ operatorId, role }),
    onDone() {
      queries.invalidateQueries({ queryKey: api.operators.key() })
      // It may have been one's own.
      queries.invalidateQueries({ queryKey: api.session.current.key() })
      tellDone(say.changed(name))
      onClose()
    },
  })
  return (
    <Form form={form} action={say.change} disabled={form.values.role === operator.role} onCancel={onClose}>
      <RoleChoice label={say.role(name)} {...form.plainField('role')} />
    </Form>
  )
}
