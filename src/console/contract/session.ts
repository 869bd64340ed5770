/** Signing in and out, and what people change of their own account. Machines have tokens instead. */
import { z } from 'zod'
import { at, email, ok, permission, procedure, role } from '../../admin/contract/base'
import { ended, ofSession, operator, printable, sessions } from '../../admin/contract/operators'

const password = z.string().min(12).max(256)
const personName = printable.min(1)
const token = z.string().min(20).max(200)

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
