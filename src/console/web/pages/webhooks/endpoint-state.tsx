/** State of an endpoint. */
import { Badge } from '@mantine/core'
import type { DisabledReason } from '../../../../domain/webhooks/webhook'
import type { client } from '../../api'
import { inWords, useWords, wordsNow } from '../../i18n/words'
import { webhookWords } from './words'

export type ShownEndpoint = Awaited<ReturnType<typeof client.webhooks.list>>['endpoints'][number]

const COLORS = { ok: 'teal', failing: 'orange', disabled: 'gray', warned: 'red' } as const

const stateOf = ({ enabled, warning, failingSince }: ShownEndpoint): keyof typeof COLORS => {
  if (!enabled) return 'disabled'
  if (warning !== undefined) return 'warned'
  return failingSince === undefined ? 'ok' : 'failing'
}

export function EndpointState({ endpoint }: { endpoint: ShownEndpoint }) {
  const say = useWords(webhookWords)
  const state = stateOf(endpoint)
  return (
    <Badge variant="light" color={COLORS[state]}>
      {say.states[state]}
    </Badge>
  )
}

const disabledWords = inWords<Record<DisabledReason, string>>({
  en: {
    'The receiver answered 410 Gone': 'The receiver answered 410 Gone',
    'Nothing but failures for 5 days': 'Nothing but failures for 5 days',
    'Disabled by an operator': 'Disabled by an operator',
    'Being removed': 'Being removed',
  },
  ko: {
    'The receiver answered 410 Gone': '수신 서버가 410 Gone으로 응답했습니다',
    'Nothing but failures for 5 days': '5일 동안 전송에 모두 실패했습니다',
    'Disabled by an operator': '운영자가 사용을 중지했습니다',
    'Being removed': '삭제하는 중입니다',
  },
})

export const whyDisabled = ({ disabledReason = '' }: Pick<ShownEndpoint, 'disabledReason'>): string =>
  wordsNow(disabledWords)[disabledReason as DisabledReason] ?? disabledReason
