import { client } from '../../api'
import { inWords, useWords } from '../../i18n/words'
import { Form, useServerForm } from '../../parts/form'
import { NewPasswordField, PasswordField, useNewPassword } from '../../parts/password-field'
import { Section } from '../../parts/section'
import { tellDone } from '../../parts/tell'

const words = inWords({
  en: {
    title: 'Password',
    about: 'Changing it signs you out on every other device.',
    current: 'Current password',
    next: 'New password',
    change: 'Change password',
    changed: 'Your password is changed.',
    needsCurrent: 'Enter your current password.',
  },
  ko: {
    title: '비밀번호',
    about: '비밀번호를 변경하면 다른 모든 기기에서 로그아웃됩니다.',
    current: '현재 비밀번호',
    next: '새 비밀번호',
    change: '비밀번호 변경',
    changed: '비밀번호를 변경했습니다.',
    needsCurrent: '현재 비밀번호를 입력하세요.',
  },
})

export function ChangePassword() {
  const say = useWords(words)
  const passwordProblem = useNewPassword()
  const form = useServerForm({
    initialValues: { current: '', password: '' },
    validate: { current: (current) => (current === '' ? say.needsCurrent : undefined), password: passwordProblem },
    send: client.session.changePassword,
    onDone() {
      form.reset()
      tellDone(say.changed)
    },
  })
  return (
    <Section title={say.title} about={say.about}>
      <Form form={form} action={say.change}>
        <PasswordField label={say.current} maxLength={256} {...form.field('current')} />
        <NewPasswordField label={say.next} maxLength={256} {...form.field('password')} />
      </Form>
    </Section>
  )
}
