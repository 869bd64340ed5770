/** A second factor: the codes of an authenticator app. */
import { Secret, TOTP } from 'otpauth'
import { invalid, Refusal } from '../../domain/error'
import type { Operator } from '../../domain/operator'
import type { Clock } from '../../ports/clock'
import type { Node } from '../../ports/node'
import type { Random } from '../../ports/random'
import type { Store } from '../../ports/store'
import type { Vault } from '../../ports/vault'
import type { Actor } from '../shared/note-change'
import { assertSamePassword, changeOperator } from './accounts'
import { assertPassword, attemptRule, type PasswordDependencies } from './attempts'

const totpOf = (secret: string, label = '') =>
  new TOTP({ issuer: 'Watchword', label, secret: Secret.fromBase32(secret) })

const TOTP_STEP_MS = 30_000

/** Which half minute a code belongs to: this one, the one before or the one after; undefined where it is none of theirs. */
export function totpStep(secret: string, token: string, timestamp: number): number | undefined {
  const delta = /^\d{6}$/.test(token) ? totpOf(secret).validate({ token, timestamp, window: 1 }) : null
  return delta === null ? undefined : Math.floor(timestamp / TOTP_STEP_MS) + delta
}

/** A code that somebody has seen being typed is worth nothing. */
export async function useOnce({ node }: { node: Pick<Node, 'limits'> }, subject: string): Promise<void> {
  try {
    await node.limits.take([attemptRule(subject, 1)])
  } catch {
    throw new Refusal('unauthorized', 'This code was used already; wait for the next one', { reason: 'totp_used' })
  }
}

/** A new secret, and the URI an authenticator app reads; stored once a code has proved it. */
export function newTotp(random: Random, { email }: Operator): { secret: string; uri: string } {
  const { base32 } = new Secret({ buffer: Uint8Array.from(random.bytes(20)).buffer as ArrayBuffer })
  return { secret: base32, uri: totpOf(base32, email).toString() }
}

export async function confirmTotp(
  deps: { store: Store; clock: Pick<Clock, 'now'>; vault: Vault },
  actor: Actor,
  operator: Operator,
  { secret, totp }: { secret: string; totp: string },
): Promise<void> {
  if (totpStep(secret, totp, deps.clock.now()) === undefined) throw invalid('totp', 'totp_wrong', 'the code is wrong')
  const change = (known: Operator): Operator => {
    // Taking one off needs the password; a session alone must not do it by putting another on.
    if (known.totpSecret !== undefined) throw invalid('totp', 'totp_already_on', 'take off the one there is first')
    return { ...known, totpSecret: secret }
  }
  await changeOperator(deps, actor, operator.operatorId, 'operator.totp_on', change)
}

export async function removeTotp(
  deps: PasswordDependencies & { store: Store; vault: Vault },
  actor: Actor,
  operator: Operator,
  current: string,
) {
  await assertPassword(deps, operator, current)
  const change = (known: Operator): Operator => {
    assertSamePassword(known, operator)
    return { ...known, totpSecret: undefined }
  }
  await changeOperator(deps, actor, operator.operatorId, 'operator.totp_off', change)
}
