/** What the server answers of a webhook. */
import type { client } from '../../api'

export type ShownDelivery = Awaited<ReturnType<typeof client.webhooks.events>>['rows'][number]

export const STATUS_COLORS = { pending: 'blue', delivered: 'teal', failed: 'red' } as const
