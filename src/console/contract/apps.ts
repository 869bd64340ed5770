/** Apps and their keys. */
import { z } from 'zod'
import { SCOPES } from '../../../contract/scope'
import { CAP_PLACES, CAP_UNITS, CAP_WINDOWS } from '../../abuse/rules/cap'
import { ON_OUTAGE, VENDORS } from '../../abuse/rules/challenge'
import { PROTECTION_MODES } from '../../abuse/rules/rule'
import { ALLOWANCES } from '../../domain/access/api-key'
import { at, mode, ofApp, ok, procedure } from './base'

/** ISO 3166 code of the country whose national phone formats are read; missing: the server's own. */
const region = z.string().optional()

const protectionMode = z.enum(PROTECTION_MODES)
const countries = z.array(z.string())

const cap = z.object({
  kind: z.enum(['sk', 'pk']),
  per: z.enum(CAP_PLACES),
  of: z.enum(CAP_UNITS),
  every: z.enum(CAP_WINDOWS),
  max: z.int(),
})
const trusted = z.object({ networks: z.array(z.string()), countries })
const resendMs = z.object({ sk: z.int(), pk: z.int() })

/** What an owner decides about abuse: countries by their codes, times in milliseconds; `lockMs` null: until an operator opens it. */
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

/** As it is: of trusted phones how many there are. What is blocked for a while is with what came of it. */
const protection = decidable.extend({ resendMs, trusted: trusted.extend({ phones: z.int() }) })

/** What is not named stays. Phones can only be trusted no more; which ones they are is known nowhere. */
const decided = decidable.partial().extend({
  resendMs: resendMs.partial().optional(),
  trusted: trusted
    .partial()
    .extend({ phones: z.tuple([]).optional() })
    .optional(),
})

/** What is asked for where a code would be refused for abuse, without the secret. */
const challenge = z.object({
  vendor: z.enum(VENDORS),
  siteKey: z.string().optional(),
  onOutage: z.enum(ON_OUTAGE),
})

/** How its texts are written: what fills codes in, and whether the number's country chooses the language. */
const texts = z.object({
  webOtpDomain: z.string().optional(),
  androidHash: z.string().optional(),
  localeByCountry: z.boolean(),
})

/** What is not named stays; null: none from now on. */
const wantedTexts = z.object({
  webOtpDomain: z.string().nullable().optional(),
  androidHash: z.string().nullable().optional(),
  localeByCountry: z.boolean().optional(),
})

/** Whether proofs of verification say what an issue's metadata is. */
const provesMetadata = z.boolean()

/** Days live issues are kept; missing: as the server is set. */
const retentionDays = z.int().optional()

const app = z.object({
  ...{ appId: z.string(), name: z.string(), region, protection, texts, provesMetadata, retentionDays, createdAt: at },
})

export const apps = {
  list: procedure('look').output(
    z.object({ apps: z.array(app), defaultRegion: z.string(), liveRetentionDays: z.int() }),
  ),
  create: procedure('apps')
    .input(z.object({ name: z.string(), region }))
    .output(app),
  rename: procedure('apps')
    .input(ofApp.extend({ name: z.string() }))
    .output(app),
  setRegion: procedure('apps').input(ofApp.extend({ region })).output(app),
  protect: procedure('apps')
    .input(ofApp.extend({ protection: decided }))
    .output(app),
  setTexts: procedure('apps')
    .input(ofApp.extend({ texts: wantedTexts }))
    .output(app),
  setProvesMetadata: procedure('apps').input(ofApp.extend({ provesMetadata })).output(app),
  setRetention: procedure('apps').input(ofApp.extend({ retentionDays })).output(app),
  challenge: procedure('apps')
    .input(ofApp)
    .output(z.object({ challenge: challenge.optional() })),
  /** Without a secret the stored one stays, where the vendor is the same. */
  setChallenge: procedure('apps')
    .input(ofApp.extend({ ...challenge.shape, secret: z.string().optional() }))
    .output(ok),
  removeChallenge: procedure('apps').input(ofApp).output(ok),
  /** All that can be chosen. */
  regions: procedure('apps').output(z.object({ regions: z.array(z.string()) })),
}

const allows = z.array(z.enum(ALLOWANCES))

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
  /** Enough to recognise it: how it begins, and its last four characters. */
  shown: z.string(),
  scopes: z.array(z.string()),
  allowedOrigins: z.array(z.string()),
  allowedCidrs: z.array(z.string()),
  limits,
  allows,
  /** It works, and may do more than live browser keys should: what `allows` says. */
  isOpen: z.boolean(),
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
  /** Answers the key itself, once. */
  create: procedure('keys')
    .input(
      ofApp.extend({
        kind: z.enum(['sk', 'pk']),
        mode,
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
  /** What a live public key may do beyond the usual, from now on. */
  allow: procedure('keys')
    .input(z.object({ keyId: z.string(), allows }))
    .output(ok),
  revoke: procedure('keys')
    .input(z.object({ keyId: z.string() }))
    .output(ok),
}
