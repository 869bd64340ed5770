/** Webhook endpoints and their deliveries. */
import { z } from 'zod'
import { HOOK_EVENT_TYPES } from '../../../contract/constants'
import { act, at, eventType, mistake, mode, ofApp, ok, pageInput, pageOf } from './base'

const filters = z.object({
  method: z.array(z.string()).optional(),
  type: z.array(z.string()).optional(),
  metadata: z.record(z.string(), z.array(z.string())).optional(),
})

export const hookSettings = z.object({
  url: z.string().describe('Receives the events as POST requests.'),
  events: z.array(eventType),
  filters: filters.describe('Only events of these channels (`method`), purposes (`type`) or metadata; empty: all.'),
  template: z.string().describe('JSON with {{path}} that is sent instead of the event; empty: the event itself.'),
})

export const endpoint = hookSettings.extend({
  endpointId: z.string(),
  appId: z.string(),
  mode,
  /** Names only, because values may be credentials. */
  headers: z.array(z.string()),
  enabled: z.boolean(),
  disabledAt: at.optional(),
  disabledReason: z.string().optional(),
  failingSince: at.optional(),
  previousSecretValidUntil: at.optional(),
  createdAt: at,
  /** Reason why the server's settings block the URL. */
  warning: mistake.optional(),
})

const attempt = z.object({
  number: z.int(),
  calledAt: at,
  latencyMs: z.int(),
  status: z.int().optional(),
  error: z.string().optional(),
  answer: z.string().optional(),
})

const hook = z.object({
  deliveryId: z.string(),
  eventId: z.string(),
  issueId: z.string().optional(),
  type: eventType,
  status: z.enum(['pending', 'delivered', 'failed']),
  attempts: z.int(),
  tries: z.int().describe('Attempts since it was queued or replayed.'),
  createdAt: at,
  lastAttemptAt: at.optional(),
  lastStatus: z.int().optional(),
  lastError: z.string().optional(),
  nextAttemptAt: at.optional(),
  log: z.array(attempt).optional().describe('Its attempts, where they were asked for.'),
})

const ofEndpoint = z.object({ endpointId: z.string() })
const headers = z.record(z.string(), z.string())

export const webhooks = {
  list: act('GET /apps/{appId}/webhooks', 'List the webhook endpoints of an app.', 'look')
    .input(ofApp)
    .output(z.object({ endpoints: z.array(endpoint) })),
  show: act('GET /webhooks/{endpointId}', 'Show a webhook endpoint.', 'look').input(ofEndpoint).output(endpoint),
  add: act('POST /apps/{appId}/webhooks', 'Add a webhook endpoint. Returns the secret, once.', 'webhooks')
    .input(
      ofApp.extend({
        mode,
        ...hookSettings.shape,
        filters: filters.default({}),
        template: z.string().default(''),
        headers: headers.default({}),
      }),
    )
    .output(z.object({ endpoint, secret: z.string() })),
  update: act(
    'PATCH /webhooks/{endpointId}',
    'Change a webhook endpoint. `headers` replaces all headers; missing keeps them.',
    'webhooks',
  )
    .input(
      ofEndpoint.extend({
        ...hookSettings.partial().shape,
        headers: headers.optional(),
        enabled: z.boolean().optional(),
      }),
    )
    .output(endpoint),
  remove: act('DELETE /webhooks/{endpointId}', 'Remove a webhook endpoint and its deliveries.', 'webhooks')
    .input(ofEndpoint)
    .output(ok),
  rotate: act(
    'POST /webhooks/{endpointId}/rotate',
    'Replace the secret of a webhook. The old one stays valid for `overlapHours`.',
    'webhooks',
  )
    .input(ofEndpoint.extend({ overlapHours: z.int().describe('How long the old secret goes on, 0 to 168.') }))
    .output(z.object({ secret: z.string(), previousValidUntil: at })),
  test: act('POST /webhooks/{endpointId}/test', 'Send a test event.', 'webhooks')
    .input(ofEndpoint.extend({ type: eventType }))
    .output(z.object({ eventId: z.string() })),
  events: act('GET /webhooks/{endpointId}/events', 'List the deliveries of a webhook, newest first.', 'look')
    .input(
      ofEndpoint.extend({
        ...pageInput.shape,
        status: z.enum(['pending', 'delivered', 'failed']).optional(),
        log: z.boolean().default(false).describe('Also the attempts of each.'),
      }),
    )
    .output(pageOf(hook)),
  attempts: act('GET /webhook-deliveries/{deliveryId}/attempts', 'List the attempts of a delivery.', 'look')
    .input(z.object({ deliveryId: z.string() }))
    .output(z.object({ attempts: z.array(attempt) })),
  request: act(
    'GET /webhook-deliveries/{deliveryId}/request',
    'Show the request of an attempt. The request of an attempt, rebuilt from the event and the current endpoint. Missing if it cannot be built.',
    'look',
  )
    .input(z.object({ deliveryId: z.string(), attempt: z.int().min(1).optional() }))
    .output(
      z.object({
        request: z
          .object({
            url: z.string(),
            /** Static headers have no value here, because it may be a credential. */
            headers: z.array(z.object({ name: z.string(), value: z.string().optional() })),
            body: z.string(),
            /** Time of the attempt; missing if there was none. */
            sentAt: at.optional(),
          })
          .optional(),
      }),
    ),
  replay: act(
    'POST /webhooks/{endpointId}/replay',
    'Replay events. Replays one event, or all that failed since a time.',
    'find',
  )
    .input(ofEndpoint.extend({ eventId: z.string().optional(), since: at.optional() }))
    .output(z.object({ replayed: z.int() })),
  preview: act(
    'POST /webhooks/preview',
    'Preview a payload template. Previews a template for a sample of each event. Reports a `mistake` instead of refusing.',
    'look',
    'anyone',
  )
    .input(z.object({ template: z.string(), events: z.array(eventType).max(HOOK_EVENT_TYPES.length) }))
    .output(
      z.object({
        previews: z.array(z.object({ type: eventType, body: z.string() })),
        mistake: mistake.optional(),
      }),
    ),
}
