/** Chooses a role, then shows the link, once. */
import { Text } from '@mantine/core'
import type { Role } from '../../../../domain/access/role'
import { api, client, queries } from '../../api'
import { useFormats } from '../../i18n/format'
import { inWords, useWords } from '../../i18n/words'
import { SecretOnce } from '../../parts/copy'
import { Form, useServerForm } from '../../parts/form'
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
  const formats = useFormats()
  const form = useServerForm({
    initialValues: { role: 'developer' as Role },
    send: client.operators.invite,
    onDone: () => queries.invalidateQueries({ queryKey: api.operators.key() }),
  })
  if (form.answer)
    return (
      <SecretOnce secret={form.answer.url} label={say.link} onDone={onClose}>
        <Text size="sm">{say.until(formats.time(form.answer.expiresAt))}</Text>
      </SecretOnce>
    )
  return (
    <Form form={form} action={say.make} onCancel={onClose}>
      <RoleChoice label={say.role} {...form.plainField('role')} />
    </Form>
  )
}
