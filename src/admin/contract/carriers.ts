/** Carriers, their health, and routes. */
import { z } from 'zod'
import { RULES } from '../../abuse/rules/rule'
import { REPORT_OUTCOMES } from '../../domain/delivery/report-tally'
import { act, at, channel, leg, ok, oneCountry, severalCountries } from './base'

/** The state of a carrier that the server found last. */
export const carrierHealth = z.object({
  state: z.enum(['healthy', 'unhealthy', 'paused']),
  since: at.optional(),
  code: z.string().optional(),
  explanation: z.string().optional(),
  retryAt: at.optional(),
  /** Counts of the last hour. */
  recent: z.object({ accepted: z.int(), refused: z.int(), ambiguous: z.int() }),
})

const provider = carrierHealth.extend({
  name: z.string(),
  type: z.string(),
  channels: z.array(leg),
  concurrency: z.int(),
  timeoutMs: z.int(),
  inFlight: z.int(),
  waiting: z.int(),
  /** When a report was recorded last. */
  reportedAt: at.optional(),
  /** Messages that it has accepted since then. */
  unreported: z.int(),
  /** Reports of the last day that changed nothing. */
  refusedReports: z.array(
    z.object({ reason: z.enum(REPORT_OUTCOMES).exclude(['recorded', 'undecided']), times: z.int() }),
  ),
})

export const route = z.object({
  channel: leg,
  country: oneCountry,
  appId: z.string().optional().describe('Only this app; missing: every app without a route of its own.'),
  providers: z.array(z.string()).describe('Names of carriers, in the order in which they are asked.'),
})

const setting = z.object({
  /** Within a group `group.field`. */
  name: z.string(),
  title: z.string(),
  /** The title of its group. */
  group: z.string().optional(),
  help: z.string().optional(),
  secret: z.boolean().optional(),
  optional: z.boolean().optional(),
  default: z.string().optional(),
  url: z.boolean().optional(),
  multiline: z.boolean().optional(),
  kind: z.enum(['number', 'flag', 'headers']).optional(),
})

const type = z.object({
  type: z.string(),
  title: z.string(),
  channels: z.array(leg),
  documentation: z.string(),
  settings: z.array(setting),
})

const testOrder = z.object({ to: z.string(), channel: leg, templateCode: z.string().optional() })

const testReport = z.object({
  kind: z.enum(['accepted', 'refused', 'ambiguous']),
  latencyMs: z.int(),
  /** Message id at the carrier. */
  messageId: z.string().optional(),
  code: z.string().optional(),
  explanation: z.string().optional(),
  /** How far it came, in order. */
  steps: z.array(
    z.object({
      name: z.enum(['address', 'connection', 'certificate', 'answer', 'account', 'message']),
      state: z.enum(['done', 'failed', 'unknown', 'not_reached']),
    }),
  ),
  /** Whether the carrier reports deliveries. */
  reports: z.boolean(),
})

const ofCarrier = z.object({ name: z.string() })
/** By the names of the settings. One that is left out is not set; a stored secret stays. */
const filledIn = z.object({
  channels: z.array(leg),
  settings: z
    .record(z.string(), z.string().max(10_000))
    .describe(
      'By the names that `GET /carrier-types` has for the type; a secret that is left out stays as it is stored.',
    ),
})

const templateState = z.object({ language: z.string(), status: z.string(), reason: z.string().optional() })

