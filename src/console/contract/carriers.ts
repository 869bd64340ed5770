/** Carriers, their health, and routes. */
import { z } from 'zod'
import { at, leg, ok, procedure } from './base'

const provider = z.object({
  name: z.string(),
  type: z.string(),
  channels: z.array(leg),
  concurrency: z.int(),
  timeoutMs: z.int(),
  inFlight: z.int(),
  waiting: z.int(),
  state: z.enum(['healthy', 'unhealthy']),
  since: at.optional(),
  code: z.string().optional(),
  explanation: z.string().optional(),
  retryAt: at.optional(),
  /** Counts of the last hour. */
  recent: z.object({ accepted: z.int(), refused: z.int(), ambiguous: z.int() }),
})

const route = z.object({
  channel: leg,
  country: z.string().optional(),
  appId: z.string().optional(),
  providers: z.array(z.string()).min(1),
})

export const carriers = {
  list: procedure('look').output(z.object({ providers: z.array(provider) })),
  /** Sends one test message, bypassing queue and wallet. */
  test: procedure('carriers')
    .input(z.object({ name: z.string(), to: z.string(), channel: leg, templateCode: z.string().optional() }))
    .output(
      z.object({
        kind: z.enum(['accepted', 'refused', 'ambiguous']),
        latencyMs: z.int(),
        /** Message id at the carrier. */
        messageId: z.string().optional(),
        code: z.string().optional(),
        explanation: z.string().optional(),
      }),
    ),
  routes: procedure('look').output(z.object({ routes: z.array(route) })),
  setRoute: procedure('carriers').input(route).output(ok),
  removeRoute: procedure('carriers')
    .input(route.omit({ providers: true }))
    .output(ok),
}
