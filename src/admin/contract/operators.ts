/** Operators, their sessions and invitations. */
import { z } from 'zod'
import { act, at, ok, role } from './base'

/** Missing: all apps. */
const appIds = z.array(z.string()).optional()

export const operator = z.object({
  operatorId: z.string(),
  email: z.string(),
  name: z.string(),
  role,
  appIds,
  hasTotp: z.boolean(),
  createdAt: at,
  lastSeenAt: at.optional(),
})

/** Neither control characters nor those that turn the direction of a text: a terminal would obey them. */
export const printable = z
  .string()
  .trim()
  .max(100)
  .regex(/^[^\p{Cc}\u202a-\u202e\u2066-\u2069]*$/u, 'must have no control characters')

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
export const sessions = z.object({ sessions: z.array(openSession) })
export const ended = z.object({ sessions: z.int() })
export const ofSession = z.object({ sessionId: z.string() })
const ofOperator = z.object({ operatorId: z.string() })

export const operators = {
  list: act(
    'GET /operators',
    'List operators and invitations. Whoever sees some apps only learns the owners, whom to ask.',
    'look',
    'apps',
  ).output(
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
  invite: act(
    'POST /operators/invitations',
    'Invite an operator. Returns a link that works once, for three days.',
    'operators',
    'installation',
  )
    .input(z.object({ role, appIds, note: printable.optional() }))
    .output(z.object({ url: z.string(), expiresAt: at })),
  withdraw: act('DELETE /operators/invitations/{invitationId}', 'Withdraw an invitation.', 'operators', 'installation')
    .input(z.object({ invitationId: z.string() }))
    .output(ok),
  changeRole: act(
    'PUT /operators/{operatorId}/role',
    'Change the role or the apps of an operator.',
    'operators',
    'installation',
  )
    .input(ofOperator.extend({ role, appIds }))
    .output(ok),
  unlock: act(
    'POST /operators/{operatorId}/unlock',
    'Unlock an operator. Lifts the sign-in lockouts of the account.',
    'operators',
    'installation',
  )
    .input(ofOperator)
    .output(ok),
  remove: act('DELETE /operators/{operatorId}', 'Remove an operator.', 'operators', 'installation')
    .input(ofOperator)
    .output(ok),
  sessions: act(
    'GET /operators/{operatorId}/sessions',
    'List the sessions of an operator.',
    'operators',
    'installation',
  )
    .input(ofOperator)
    .output(sessions),
  endSession: act('DELETE /operators/{operatorId}/sessions/{sessionId}', 'End a session.', 'operators', 'installation')
    .input(ofOperator.extend(ofSession.shape))
    .output(ok),
  endSessions: act(
    'DELETE /operators/{operatorId}/sessions',
    'End all sessions of an operator.',
    'operators',
    'installation',
  )
    .input(ofOperator)
    .output(ended),
}
