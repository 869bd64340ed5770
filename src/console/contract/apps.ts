/** Apps and their keys. */
import { z } from 'zod'
import { SCOPES } from '../../../contract/scope'
import { CAP_PLACES, CAP_UNITS, CAP_WINDOWS } from '../../abuse/rules/cap'
import { ON_OUTAGE, VENDORS } from '../../abuse/rules/challenge'
import { PROTECTION_MODES } from '../../abuse/rules/rule'
import { ALLOWANCES } from '../../domain/access/api-key'
import { CALLER_KINDS } from '../../domain/access/caller'
import { RESENDS } from '../../domain/delivery/plan'
import { at, channel, leg, mode, ofApp, ok, procedure, severalCountries } from './base'

/** ISO 3166 code of the region for national phone formats; missing: the server's own. */
const region = z.string().optional()

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
const decided = decidable.partial().extend({
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
const texts = z.object({
  webOtpDomain: z.string().optional(),
  androidHash: z.string().optional(),
  localeByCountry: z.boolean(),
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
const retentionDays = z.int().optional()

/** The key of a delivery plan: the channel that callers ask for, and one country or all others. */
const planKey = z.object({ channel, country: z.string().optional() })
const plan = planKey.extend({
  resend: z.enum(RESENDS).optional(),
  legs: z.array(z.object({ channel: leg, waitSec: z.number().optional() })),
})

const app = z.object({
  ...{ appId: z.string(), name: z.string(), region, protection, texts, provesMetadata, retentionDays, createdAt: at },
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
  list: procedure('look', 'apps').output(
    z.object({ apps: z.array(app), defaultRegion: z.string(), liveRetentionDays: z.int() }),
  ),
  create: procedure('apps', 'installation')
    .input(z.object({ name: z.string(), region }))
    .output(app),
  rename: procedure('apps')
    .input(ofApp.extend({ name: z.string() }))
    .output(app),
  setRegion: procedure('apps').input(ofApp.extend({ region })).output(app),
  protect: procedure('protection')
    .input(ofApp.extend({ protection: decided }))
    .output(app),
  setTexts: procedure('apps')
    .input(ofApp.extend({ texts: wantedTexts }))
    .output(app),
  setProvesMetadata: procedure('apps').input(ofApp.extend({ provesMetadata })).output(app),
  setRetention: procedure('apps').input(ofApp.extend({ retentionDays })).output(app),
  /** `countries`: the same plan for each of these. */
  setPlan: procedure('carriers')
    .input(ofApp.extend({ ...plan.shape, countries: severalCountries.optional() }))
    .output(ok),
  removePlan: procedure('carriers').input(ofApp.extend(planKey.shape)).output(ok),
  challenge: procedure('protection')
    .input(ofApp)
    .output(z.object({ challenge: challenge.optional() })),
  /** Without a secret the stored one stays, if the vendor is the same. */
  setChallenge: procedure('protection')
    .input(ofApp.extend({ ...challenge.shape, secret: z.string().optional() }))
    .output(ok),
  removeChallenge: procedure('protection').input(ofApp).output(ok),
  /** With their codes, which are as good as a message: only for those who may change them. */
  reviewNumbers: procedure('apps')
    .input(ofApp)
    .output(z.object({ reviewNumbers: z.array(reviewNumber) })),
  /** One of the same name is replaced. */
  addReviewNumber: procedure('apps')
    .input(ofApp.extend({ name: z.string(), phoneNumber: z.string().max(40), days: z.int(), dailyMax: z.int() }))
    .output(reviewNumber),
  removeReviewNumber: procedure('apps')
    .input(ofApp.extend({ name: z.string() }))
    .output(ok),
  /** All countries, for every form that asks for one. */
  regions: procedure('look', 'anyone').output(z.object({ regions: z.array(z.string()) })),
  twilio: procedure('look').input(ofApp).output(twilio),
  /** Clients of Twilio Verify may name the purpose from now on. */
  addTwilioPurpose: procedure('apps')
    .input(ofApp.extend({ purpose: z.string() }))
    .output(twilio),
}

export const allows = z.array(z.enum(ALLOWANCES))

const limits = z.object({
  issuesPerMin: z.int().min(1).optional(),
  verifiesPerMin: z.int().min(1).optional(),
  readsPerMin: z.int().min(1).optional(),
  issuesPerMinPerIp: z.int().min(1).optional(),
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
  list: procedure('look')
    .input(ofApp)
    .output(z.object({ keys: z.array(key) })),
  /** Returns the key itself, once. */
  create: procedure('keys')
    .input(
      ofApp.extend({
        kind: z.enum(['sk', 'pk']),
        mode,
        name: z.string().optional(),
        scopes: z.array(z.enum(SCOPES)).optional(),
        allowedOrigins: z.array(z.string()).default([]),
        allowedCidrs: z.array(z.string()).default([]),
        limits: limits.default({}),
        allows: allows.default([]),
        expiresAt: at.optional(),
      }),
    )
    .output(z.object({ keyId: z.string(), key: z.string() })),
  /** A new key with the same rights; the old one stops working after `overlapHours`. */
  rotate: procedure('keys')
    .input(z.object({ keyId: z.string(), overlapHours: z.int().min(0).max(168) }))
    .output(z.object({ keyId: z.string(), key: z.string(), previousWorksUntil: at })),
  /** Sets the extra rights of a live browser key. */
  allow: procedure('keys')
    .input(z.object({ keyId: z.string(), allows }))
    .output(ok),
  revoke: procedure('keys')
    .input(z.object({ keyId: z.string() }))
    .output(ok),
}
