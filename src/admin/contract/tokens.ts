/** Tokens of the management API. Only an owner at the console or the command line makes them, so they have no route. */
import { z } from 'zod'
import { ADMIN_NOUNS } from '../../domain/access/admin-token'
import { at, ok, procedure } from './base'

/** A noun of this contract, and `read` or `write`. */
const scope = z.enum(ADMIN_NOUNS.flatMap((noun) => [`${noun}:read` as const, `${noun}:write` as const]))

const rights = z.object({
  scopes: z.array(scope).max(100),
  /** The only apps it sees; missing: all. */
  appIds: z.array(z.string()).min(1).max(100).optional(),
  /** From where it is taken; none: from anywhere. */
  allowedCidrs: z.array(z.string()).max(100),
  expiresAt: at.optional(),
})

const token = rights.extend({ tokenId: z.string(), name: z.string(), createdBy: z.string(), createdAt: at })

export const tokens = {
  list: procedure('operators', 'installation').output(z.object({ tokens: z.array(token) })),
  /** The token is shown only now. */
  create: procedure('operators', 'installation')
    .input(rights.partial({ allowedCidrs: true }).extend({ name: z.string() }))
    .output(token.extend({ token: z.string() })),
  revoke: procedure('operators', 'installation')
    .input(z.object({ tokenId: z.string() }))
    .output(ok),
}
