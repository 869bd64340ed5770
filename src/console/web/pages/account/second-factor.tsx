import { Badge, Button, Center, Group, Text, TextInput } from '@mantine/core'
import { modals } from '@mantine/modals'
import { encode } from 'uqr'
import { api, client, queries } from '../../api'
import { inWords, useWords } from '../../i18n/words'
import { CopyBlock } from '../../parts/copy'
import { Form, useServerForm } from '../../parts/form'
import { digitsOf, isTotp, PasswordField } from '../../parts/password-field'
import { Section } from '../../parts/section'
import { tellDone } from '../../parts/tell'

const words = inWords({
  en: {
    title: 'Authenticator app',
    about:
      'Sign-in asks for a second factor: a code on your phone that changes every 30 seconds. A stolen password alone does not open your account.',
    on: 'On',
    off: 'Off',
    setUp: 'Set up',
    remove: 'Remove',
    removeTitle: 'Remove the authenticator app',
  },
  ko: {
    title: '인증 앱',
    about:
      '로그인할 때 휴대폰 앱에 표시되는 코드를 한 번 더 입력합니다. 코드는 30초마다 바뀌므로 비밀번호가 유출되어도 로그인할 수 없습니다.',
    on: '사용 중',
    off: '사용 안 함',
    setUp: '설정하기',
    remove: '해제하기',
    removeTitle: '인증 앱 해제',
  },
})

export function SecondFactor({ isOn }: { isOn: boolean }) {
  const say = useWords(words)
  const open = () => {
    const modalId = modals.open({
      title: isOn ? say.removeTitle : say.title,
      children: isOn ? (
        <TotpOff onClose={() => modals.close(modalId)} />
      ) : (
        <TotpOn onClose={() => modals.close(modalId)} />
      ),
    })
  }
  const badge = (
    <Badge variant="light" color={isOn ? 'teal' : 'gray'}>
      {isOn ? say.on : say.off}
    </Badge>
  )
  return (
    <Section title={say.title} about={say.about} actions={badge}>
      <Group>
        <Button variant={isOn ? 'default' : 'filled'} onClick={open}>
          {isOn ? say.remove : say.setUp}
        </Button>
      </Group>
    </Section>
  )
}

const totpOnWords = inWords({
  en: {
    password: 'Current password',
    needsPassword: 'Enter your current password.',
    next: 'Continue',
    scan: 'Scan this with your authenticator app:',
    qr: 'QR code of the secret, which is also shown below as text',
    secret: 'Or enter this secret there',
    code: 'Code the app shows now',
    needsCode: 'Enter the six digits.',
    finish: 'Turn on',
    done: 'From now on, signing in asks for a code from your app.',
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

/** Asks for the password first, so that an unattended session cannot add a second factor. */
function TotpOn({ onClose }: TotpOnProps) {
  const say = useWords(totpOnWords)
  // Creates a new secret each time the dialog opens.
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
  const say = useWords(totpOnWords)
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

const QUIET = 3

/** Dark on white in every colour scheme, because some cameras cannot read inverted codes. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: QUIET, ecc: 'M' })
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return (
    <svg
      width={200}
      height={200}
      style={{ borderRadius: 'var(--mantine-radius-md)' }}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <path fill="#fff" d={`M0 0h${size}v${size}H0z`} />
      <path fill="#000" d={dark.join('')} />
    </svg>
  )
}

const totpOffWords = inWords({
  en: {
    about: 'After that, your password alone signs you in.',
    password: 'Current password',
    needsPassword: 'Enter your current password.',
    remove: 'Remove',
    done: 'Signing in no longer asks for a code.',
  },
  ko: {
    about: '해제하면 비밀번호만으로 로그인합니다.',
    password: '현재 비밀번호',
    needsPassword: '현재 비밀번호를 입력하세요.',
    remove: '해제',
    done: '이제 로그인할 때 인증 앱 코드를 묻지 않습니다.',
  },
})

function TotpOff({ onClose }: { onClose(): void }) {
  const say = useWords(totpOffWords)
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
