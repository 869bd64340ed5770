/** How often somebody may try to prove who they are, beside the pauses of signing in. */

import type { Operator } from '../../domain/access/operator'
import type { LimitRule } from '../../domain/access/rate-limits'
import { invalid } from '../../domain/shared/error'
import { MINUTE_MS } from '../../domain/shared/value'
import type { Limits } from '../../ports/node'
import type { Passwords } from '../../ports/vault'

const ATTEMPTS = 5
const ATTEMPTS_WINDOW_MS = 15 * MINUTE_MS

/** Whoever guesses may come to any server. */
export const attemptRule = (subject: string, max: number): LimitRule => ({
  limit: 'perKey',
  policy: 'platform',
  subject,
  max,
  windowMs: ATTEMPTS_WINDOW_MS,
  isExact: true,
})

export interface PasswordDependencies {
  node: { limits: Pick<Limits, 'acquire'> }
  passwords: Passwords
}

/** Throws `invalid` for a chosen password that whoever guesses tries first. */
export function assertUncommon({ passwords }: { passwords: Passwords }, password: string): void {
  if (passwords.isCommon(password))
    throw invalid('password', 'common_password', 'is among the most common passwords; choose another one')
}

/** Throws `invalid` or `limited`. */
export async function assertPassword(
  { node, passwords }: PasswordDependencies,
  operator: Operator,
  password: string,
): Promise<void> {
  const permit = await node.limits.acquire([attemptRule(`password:${operator.operatorId}`, ATTEMPTS)])
  if (!(await passwords.verify(password, operator.passwordHash)))
    throw invalid('current', 'wrong_password', 'the password is wrong')
  await permit.release()
}
