/** A second factor: the codes of an authenticator app. */
import { Secret, TOTP } from 'otpauth'
import type { Operator } from '../../domain/access/operator'
import { invalid, Refusal } from '../../domain/shared/error'
import { MINUTE_MS } from '../../domain/shared/value'
import type { Clock } from '../../ports/clock'
import type { Store } from '../../ports/store'
import type { Random, Vault } from '../../ports/vault'
import type { Actor } from '../shared/write-audit'
import { assertSamePassword, changeOperator, lockOperator } from './accounts'
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
export async function useOnce({ node }: Pick<PasswordDependencies, 'node'>, subject: string): Promise<void> {
  try {
    await node.limits.acquire([attemptRule(subject, 1)])
  } catch {
    throw new Refusal('unauthorized', 'This code was used already; wait for the next one', { reason: 'totp_used' })
  }
}

const TO_PROVE_MS = 10 * MINUTE_MS

/**
 * A new secret, and the URI an authenticator app reads; it counts once a code has proved it, whichever server that comes to.
 * Needs the password, as taking one off does: whoever finds a session open would lock its owner out. Throws `invalid` or
 * `limited`.
 */
export async function beginTotp(
  deps: PasswordDependencies & { store: Store; random: Random },
  before: Operator,
  current: string,
): Promise<{ secret: string; uri: string }> {
  await assertPassword(deps, before, current)
  const { store, random } = deps
  const { base32: secret } = new Secret({ buffer: Uint8Array.from(random.bytes(20)).buffer as ArrayBuffer })
  return store.transaction(async (tx) => {
    const operator = await lockOperator(tx, before.operatorId)
    assertSamePassword(operator, before)
    await tx.people.save({ ...operator, totpBegun: { secret, until: tx.now + TO_PROVE_MS } })
    return { secret, uri: totpOf(secret, operator.email).toString() }
  })
}

export async function confirmTotp(
  deps: { store: Store; clock: Pick<Clock, 'now'>; vault: Vault; node: PasswordDependencies['node'] },
  actor: Actor,
  operator: Operator,
  totp: string,
): Promise<void> {
  let step: number | undefined
  const change = ({ totpBegun, ...known }: Operator): Operator => {
    const now = deps.clock.now()
    if (!totpBegun || now >= totpBegun.until) throw invalid('totp', 'totp_begin_anew', 'begin anew')
    const { secret } = totpBegun
    step = totpStep(secret, totp, now)
    if (step === undefined) throw invalid('totp', 'totp_wrong', 'the code is wrong')
    // Taking one off needs the password; a session alone must not do it by putting another on.
    if (known.totpSecret !== undefined) throw invalid('totp', 'totp_already_on', 'take off the one there is first')
    return { ...known, totpSecret: secret }
  }
  await changeOperator(deps, actor, operator.operatorId, 'operator.totp_on', change)
  // Whoever has seen it being typed must not sign in by it.
  await useOnce(deps, `totp:${operator.operatorId}:${step}`)
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
