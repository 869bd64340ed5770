/** The secret of an endpoint, shown once with code that verifies requests, and its rotation. */
import { NumberInput, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { api, client, queries } from '../../api'
import { inWords, useWords, wordsNow } from '../../i18n/words'
import { CopyBlock, SecretOnce } from '../../parts/copy'
import { Form, useServerForm } from '../../parts/form'
import { Time } from '../../parts/time'

const words = inWords({
  en: {
    title: 'Secret of the endpoint',
    secret: 'Signing secret',
    verify: 'Verify requests',
    verifyAbout:
      'Every request is signed. Verify it with our client, or with any Standard Webhooks library and the same secret.',
    previous: 'The previous secret is valid until',
  },
  ko: {
    title: '엔드포인트 시크릿',
    secret: '서명 시크릿',
    verify: '수신한 요청 검증',
    verifyAbout:
      '모든 요청은 서명되어 있습니다. 제공되는 클라이언트나, 같은 시크릿으로 Standard Webhooks 라이브러리를 사용해 검증하세요.',
    previous: '이전 시크릿 유효 기한',
  },
})

/** `bun build:client` makes the package; docs/webhooks.md says how. */
const VERIFYING = `import { verifyWebhook } from '@watchword/client/webhook'

const event = await verifyWebhook({
  body: await request.text(), // as it came, not parsed
  headers: request.headers,
  secret: process.env.OTP_WEBHOOK_SECRET,
})`

export function showSecret({ secret, previousValidUntil }: { secret: string; previousValidUntil?: number }): void {
  const modalId = modals.open({
    title: wordsNow(words).title,
    size: 'lg',
    // Only the button says that it has been stored.
    closeOnClickOutside: false,
    closeOnEscape: false,
    withCloseButton: false,
    children: (
      <Secret
        secret={secret}
        {...(previousValidUntil !== undefined && { previousValidUntil })}
        onDone={() => modals.close(modalId)}
      />
    ),
  })
}

interface SecretProps {
  secret: string
  previousValidUntil?: number
  onDone(): void
}

function Secret({ secret, previousValidUntil, onDone }: SecretProps) {
  const say = useWords(words)
  return (
    <SecretOnce secret={secret} label={say.secret} onDone={onDone}>
      {previousValidUntil !== undefined && (
        <Text size="sm">
          {say.previous} <Time at={previousValidUntil} />
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {say.verifyAbout}
      </Text>
      <CopyBlock value={VERIFYING} label={say.verify} />
    </SecretOnce>
  )
}

const rotateWords = inWords({
  en: {
    title: 'Rotate the secret',
    about:
      'For the time you set, requests are signed with both secrets, so that your receiver can switch without losing a request.',
    overlap: 'Overlap in hours',
    overlapHelp: '0 to 168; with 0 the old secret is invalid at once.',
    rotate: 'Create a new secret',
  },
  ko: {
    title: '시크릿 교체',
    about: '정한 시간 동안 두 시크릿으로 함께 서명하므로, 요청을 놓치지 않고 수신 서버의 시크릿을 바꿀 수 있습니다.',
    overlap: '함께 쓰는 시간(시간)',
    overlapHelp: '0~168시간. 0이면 이전 시크릿을 바로 폐기합니다.',
    rotate: '새 시크릿 만들기',
  },
})

/** Rotates the secret, with an overlap in which both are valid. */
export function openRotate(endpointId: string): void {
  const modalId = modals.open({
    title: wordsNow(rotateWords).title,
    children: <Rotate endpointId={endpointId} onClose={() => modals.close(modalId)} />,
  })
}

function Rotate({ endpointId, onClose }: { endpointId: string; onClose(): void }) {
  const say = useWords(rotateWords)
  const form = useServerForm({
    initialValues: { hours: 24 as number | string },
    send: ({ hours }) => client.webhooks.rotate({ endpointId, overlapHours: Number(hours) }),
    onDone({ secret, previousValidUntil }) {
      queries.invalidateQueries({ queryKey: api.webhooks.list.key() })
      onClose()
      showSecret({ secret, ...(previousValidUntil > Date.now() && { previousValidUntil }) })
    },
  })
  return (
    <Form form={form} action={say.rotate} onCancel={onClose}>
      <Text size="sm">{say.about}</Text>
      <NumberInput
        data-autofocus
        label={say.overlap}
        description={say.overlapHelp}
        required
        min={0}
        max={168}
        allowDecimal={false}
        {...form.field('hours', 'overlapHours')}
      />
    </Form>
  )
}
