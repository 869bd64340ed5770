import { Text } from '@mantine/core'
import { api, client, queries } from '../../api'
import { inWords, useWords } from '../../i18n/words'
import { Form, useServerForm } from '../../parts/form'
import { PasswordField } from '../../parts/password-field'
import { tellDone } from '../../parts/tell'

const words = inWords({
  en: {
    about: 'From then on, your password alone lets you in.',
    password: 'Current password',
    needsPassword: 'Enter your current password.',
    remove: 'Remove',
    done: 'Signing in asks for no code any more.',
  },
  ko: {
    about: '해제하면 비밀번호만으로 로그인합니다.',
    password: '현재 비밀번호',
    needsPassword: '현재 비밀번호를 입력하세요.',
    remove: '해제',
    done: '이제 로그인할 때 인증 앱 코드를 묻지 않습니다.',
  },
})

export function TotpOff({ onClose }: { onClose(): void }) {
  const say = useWords(words)
  const form = useServerForm({
    initialValues: { current: '' },
    validate: { current: (current) => (current === '' ? say.needsPassword : undefined) },
    send: client.session.totpRemove,
    async onDone() {
      await queries.invalidateQueries({ queryKey: api.session.current.key() })
      queries.invalidateQueries({ queryKey: api.operators.key() })
      tellDone(say.done)
      onClose()
    },
  })
  return (
    <Form form={form} action={say.remove} color="red" onCancel={onClose}>
      <Text size="sm">{say.about}</Text>
      <PasswordField label={say.password} maxLength={256} data-autofocus {...form.field('current')} />
    </Form>
  )
}
