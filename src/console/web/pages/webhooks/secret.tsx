/** The secret of an endpoint, shown once, with what to do with it. */

import { Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { inWords, useWords, wordsNow } from '../../i18n/words'
import { CopyBlock, SecretOnce } from '../../parts/copy'
import { Time } from '../../parts/time'

const words = inWords({
  en: {
    title: 'Secret of the endpoint',
    secret: 'Signing secret',
    verify: 'Verify what arrives',
    verifyAbout:
      'Every request is signed. Check it with our client, or with any Standard Webhooks library and the same secret.',
    previous: 'The previous secret counts until',
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