export const carriers = {
  list: act('GET /carriers', 'List the carriers, in the order in which they are asked.', 'look', 'installation').output(
    z.object({ providers: z.array(provider) }),
  ),
  test: act(
    'POST /carriers/{name}/test',
    'Send a test message. Sends one test message, bypassing queue and wallet.',
    'carriers',
    'installation',
  )
    .input(testOrder.extend({ name: z.string() }))
    .output(testReport),
  answers: act(
    'GET /carriers/{name}/answers',
    'Show the answers of a carrier. Its answers to live messages of the last hour or day.',
    'look',
    'installation',
  )
    .input(z.object({ name: z.string(), hours: z.union([z.literal(1), z.literal(24)]) }))
    .output(
      z.object({
        accepted: z.int(),
        refused: z.int(),
        ambiguous: z.int(),
        p50Ms: z.int().optional(),
        p95Ms: z.int().optional(),
        /** The most frequent first. */
        failures: z.array(
          z.object({
            outcome: z.enum(['refused', 'ambiguous']),
            code: z.string(),
            explanation: z.string().optional(),
            /** The carrier's own words on one of them, without digits. */
            said: z.string().optional(),
            calls: z.int(),
          }),
        ),
      }),
    ),
  types: act('GET /carrier-types', 'List the types of carriers and their settings.', 'carriers', 'installation').output(
    z.object({ types: z.array(type) }),
  ),
  add: act(
    'POST /carriers',
    'Add a carrier. Refuses a name that is taken. The report secret is answered once.',
    'carriers',
    'installation',
  )
    .input(
      filledIn.extend({
        name: z.string().describe('Its name, as routes have it.'),
        type: z.string().describe('One of `GET /carrier-types`.'),
      }),
    )
    .output(
      z.object({
        reportUrl: z.string(),
        reportSecret: z.string().optional(),
        /** The carrier shows the secret as the verify token of a challenge. */
        isVerifyToken: z.boolean(),
      }),
    ),
  settings: act(
    'GET /carriers/{name}',
    'Show the settings of a carrier. The values for the form of a carrier. It has no secret, only which ones are stored.',
    'carriers',
    'installation',
  )
    .input(ofCarrier)
    .output(
      z.object({
        type,
        channels: z.array(leg),
        settings: z.record(z.string(), z.string()),
        secrets: z.array(z.string()),
      }),
    ),
  change: act(
    'PUT /carriers/{name}',
    'Change the settings of a carrier. A new address needs the secrets again.',
    'carriers',
    'installation',
  )
    .input(filledIn.extend(ofCarrier.shape))
    .output(ok),
  compare: act(
    'POST /carriers/{name}/compare',
    'Compare settings with those that are stored. Nothing changes. Answers the names of those that differ, also of secrets, and `channels`.',
    'carriers',
    'installation',
  )
    .input(filledIn.extend(ofCarrier.shape))
    .output(z.object({ differing: z.array(z.string()) })),
  pause: act(
    'POST /carriers/{name}/pause',
    'Pause a carrier. It gets no new message until it is resumed. Its reports still count.',
    'carriers',
    'installation',
  )
    .input(ofCarrier)
    .output(ok),
  resume: act('POST /carriers/{name}/resume', 'Resume a carrier.', 'carriers', 'installation')
    .input(ofCarrier)
    .output(ok),
  rotate: act(
    'POST /carriers/{name}/rotate',
    'Change the credentials of a carrier. Changes it once it has accepted a test message with the new settings. Reports that are signed with the old credentials count for another day.',
    'carriers',
    'installation',
  )
    .input(filledIn.extend({ ...ofCarrier.shape, test: testOrder }))
    .output(testReport.extend({ isRotated: z.boolean() })),
  remove: act(
    'DELETE /carriers/{name}',
    'Remove a carrier. Routes that name it stay, and go on with their other carriers.',
    'carriers',
    'installation',
  )
    .input(ofCarrier)
    .output(ok),
  whatsappTemplate: act(
    'POST /carriers/{name}/whatsapp-template',
    'Create a WhatsApp template. Creates these languages of the WhatsApp template at Meta, and answers the state of each one that is there.',
    'carriers',
    'installation',
  )
    .input(
      ofCarrier.extend({
        languages: z.array(z.string()).max(50),
        /** How long the message says that a code lives. */
        minutes: z.int().min(1).max(90),
        androidApps: z.array(z.object({ packageName: z.string(), signatureHash: z.string() })).max(5),
      }),
    )
    .output(z.object({ template: z.string(), languages: z.array(templateState) })),
  explain: act(
    'POST /routes/explain',
    'Explain a route. Which carrier would get a code for a number now, and why. The number is in the body of the request alone: it is neither stored nor logged, and nothing is sent.',
    'carriers',
    'installation',
  )
    .input(z.object({ appId: z.string(), to: z.string(), channel, kind: z.enum(['sk', 'pk']) }))
    .output(
      z.object({
        country: z.string().optional(),
        isPlanned: z.boolean(),
        /** Rules that would refuse the code now. */
        refusals: z.array(z.enum(RULES)),
        legs: z.array(
          z.object({
            channel: leg,
            waitSec: z.int().optional(),
            isAbsent: z.boolean(),
            route: z.object({ country: z.string().optional(), appId: z.string().optional() }).optional(),
            carriers: z.array(
              z.object({
                name: z.string(),
                state: z.enum(['next', 'later', 'unhealthy', 'paused', 'unheeded']),
                since: at.optional(),
                code: z.string().optional(),
                explanation: z.string().optional(),
              }),
            ),
          }),
        ),
      }),
    ),
  routes: act('GET /routes', 'List the routes.', 'look', 'installation').output(z.object({ routes: z.array(route) })),
  setRoute: act(
    'PUT /routes',
    'Set the route of a channel. `countries`: the same route for each of these.',
    'carriers',
    'installation',
  )
    .input(route.extend({ countries: severalCountries.optional() }))
    .output(ok),
  removeRoute: act('POST /routes/remove', 'Remove a route.', 'carriers', 'installation')
    .input(route.omit({ providers: true }))
    .output(ok),
}
