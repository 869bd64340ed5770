/** Scan, or type the secret; then a code proves that it worked. */
import { Button, Center, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { api, client, queries } from '../../api'
import { Loading } from '../../frame/loading'
import { frameWords } from '../../i18n/frame'
import { inWords, useWords } from '../../i18n/words'
import { CopyBlock } from '../../parts/copy'
import { refuseField, toFirstProblem } from '../../parts/field-problem'
import { ProblemNote } from '../../parts/problem-note'
import { tellDone } from '../../parts/tell'
import { QrCode } from './qr-code'

const words = inWords({
  en: {
    scan: 'Scan this with your authenticator app:',
    qr: 'QR code of the secret, which also stands below as text',
    secret: 'Or enter this secret there',
    code: 'Code the app shows now',
    needsCode: 'Enter the six digits.',
    finish: 'Turn on',
    done: 'From now on, signing in asks for a code of your app.',
  },
  ko: {
    scan: '인증 앱으로 아래 QR 코드를 스캔하세요.',
    qr: '비밀 키 QR 코드. 아래에 텍스트로도 표시됩니다',
    secret: '또는 앱에 이 비밀 키를 입력하세요',
    code: '앱에 지금 표시된 코드',
    needsCode: '6자리 숫자를 입력하세요.',
    finish: '사용하기',
    done: '이제 로그인할 때 인증 앱 코드를 입력합니다.',
  },
})

export function TotpOn({ onClose }: { onClose(): void }) {
  const say = useWords(words)
  const common = useWords(frameWords)
  const opened = useId()
  // A new secret each time this is opened, kept nowhere afterwards.
  const begun = useQuery({
    queryKey: ['totp', opened],
    queryFn: () => client.session.totpBegin(),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
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
  if (begun.isError) return <ProblemNote failure={begun.error} />
  if (!begun.data) return <Loading />
  const { secret, uri } = begun.data
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
