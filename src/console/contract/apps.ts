/** Apps and their keys. */
import { z } from 'zod'
import { SCOPES } from '../../../contract/scope'
import { at, mode, ofApp, ok, procedure } from './base'

const app = z.object({ appId: z.string(), name: z.string(), createdAt: at })

export const apps = {
  list: procedure('look').output(z.object({ apps: z.array(app) })),
  create: procedure('apps')
    .input(z.object({ name: z.string() }))
    .output(app),
}

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
        expiresAt: at.optional(),
      }),
    )
    .output(z.object({ keyId: z.string(), key: z.string() })),
  /** A new key with the same rights; the old one stops working after `overlapHours`. */
  rotate: procedure('keys')
    .input(z.object({ keyId: z.string(), overlapHours: z.int().min(0).max(168) }))
    .output(z.object({ keyId: z.string(), key: z.string(), previousWorksUntil: at })),
  revoke: procedure('keys')
    .input(z.object({ keyId: z.string() }))
    .output(ok),
}
