/** Sessions, operators and invitations. */
import { z } from 'zod'
import { at, ok, permission, procedure, role } from './base'

/** Missing: all apps. */
const appIds = z.array(z.string()).optional()

const operator = z.object({
  operatorId: z.string(),
  email: z.string(),
  name: z.string(),
  role,
  appIds,
  hasTotp: z.boolean(),
  createdAt: at,
  lastSeenAt: at.optional(),
})

const password = z.string().min(12).max(256)
const email = z.email().max(254)
/** Neither control characters nor those that turn the direction of a text: a terminal would obey them. */
const printable = z
  .string()
  .trim()
  .max(100)
  .regex(/^[^\p{Cc}\u202a-\u202e\u2066-\u2069]*$/u, 'must have no control characters')
const personName = printable.min(1)
const token = z.string().min(20).max(200)

/** Browser and system are one word each, empty where they are not known. */
const openSession = z.object({
  sessionId: z.string(),
  createdAt: at,
  lastSeenAt: at,
  browser: z.string(),
  system: z.string(),
  /** The session of the caller. */
  isThis: z.boolean(),
})
const sessions = z.object({ sessions: z.array(openSession) })
const ended = z.object({ sessions: z.int() })
const ofSession = z.object({ sessionId: z.string() })
const ofOperator = z.object({ operatorId: z.string() })

export const session = {
  /** The caller's session; `operator` is missing while nobody is signed in. */
  current: procedure(null).output(
    z.object({
      operator: operator.extend({ permissions: z.array(permission) }).optional(),
      /** There is no account yet; the set-up link that the server prints creates the first. */
      needsSetup: z.boolean(),
      organization: z.string(),
      version: z.string(),
    }),
  ),
  /** Creates the owner, once, with the token of the set-up link, and signs in. */
  setUp: procedure(null)
    .input(z.object({ token, name: personName, email, password }))
    .output(ok),
  /** `totp` is required if the account has it; otherwise 401 with the reason `totp_needed`. */
  signIn: procedure(null)
    .input(z.object({ email, password: z.string().max(256), totp: z.string().max(10).optional() }))
    .output(ok),
  signOut: procedure('look', 'anyone').output(ok),
  signOutEverywhere: procedure('look', 'anyone').output(ended),
  list: procedure('look', 'anyone').output(sessions),
  end: procedure('look', 'anyone').input(ofSession).output(ok),
  endOthers: procedure('look', 'anyone').output(ended),
  changePassword: procedure('look', 'anyone')
    .input(z.object({ current: z.string().max(256), password }))
    .output(ok),
  /** Returns a secret for a QR code; it takes effect once `totpConfirm` has proved that it was scanned. */
  totpBegin: procedure('look', 'anyone')
    .input(z.object({ current: z.string().max(256) }))
    .output(z.object({ secret: z.string(), uri: z.string() })),
  totpConfirm: procedure('look', 'anyone')
    .input(z.object({ totp: z.string().max(10) }))
    .output(ok),
  totpRemove: procedure('look', 'anyone')
    .input(z.object({ current: z.string().max(256) }))
    .output(ok),
  invitation: procedure(null)
    .input(z.object({ token }))
    .output(z.object({ role, invitedBy: z.string(), expiresAt: at })),
  accept: procedure(null)
    .input(z.object({ token, name: personName, email, password }))
    .output(ok),
}

export const operators = {
  /** Whoever sees some apps only learns the owners, whom to ask. */
  list: procedure('look', 'apps').output(
    z.object({
      operators: z.array(operator),
      invitations: z.array(
        z.object({
          invitationId: z.string(),
          role,
          appIds,
          note: z.string().optional(),
          invitedBy: z.string(),
          expiresAt: at,
        }),
      ),
    }),
  ),
  /** Returns a link that works once, for three days. */
  invite: procedure('operators', 'installation')
    .input(z.object({ role, appIds, note: printable.optional() }))
    .output(z.object({ url: z.string(), expiresAt: at })),
  withdraw: procedure('operators', 'installation')
    .input(z.object({ invitationId: z.string() }))
    .output(ok),
  changeRole: procedure('operators', 'installation').input(ofOperator.extend({ role, appIds })).output(ok),
  /** Lifts the sign-in lockouts of the account. */
  unlock: procedure('operators', 'installation').input(ofOperator).output(ok),
  remove: procedure('operators', 'installation').input(ofOperator).output(ok),
  sessions: procedure('operators', 'installation').input(ofOperator).output(sessions),
  endSession: procedure('operators', 'installation').input(ofOperator.extend(ofSession.shape)).output(ok),
  endSessions: procedure('operators', 'installation').input(ofOperator).output(ended),
}
