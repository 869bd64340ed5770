/** A request that shows that a new key works, as far as its scopes allow one. */

import { curl } from '../../curl'
import { freshName } from '../../fresh-name'
import { magicNumber } from '../../i18n/scenarios'
import type { ShownMode } from '../../scope'

export interface CreatedKey {
  key: string
  kind: 'sk' | 'pk'
  mode: ShownMode
  scopes: readonly string[]
  allowedOrigins: readonly string[]
}

/** By scope: what may be asked without sending or costing anything. */
const READS = [
  ['/balance', ['otp:balance', '*']],
  ['/templates', ['otp:templates', 'otp:read']],
  ['/issues', ['otp:dashboard:read']],
  ['/credit-ledger', ['otp:ledger:read']],
] as const

/** Test keys issue to a magic number, live keys read: nobody is sent a message by accident. */
export function firstRequest({ key, kind, mode, scopes, allowedOrigins }: CreatedKey): string | undefined {
  const site = kind === 'pk' ? (allowedOrigins[0] ?? 'http://localhost:3000') : undefined
  const mayUse = (...names: readonly string[]) => scopes.some((scope) => names.includes(scope))
  if (mode === 'test' && mayUse('otp:issue', 'otp:send', '*')) {
    const body = { phoneNumber: magicNumber(0), purpose: 'signup' }
    return curl({ path: '/issue', key, site, idempotencyKey: freshName('hello'), body })
  }
  const read = kind === 'sk' ? READS.find(([, names]) => mayUse(...names)) : undefined
  return read && curl({ path: read[0], key })
}
