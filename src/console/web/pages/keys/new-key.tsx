/** Shows a new key once, with a command that tries it. */
import { Anchor, Text } from '@mantine/core'
import { useState } from 'react'
import { curl, freshName } from '../../command'
import { magicNumber } from '../../i18n/scenarios'
import { inWords, useWords } from '../../i18n/words'
import { CopyBlock, SecretOnce } from '../../parts/copy'
import { Time } from '../../parts/time'
import type { ShownMode } from '../../scope'

export interface CreatedKey {
  key: string
  kind: 'sk' | 'pk'
  mode: ShownMode
  scopes: readonly string[]
  allowedOrigins: readonly string[]
}

/** Requests by scope that neither send nor cost anything. */
const READS = [
  ['/balance', ['otp:balance', '*']],
  ['/templates', ['otp:templates', 'otp:read']],
  ['/issues', ['otp:dashboard:read']],
  ['/credit-ledger', ['otp:ledger:read']],
] as const

/** Example request: test keys issue to a magic number, live keys only read, so that no real message is sent. */
function firstRequest({ key, kind, mode, scopes, allowedOrigins }: CreatedKey): string | undefined {
  const site = kind === 'pk' ? (allowedOrigins[0] ?? 'http://localhost:3000') : undefined
  const mayUse = (...names: readonly string[]) => scopes.some((scope) => names.includes(scope))
  if (mode === 'test' && mayUse('otp:issue', 'otp:send', '*')) {
    const body = { phoneNumber: magicNumber(0), purpose: 'signup' }
    return curl({ path: '/issue', key, site, idempotencyKey: freshName('hello'), body })
  }
  const read = kind === 'sk' ? READS.find(([, names]) => mayUse(...names)) : undefined
  return read && curl({ path: read[0], key })
}

const words = inWords({
  en: {
    key: 'The key',
    try: 'Try it in a terminal',
    docs: 'Or in the API reference, with this key filled in',
    previous: 'The old key stays valid until:',
    ended: 'The old key is no longer valid.',
  },
  ko: {
    key: '키',
    try: '터미널에서 시험해 보기',
    docs: '이 키가 입력된 API 문서에서 시험해 보기',
    previous: '이전 키는 다음 시각까지 함께 사용할 수 있습니다:',
    ended: '이전 키는 더 이상 사용할 수 없습니다.',
  },
})

export interface ShownKey extends CreatedKey {
  /** Expiry of the replaced key. */
  previousWorksUntil?: number
}

export function NewKeyShown({ made, onDone }: { made: ShownKey; onDone(): void }) {
  const say = useWords(words)
  const [command] = useState(() => firstRequest(made))
  const until = made.previousWorksUntil
  return (
    <SecretOnce secret={made.key} label={say.key} onDone={onDone}>
      {until !== undefined && (
        <Text size="sm">
          {until <= Date.now() ? (
            say.ended
          ) : (
            <>
              {say.previous} <Time at={until} />
            </>
          )}
        </Text>
      )}
      {command !== undefined && <CopyBlock value={command} label={say.try} />}
      {made.mode === 'test' && (
        <Anchor href={`/docs#key=${made.key}`} target="_blank" rel="noopener" size="sm" underline="always">
          {say.docs}
        </Anchor>
      )}
    </SecretOnce>
  )
}
