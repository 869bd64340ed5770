/** Apps and their keys. */
import { z } from 'zod'
import { SCOPES } from '../../../contract/scope'
import { CAP_PLACES, CAP_UNITS, CAP_WINDOWS } from '../../abuse/rules/cap'
import { ON_OUTAGE, VENDORS } from '../../abuse/rules/challenge'
import { PROTECTION_MODES } from '../../abuse/rules/rule'
import { ALLOWANCES } from '../../domain/access/api-key'
import { CALLER_KINDS } from '../../domain/access/caller'
import { RESENDS } from '../../domain/delivery/plan'
import { act, at, channel, leg, mode, ofApp, ok, oneCountry, pageInput, severalCountries } from './base'

/** ISO 3166 code of the region for national phone formats; missing: the server's own. */
export const region = z.string().optional()

const protectionMode = z.enum(PROTECTION_MODES)
const countries = z.array(z.string())

const cap = z.object({
  kind: z.enum(CALLER_KINDS),
  per: z.enum(CAP_PLACES),
  of: z.enum(CAP_UNITS),
  every: z.enum(CAP_WINDOWS),
  max: z.int(),
})
const trusted = z.object({ networks: z.array(z.string()), countries })
const resendMs = z.object({ sk: z.int(), pk: z.int() })

/** Abuse settings: countries by their codes, times in milliseconds. `lockMs` null locks until an operator unlocks. */
const decidable = z.object({
  numberTypes: protectionMode,
  countries: protectionMode,
  open: countries,
  secretTo: countries,
  closed: countries,
  capping: protectionMode,
  caps: z.array(cap),
  conversion: protectionMode,
  tolerance: z.number(),
  failures: protectionMode,
  lockMs: z.int().nullable(),
})

/** Current settings, with the number of trusted phones. `protection.state` has temporary blocks. */
const protection = decidable.extend({ resendMs, trusted: trusted.extend({ phones: z.int() }) })

/** Missing fields stay. Trusted phones can only be cleared as a whole, because their numbers are unknown. */
export const decided = decidable.partial().extend({
  resendMs: resendMs.partial().optional(),
  trusted: trusted
    .partial()
    .extend({ phones: z.tuple([]).optional() })
    .optional(),
})

/** The challenge instead of a refusal for abuse, without its secret. */
const challenge = z.object({
  vendor: z.enum(VENDORS),
  siteKey: z.string().optional(),
  onOutage: z.enum(ON_OUTAGE),
})

/** Text message settings: autofill lines, and whether the country of the number chooses the language. */
export const texts = z.object({
  localeByCountry: z.boolean(),
  webOtpDomain: z.string().optional(),
  androidHash: z.string().optional(),
})

/** Missing fields stay; null removes a value. */
const wantedTexts = z.object({
  webOtpDomain: z.string().nullable().optional(),
  androidHash: z.string().nullable().optional(),
  localeByCountry: z.boolean().optional(),
})

/** Whether verification proofs include the metadata of the issue. */
const provesMetadata = z.boolean()

/** Retention of live issues in days; missing: the server's setting. */
export const retentionDays = z.int().optional()

/** The key of a delivery plan: the channel that callers ask for, and one country or all others. */
const planKey = z.object({ channel, country: oneCountry })
export const plan = planKey.extend({
  legs: z
    .array(
      z.object({
        channel: leg,
        waitSec: z.number().optional().describe('After so many seconds without a delivery the next leg begins.'),
      }),
    )
    .describe('The channels that a code goes by, in order.'),
  resend: z.enum(RESENDS).optional(),
})

const app = z.object({
  ...{
    appId: z.string(),
    organizationId: z.string(),
    name: z.string(),
    region,
    protection,
    texts,
    provesMetadata,
    retentionDays,
    createdAt: at,
  },
  /** Missing: none. */
  plans: z.array(plan).optional(),
})

/** Settings of clients of Twilio Verify. None of them is a secret. */
const twilio = z.object({
  baseUrl: z.string(),
  accountSid: z.string(),
  services: z.array(z.object({ purpose: z.string(), serviceSid: z.string() })),
})

/** A live number that gets a fixed code and no message. `dailyMax`: codes in 24 hours. */
const reviewNumber = z.object({ name: z.string(), code: z.string(), dailyMax: z.int(), createdAt: at, endsAt: at })

