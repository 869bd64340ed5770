/** Scopes of API keys. Specification: "Authentication", table "Scopes". */
import { z } from 'zod'

export const SCOPES = [
  'otp:issue',
  'otp:send',
  'otp:verify',
  'otp:status',
  'otp:dashboard:read',
  'otp:ledger:read',
  'otp:balance',
  'otp:templates',
  'otp:read',
  '*',
] as const

export const scope = z.enum(SCOPES)
export type Scope = z.infer<typeof scope>

/** Access rules of one operation. */
export interface OperationAccess {
  requiredScope: Scope
  /** Other scopes that permit the operation, always with `*`. */
  alsoAccepted: readonly Scope[]
  /** Whether a `pk_` key may call it. */
  publicKey: boolean
  /** The rate limit that the operation counts against; `uncounted`: not even that of the key over all operations. */
  limitedAs: 'issue' | 'verify' | 'read' | 'none' | 'uncounted'
}

export const ACCESS = {
  issue: { requiredScope: 'otp:issue', alsoAccepted: ['otp:send', '*'], publicKey: true, limitedAs: 'issue' },
  verify: { requiredScope: 'otp:verify', alsoAccepted: ['otp:read', '*'], publicKey: true, limitedAs: 'verify' },
  status: { requiredScope: 'otp:status', alsoAccepted: ['otp:read', '*'], publicKey: false, limitedAs: 'read' },
  issues: { requiredScope: 'otp:dashboard:read', alsoAccepted: ['otp:read', '*'], publicKey: false, limitedAs: 'read' },
  ledger: {
    requiredScope: 'otp:ledger:read',
    alsoAccepted: ['otp:dashboard:read', 'otp:read', '*'],
    publicKey: false,
    limitedAs: 'read',
  },
  balance: { requiredScope: 'otp:balance', alsoAccepted: ['*'], publicKey: false, limitedAs: 'read' },
  templates: { requiredScope: 'otp:templates', alsoAccepted: ['otp:read', '*'], publicKey: false, limitedAs: 'none' },
} as const satisfies Record<string, OperationAccess>
