/** Who is told of events, and what came of it. */
import { z } from 'zod'
import { EVENT_TYPES } from '../../../contract/event'
import { at, eventType, mistake, mode, ofApp, ok, pageInput, pageOf, procedure } from './base'

const filters = z.object({
  method: z.array(z.string()).optional(),
  type: z.array(z.string()).optional(),
  metadata: z.record(z.string(), z.array(z.string())).optional(),
})

const settings = z.object({
  url: z.string(),
  events: z.array(eventType),
  filters,
  /** JSON with `{{path}}`; empty: the event itself. */
  template: z.string(),
})

const endpoint = settings.extend({
  endpointId: z.string(),
  appId: z.string(),
  mode,
  /** Names only: values may be credentials. */
  headers: z.array(z.string()),
  enabled: z.boolean(),
  disabledReason: z.string().optional(),
  failingSince: at.optional(),
  previousSecretValidUntil: at.optional(),
  createdAt: at,
  /** What the server's settings say against the URL; nothing is sent while they do. */
  warning: mistake.optional(),
})

const hook = z.object({
  deliveryId: z.string(),
  eventId: z.string(),
  issueId: z.string().optional(),
  type: eventType,
  status: z.enum(['pending', 'delivered', 'failed']),
  attempts: z.int(),
  createdAt: at,
  lastAttemptAt: at.optional(),
  lastStatus: z.int().optional(),
  lastError: z.string().optional(),
  nextAttemptAt: at.optional(),
})

const ofEndpoint = z.object({ endpointId: z.string() })
const headers = z.record(z.string(), z.string())

export const webhooks = {
  list: procedure('look')
    .input(ofApp)
    .output(z.object({ endpoints: z.array(endpoint) })),
  /** Answers the secret, once. */
  add: procedure('webhooks')
    .input(ofApp.extend({ mode, ...settings.shape, headers: headers.default({}) }))
    .output(z.object({ endpoint, secret: z.string() })),
  /** `headers` only where they change, all of them. */
  update: procedure('webhooks')
    .input(
      ofEndpoint.extend({ ...settings.partial().shape, headers: headers.optional(), enabled: z.boolean().optional() }),
    )
    .output(endpoint),
  remove: procedure('webhooks').input(ofEndpoint).output(ok),
  rotate: procedure('webhooks')
    .input(ofEndpoint.extend({ overlapHours: z.int().min(0).max(168) }))
    .output(z.object({ secret: z.string(), previousValidUntil: at })),
  test: procedure('webhooks')
    .input(ofEndpoint.extend({ type: eventType }))
    .output(z.object({ eventId: z.string() })),
  events: procedure('look')
    .input(ofEndpoint.extend({ ...pageInput.shape, status: z.enum(['pending', 'delivered', 'failed']).optional() }))
    .output(pageOf(hook)),
  attempts: procedure('look')
    .input(z.object({ deliveryId: z.string() }))
    .output(
      z.object({
        attempts: z.array(
          z.object({
            number: z.int(),
            calledAt: at,
            latencyMs: z.int(),
            status: z.int().optional(),
            error: z.string().optional(),
            answer: z.string().optional(),
          }),
        ),
      }),
    ),
  /** The request of an attempt, or one that is sent now, rebuilt from event and endpoint as they are now. Missing where they make none. */
  request: procedure('look')
    .input(z.object({ deliveryId: z.string(), attempt: z.int().min(1).optional() }))
    .output(
      z.object({
        request: z
          .object({
            url: z.string(),
            /** Static headers of the endpoint have no value: it may be a credential. */
            headers: z.array(z.object({ name: z.string(), value: z.string().optional() })),
            body: z.string(),
            /** Of the attempt; missing: it would be sent now. */
            sentAt: at.optional(),
          })
          .optional(),
      }),
    ),
  /** One event, or all that failed since a time. */
  replay: procedure('webhooks')
    .input(ofEndpoint.extend({ eventId: z.string().optional(), since: at.optional() }))
    .output(z.object({ replayed: z.int() })),
  /** What a template makes of a sample of each event; an empty one leaves it as it is; `mistake` instead of refusing. */
  preview: procedure('look')
    .input(z.object({ template: z.string(), events: z.array(eventType).max(EVENT_TYPES.length) }))
    .output(
      z.object({
        previews: z.array(z.object({ type: eventType, body: z.string() })),
        mistake: mistake.optional(),
      }),
    ),
}
