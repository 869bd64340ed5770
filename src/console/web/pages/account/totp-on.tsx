/** The password, then the secret to scan or type; a code proves that it worked. */
import { Button, Center, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { api, client, queries } from '../../api'
import { frameWords } from '../../i18n/frame'
import { inWords, useWords } from '../../i18n/words'
import { CopyBlock } from '../../parts/copy'
import { refuseField, toFirstProblem } from '../../parts/field-problem'
import { PasswordField } from '../../parts/password-field'
import { ProblemNote } from '../../parts/problem-note'
import { tellDone } from '../../parts/tell'
import { QrCode } from './qr-code'

const words = inWords({
  en: {
    password: 'Current password',
    needsPassword: 'Enter your current password.',
    next: 'Continue',
    scan: 'Scan this with your authenticator app:',
    qr: 'QR code of the secret, which also stands below as text',
    secret: 'Or enter this secret there',
    code: 'Code the app shows now',
    needsCode: 'Enter the six digits.',
    finish: 'Turn on',
    done: 'From now on, signing in asks for a code of your app.',
  },
  ko: {
    password: '현재 비밀번호',
    needsPassword: '현재 비밀번호를 입력하세요.',
    next: '계속하기',
    scan: '인증 앱으로 아래 QR 코드를 스캔하세요.',
    qr: '비밀 키 QR 코드. 아래에 텍스트로도 표시됩니다',
    secret: '또는 앱에 이 비밀 키를 입력하세요',
    code: '앱에 지금 표시된 코드',
    needsCode: '6자리 숫자를 입력하세요.',
    finish: '사용하기',
    done: '이제 로그인할 때 인증 앱 코드를 입력합니다.',
  },
})

interface TotpOnProps {
  onClose(): void
}

/** The password comes first: a session that somebody finds open must not put a second factor on. */
export function TotpOn({ onClose }: TotpOnProps) {
  const say = useWords(words)
  const common = useWords(frameWords)
  const form = useForm({
    initialValues: { current: '' },
    validate: { current: (current) => (current === '' ? say.needsPassword : undefined) },
  })
  // A new secret each time this is opened, kept nowhere afterwards.
  const begin = useMutation({
    mutationFn: (input: { current: string }) => client.session.totpBegin(input),
    gcTime: 0,
    onError(failure) {
      if (refuseField(form, failure)) begin.reset()
    },
  })
  if (begin.data) return <Proving begun={begin.data} onClose={onClose} />
  return (
    <form onSubmit={form.onSubmit((values) => begin.mutate(values), toFirstProblem)} noValidate>
      <Stack>
        <PasswordField label={say.password} maxLength={256} data-autofocus {...form.getInputProps('current')} />
        {begin.isError && <ProblemNote failure={begin.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={begin.isPending}>
            {say.next}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface ProvingProps extends TotpOnProps {
  begun: Awaited<ReturnType<typeof client.session.totpBegin>>
}

function Proving({ begun: { secret, uri }, onClose }: ProvingProps) {
  const say = useWords(words)
  const common = useWords(frameWords)
  const form = useForm({
    initialValues: { totp: '' },
    validate: { totp: (totp) => (/^\d{6}$/.test(totp.replaceAll(/\s/g, '')) ? undefined : say.needsCode) },
    transformValues: ({ totp }) => ({ totp: totp.replaceAll(/\s/g, '') }),
  })
  const confirm = useMutation(
    api.session.totpConfirm.mutationOptions({
      async onSuccess() {
        await queries.invalidateQueries({ queryKey: api.session.current.key() })
        queries.invalidateQueries({ queryKey: api.operators.key() })
        tellDone(say.done)
        onClose()
      },
      onError(failure) {
        if (refuseField(form, failure)) confirm.reset()
      },
    }),
  )
  return (
    <form onSubmit={form.onSubmit((values) => confirm.mutate(values), toFirstProblem)} noValidate>
      <Stack>
        <Text size="sm">{say.scan}</Text>
        <Center>
          <QrCode text={uri} label={say.qr} />
        </Center>
        <CopyBlock value={secret} label={say.secret} />
        <TextInput
          label={say.code}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={10}
          autoFocus
          {...form.getInputProps('totp')}
        />
        {confirm.isError && <ProblemNote failure={confirm.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={confirm.isPending}>
            {say.finish}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
