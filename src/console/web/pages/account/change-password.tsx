import { Button, Group, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { api } from '../../api'
import { inWords, useWords } from '../../i18n/words'
import { refuseField, toFirstProblem } from '../../parts/field-problem'
import { NewPasswordField, PasswordField, useNewPassword } from '../../parts/password-field'
import { ProblemNote } from '../../parts/problem-note'
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
  const form = useForm({
    initialValues: { current: '', password: '' },
    validate: { current: (current) => (current === '' ? say.needsCurrent : undefined), password: passwordProblem },
  })
  const change = useMutation(
    api.session.changePassword.mutationOptions({
      onSuccess() {
        form.reset()
        tellDone(say.changed)
      },
      onError(failure) {
        if (refuseField(form, failure)) change.reset()
      },
    }),
  )
  return (
    <Section title={say.title} about={say.about}>
      <form onSubmit={form.onSubmit((values) => change.mutate(values), toFirstProblem)} noValidate>
        <Stack>
          <PasswordField label={say.current} maxLength={256} {...form.getInputProps('current')} />
          <NewPasswordField label={say.next} maxLength={256} {...form.getInputProps('password')} />
          {change.isError && <ProblemNote failure={change.error} />}
          <Group>
            <Button type="submit" loading={change.isPending}>
              {say.change}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}
