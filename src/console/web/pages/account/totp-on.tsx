/** The password, then the secret to scan or type; a code proves that it worked. */
import { Center, Text, TextInput } from '@mantine/core'
import { api, client, queries } from '../../api'
import { inWords, useWords } from '../../i18n/words'
import { CopyBlock } from '../../parts/copy'
import { Form, useServerForm } from '../../parts/form'
import { PasswordField } from '../../parts/password-field'
import { tellDone } from '../../parts/tell'
import { digitsOf, isTotp } from '../../parts/totp'
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
  // A new secret each time this is opened.
  const form = useServerForm({
    initialValues: { current: '' },
    validate: { current: (current) => (current === '' ? say.needsPassword : undefined) },
    send: client.session.totpBegin,
  })
  if (form.answer) return <Proving begun={form.answer} onClose={onClose} />
  return (
    <Form form={form} action={say.next} onCancel={onClose}>
      <PasswordField label={say.password} maxLength={256} data-autofocus {...form.field('current')} />
    </Form>
  )
}

interface ProvingProps extends TotpOnProps {
  begun: Awaited<ReturnType<typeof client.session.totpBegin>>
}

function Proving({ begun: { secret, uri }, onClose }: ProvingProps) {
  const say = useWords(words)
  const form = useServerForm({
    initialValues: { totp: '' },
    validate: { totp: (totp) => (isTotp(totp) ? undefined : say.needsCode) },
    send: ({ totp }) => client.session.totpConfirm({ totp: digitsOf(totp) }),
    async onDone() {
      await queries.invalidateQueries({ queryKey: api.session.current.key() })
      queries.invalidateQueries({ queryKey: api.operators.key() })
      tellDone(say.done)
      onClose()
    },
  })
  return (
    <Form form={form} action={say.finish} onCancel={onClose}>
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
        {...form.field('totp')}
      />
    </Form>
  )
}
