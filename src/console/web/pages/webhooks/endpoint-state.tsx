/** How an endpoint is, at a glance. */
import { Badge } from '@mantine/core'
import type { client } from '../../api'
import { useWords } from '../../i18n/words'
import { webhookWords } from './words'

export type Endpoint = Awaited<ReturnType<typeof client.webhooks.list>>['endpoints'][number]

const COLORS = { ok: 'teal', failing: 'orange', disabled: 'gray', warned: 'red' } as const

const stateOf = ({ enabled, warning, failingSince }: Endpoint): keyof typeof COLORS => {
  if (!enabled) return 'disabled'
  if (warning !== undefined) return 'warned'
  return failingSince === undefined ? 'ok' : 'failing'
}

export function EndpointState({ endpoint }: { endpoint: Endpoint }) {
  const say = useWords(webhookWords)
  const state = stateOf(endpoint)
  return (
    <Badge variant="light" color={COLORS[state]}>
      {say.states[state]}
    </Badge>
  )
}