export const apps = {
  list: act(
    'GET /apps',
    'List the apps that the caller sees. A page may have fewer than `limit`, and be followed by others.',
    'look',
    'apps',
  )
    .input(pageInput.prefault({}))
    .output(
      z.object({
        apps: z.array(app),
        next: z.string().optional().describe('Where the next page begins, as its `after`.'),
        defaultRegion: z.string(),
        liveRetentionDays: z.int(),
      }),
    ),
  show: act('GET /apps/{appId}', 'Show an app.', 'look').input(ofApp).output(app),
  create: act('POST /apps', 'Create an app.', 'apps', 'installation')
    .input(z.object({ name: z.string(), region }))
    .output(app),
  rename: act('PUT /apps/{appId}/name', 'Rename an app. Its id stays.', 'apps')
    .input(ofApp.extend({ name: z.string() }))
    .output(app),
  remove: act(
    'DELETE /apps/{appId}',
    'Remove an app. Its keys and webhooks stop at once. What is under way is still delivered and billed, and its ledger stays.',
    'apps',
  )
    .input(ofApp)
    .output(z.object({ revokedKeys: z.int(), removedWebhooks: z.int(), balance: z.int() })),
  setRegion: act(
    'PUT /apps/{appId}/region',
    'Set the region by which national numbers are read. Without one the server’s default counts.',
    'apps',
  )
    .input(ofApp.extend({ region }))
    .output(app),
  protect: act(
    'PUT /apps/{appId}/protection',
    'Change the rules against abuse of an app. Fields that are missing stay.',
    'protection',
  )
    .input(ofApp.extend({ protection: decided }))
    .output(app),
  setTexts: act('PUT /apps/{appId}/texts', 'Set the lines that fill a code in, and the choice of language.', 'apps')
    .input(ofApp.extend({ texts: wantedTexts }))
    .output(app),
  setProvesMetadata: act(
    'PUT /apps/{appId}/proofs',
    'Set whether proofs of verification include the metadata of the issue.',
    'apps',
  )
    .input(ofApp.extend({ provesMetadata }))
    .output(app),
  setRetention: act(
    'PUT /apps/{appId}/retention',
    'Set how many days live issues are kept. Without a number the server’s setting counts.',
    'apps',
  )
    .input(ofApp.extend({ retentionDays }))
    .output(app),
  setPlan: act(
    'PUT /apps/{appId}/plans',
    'Set the delivery plan of a channel, for one country, for several, or for all others. `countries`: the same plan for each of these.',
    'carriers',
  )
    .input(ofApp.extend({ ...plan.shape, countries: severalCountries.optional() }))
    .output(ok),
  removePlan: act('POST /apps/{appId}/plans/remove', 'Remove a delivery plan.', 'carriers')
    .input(ofApp.extend(planKey.shape))
    .output(ok),
  challenge: act('GET /apps/{appId}/challenge', 'Show the challenge of an app, without its secret.', 'protection')
    .input(ofApp)
    .output(z.object({ challenge: challenge.optional() })),
  setChallenge: act(
    'PUT /apps/{appId}/challenge',
    'Set the challenge that an app asks for instead of a refusal. Without a secret the stored one stays, if the vendor is the same.',
    'protection',
  )
    .input(ofApp.extend({ ...challenge.shape, secret: z.string().optional() }))
    .output(ok),
  removeChallenge: act('DELETE /apps/{appId}/challenge', 'Remove the challenge of an app.', 'protection')
    .input(ofApp)
    .output(ok),
  reviewNumbers: act(
    'GET /apps/{appId}/review-numbers',
    'List the review numbers of an app. With their codes, which are as good as a message: only for those who may change them.',
    'apps',
  )
    .input(ofApp)
    .output(z.object({ reviewNumbers: z.array(reviewNumber) })),
  addReviewNumber: act(
    'POST /apps/{appId}/review-numbers',
    'Add a review number. One of the same name is replaced.',
    'apps',
  )
    .input(ofApp.extend({ name: z.string(), phoneNumber: z.string().max(40), days: z.int(), dailyMax: z.int() }))
    .output(reviewNumber),
  removeReviewNumber: act('DELETE /apps/{appId}/review-numbers/{name}', 'Remove a review number.', 'apps')
    .input(ofApp.extend({ name: z.string() }))
    .output(ok),
  regions: act(
    'GET /regions',
    'List all countries. All countries, for every form that asks for one.',
    'look',
    'anyone',
  ).output(z.object({ regions: z.array(z.string()) })),
  twilio: act('GET /apps/{appId}/twilio', 'Show what clients of Twilio Verify need.', 'look')
    .input(ofApp)
    .output(twilio),
  addTwilioPurpose: act(
    'POST /apps/{appId}/twilio/purposes',
    'Add a purpose for clients of Twilio Verify. Clients of Twilio Verify may name the purpose from now on.',
    'apps',
  )
    .input(ofApp.extend({ purpose: z.string() }))
    .output(twilio),
}

