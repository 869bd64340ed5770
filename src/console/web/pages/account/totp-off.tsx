import { Button, Group, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { api, queries } from '../../api'
import { frameWords } from '../../i18n/frame'
import { inWords, useWords } from '../../i18n/words'
import { refuseField, toFirstProblem } from '../../parts/field-problem'
import { PasswordField } from '../../parts/password-field'
import { ProblemNote } from '../../parts/problem-note'
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
  const common = useWords(frameWords)
  const form = useForm({
    initialValues: { current: '' },
    validate: { current: (current) => (current === '' ? say.needsPassword : undefined) },
  })
  const remove = useMutation(
    api.session.totpRemove.mutationOptions({
      async onSuccess() {
        await queries.invalidateQueries({ queryKey: api.session.current.key() })
        queries.invalidateQueries({ queryKey: api.operators.key() })
        tellDone(say.done)
        onClose()
      },
      onError(failure) {
        if (refuseField(form, failure)) remove.reset()
      },
    }),
  )
  return (
    <form onSubmit={form.onSubmit((values) => remove.mutate(values), toFirstProblem)} noValidate>
      <Stack>
        <Text size="sm">{say.about}</Text>
        <PasswordField label={say.password} maxLength={256} data-autofocus {...form.getInputProps('current')} />
        {remove.isError && <ProblemNote failure={remove.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" color="red" loading={remove.isPending}>
            {say.remove}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
