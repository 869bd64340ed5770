/** What the user would type, and what the service says to it. */
import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconShieldCheck, IconShieldX } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { api, client, queries } from '../../api'
import { inWords, useWords } from '../../i18n/words'
import { useServerForm } from '../../parts/form'
import { ProblemNote } from '../../parts/problem-note'

const words = inWords({
  en: {
    code: 'Code',
    hint: '000000 verifies every magic number, but for scenario 05.',
    verify: 'Verify',
    verified: 'Verified',
    verifiedAbout: 'This is all your app has to do: issue, then verify. A code verifies once.',
    not: 'Not verified',
    remaining: (count: number) => (count === 1 ? 'One attempt remains.' : `${count} attempts remain.`),
    reasons: {
      MISMATCH: 'The code is wrong.',
      EXPIRED: 'The code has expired.',
      MAX_ATTEMPTS: 'The code was wrong too often.',
      ALREADY_VERIFIED: 'The code has been verified already.',
      REPLACED: 'A newer code was issued for the same number and purpose.',
      NOT_FOUND: 'There is no such issue.',
    },
  },
  ko: {
    code: '인증번호',
    hint: '05 시나리오를 뺀 모든 매직 번호는 000000으로 인증됩니다.',
    verify: '확인',
    verified: '인증되었습니다',
    verifiedAbout: '앱에서 할 일은 발급과 확인뿐입니다. 인증번호는 한 번만 인증됩니다.',
    not: '인증되지 않았습니다',
    remaining: (count) => `${count}회 더 시도할 수 있습니다.`,
    reasons: {
      MISMATCH: '인증번호가 틀렸습니다.',
      EXPIRED: '인증번호가 만료되었습니다.',
      MAX_ATTEMPTS: '인증번호를 너무 많이 틀렸습니다.',
      ALREADY_VERIFIED: '이미 인증된 번호입니다.',
      REPLACED: '같은 번호와 용도로 새 인증번호가 발급되었습니다.',
      NOT_FOUND: '해당 발급 건이 없습니다.',
    },
  },
})

export function VerifyForm({ appId, issueId }: { appId: string; issueId: string }) {
  const say = useWords(words)
  const field = useRef<HTMLInputElement>(null)
  // On to the next step: Enter verifies, and whoever knows better types over what is there.
  useEffect(() => field.current?.select(), [])
  const form = useServerForm({
    initialValues: { code: '000000' },
    send: ({ code }) => client.inbox.verify({ appId, issueId, code: code.trim() }),
    onDone() {
      queries.invalidateQueries({ queryKey: api.issues.key() })
      queries.invalidateQueries({ queryKey: api.inbox.key() })
    },
  })
  const result = form.answer
  const reason = result?.reasonCode as keyof typeof say.reasons | undefined
  return (
    <Stack gap="sm">
      <form onSubmit={form.submit}>
        <Group align="flex-end" gap="sm">
          <TextInput
            ref={field}
            label={say.code}
            description={say.hint}
            inputMode="numeric"
            autoComplete="off"
            required
            maxLength={20}
            flex="1 1 14rem"
            {...form.field('code')}
          />
          <Button type="submit" loading={form.isPending} variant={result?.verified ? 'default' : 'filled'}>
            {say.verify}
          </Button>
        </Group>
      </form>
      <div aria-live="polite">
        {result?.verified && (
          <Alert color="green" icon={<IconShieldCheck aria-hidden />} title={say.verified}>
            {say.verifiedAbout}
          </Alert>
        )}
        {result && !result.verified && (
          <Alert color="orange" icon={<IconShieldX aria-hidden />} title={say.not}>
            <Text size="sm">
              {reason ? (say.reasons[reason] ?? reason) : ''}{' '}
              {reason === 'MISMATCH' && say.remaining(result.attemptsRemaining)}
            </Text>
          </Alert>
        )}
      </div>
      {form.failure && <ProblemNote failure={form.failure} />}
    </Stack>
  )
}