export const allows = z
  .array(z.enum(ALLOWANCES))
  .describe('Extra rights of a live browser key: `from` sets the sender, `text` fills variables with free text.')

const limits = z.object({
  issuesPerMin: z.int().optional(),
  verifiesPerMin: z.int().optional(),
  readsPerMin: z.int().optional(),
  issuesPerMinPerIp: z.int().optional(),
})

const key = z.object({
  keyId: z.string(),
  kind: z.enum(['sk', 'pk']),
  mode,
  /** Prefix and last four characters of the key. */
  shown: z.string(),
  scopes: z.array(z.string()),
  allowedOrigins: z.array(z.string()),
  allowedCidrs: z.array(z.string()),
  limits,
  allows,
  /** An active key with more rights than live browser keys should have; see `allows`. */
  isOpen: z.boolean(),
  name: z.string().optional(),
  /** Without a name: an operator who is gone. */
  creator: z.object({ name: z.string().optional(), isCommandLine: z.boolean(), isMine: z.boolean() }),
  state: z.enum(['active', 'expired', 'revoked']),
  createdAt: at,
  expiresAt: at.optional(),
  revokedAt: at.optional(),
  lastUsedAt: at.optional(),
})

export const keys = {
  list: act('GET /apps/{appId}/keys', 'List the API keys of an app.', 'look')
    .input(ofApp)
    .output(z.object({ keys: z.array(key) })),
  create: act('POST /apps/{appId}/keys', 'Create an API key. Returns the key itself, once.', 'keys')
    .input(
      ofApp.extend({
        kind: z.enum(['sk', 'pk']).describe('sk: a secret key, for servers. pk: a browser key, which is public.'),
        mode,
        name: z.string().optional().describe('What it is for, as lists show it.'),
        scopes: z
          .array(z.string())
          .min(1)
          .optional()
          .describe(
            `What it may do, of ${SCOPES.join(', ')}. Missing: * for a secret key, otp:issue and otp:verify for a browser key.`,
          ),
        allowedOrigins: z
          .array(z.string())
          .default([])
          .describe('Exact origins that a browser key is used from, such as https://shop.example.com.'),
        allowedCidrs: z.array(z.string()).default([]).describe('Networks that a secret key is used from; none: any.'),
        limits: limits.default({}).describe('Own limits of a live key, for each minute.'),
        allows: allows.default([]),
        expiresAt: at.optional(),
      }),
    )
    .output(
      key
        .pick({ keyId: true, kind: true, mode: true, name: true, scopes: true, allowedOrigins: true })
        .extend({ key: z.string() }),
    ),
  rotate: act(
    'POST /keys/{keyId}/rotate',
    'Replace an API key. A new key with the same rights; the old one stops working after `overlapHours`.',
    'keys',
  )
    .input(z.object({ keyId: z.string(), overlapHours: z.int().describe('How long the old one goes on, 0 to 168.') }))
    .output(z.object({ keyId: z.string(), key: z.string(), previousWorksUntil: at })),
  allow: act(
    'PUT /keys/{keyId}/allows',
    'Set the extra rights of a live browser key. Sets the extra rights of a live browser key.',
    'keys',
  )
    .input(z.object({ keyId: z.string(), allows }))
    .output(ok),
  revoke: act('DELETE /keys/{keyId}', 'Revoke an API key at once.', 'keys')
    .input(z.object({ keyId: z.string() }))
    .output(z.object({ revokedAt: at })),
}
