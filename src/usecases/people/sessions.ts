/** Signing in and out. A session is a cookie; stored is its hash. */

import type { Device } from '../../domain/access/device'
import { networkOf } from '../../domain/access/network'
import { isLive, normalizeEmail, type Operator, type OperatorSession } from '../../domain/access/operator'
import { missing, Refusal } from '../../domain/shared/error'
import { MINUTE_MS } from '../../domain/shared/value'
import type { Clock } from '../../ports/clock'
import type { Node, SignInAttempt, SignInSubject } from '../../ports/node'
import type { Store } from '../../ports/store'
import type { Passwords, Random, Vault } from '../../ports/vault'
import { newToken, tokenHash } from '../shared/id'
import { type Actor, writeAudit } from '../shared/write-audit'
import { totpStep, useOnce } from './second-factor'

/** Somebody who is not signed in. */
export interface Visitor {
  ip: string
  /** Whether the address is surely theirs, and not that of something that many people come through. */
  hasOwnAddress: boolean
  device: Device
}

const wrongCredentials = () =>
  new Refusal('unauthorized', 'E-mail address or password is wrong', { reason: 'wrong_credentials' })

interface SignInDependencies {
  store: Store
  clock: Pick<Clock, 'now' | 'elapsed'>
  random: Random
  vault: Vault
  node: Pick<Node, 'limits' | 'signInLimits'>
  passwords: Passwords
}

/**
 * Answers the session's token. Throws `unauthorized` for every kind of wrong credentials alike, or `limited`: then right
 * and wrong ones are told alike, for nobody has looked at them. From an address the operator has signed in from they are
 * looked at in any case.
 */
export async function signIn(
  deps: SignInDependencies,
  visitor: Visitor,
  { email, password, totp }: { email: string; password: string; totp?: string | undefined },
): Promise<string> {
  const account = normalizeEmail(email)
  const operators = await deps.store.read.people.all()
  const operator = operators.find((known) => known.email === account)
  const isKnown = await isKnownAddress(deps, operator, visitor)
  const who: SignInSubject = {
    account,
    liftedAt: operator?.unlockedAt,
    anyLiftedAt: Math.max(0, ...operators.map(({ unlockedAt = 0 }) => unlockedAt)),
    address: networkOf(visitor.ip),
    isKnown,
  }
  const guess = deps.node.signInLimits.acquire(who, deps.clock.elapsed())
  const isRight = await deps.passwords.verify(password, operator?.passwordHash)
  if (!operator || !isRight) {
    if (operator) notePause(deps, visitor, operator, guess)
    throw guess.refusal(deps.clock.elapsed()) ?? wrongCredentials()
  }
  if (operator.totpSecret !== undefined) {
    if (!totp) {
      // The password was right, and asking for the rest is no attempt.
      guess.release()
      throw new Refusal('unauthorized', 'Enter the code of your authenticator app', { reason: 'totp_needed' })
    }
    guess.continueWithSecondFactor(deps.clock.elapsed())
    const step = totpStep(operator.totpSecret, totp, deps.clock.now())
    if (step === undefined) {
      notePause(deps, visitor, operator, guess)
      throw new Refusal('unauthorized', 'The code of the authenticator app is wrong', { reason: 'totp_wrong' })
    }
    await useOnce(deps, `totp:${operator.operatorId}:${step}`)
  }
  // Only what failed counts.
  guess.succeed()
  return openSession(deps, visitor, operator)
}

const hashOf = ({ vault }: { vault: Vault }, operatorId: string, { ip }: Visitor) =>
  vault.addressHash(`${operatorId} ${networkOf(ip)}`)

/** Looks in any case, so that nobody learns by the time which accounts exist. */
async function isKnownAddress(deps: { store: Store; vault: Vault }, operator: Operator | undefined, visitor: Visitor) {
  const operatorId = operator?.operatorId ?? ''
  const isKnown = await deps.store.read.people.knowsAddress(operatorId, hashOf(deps, operatorId, visitor))
  return isKnown && visitor.hasOwnAddress
}

/** For the audit log, now and then: somebody guesses. Nobody waits for it, or the time would tell which accounts exist. */
function notePause(
  deps: Pick<SignInDependencies, 'store' | 'clock' | 'vault'>,
  { ip }: Visitor,
  { operatorId }: Operator,
  guess: SignInAttempt,
): void {
  const failures = guess.failuresToLog(operatorId, deps.clock.elapsed())
  if (failures === undefined) return
  const actor = { name: NOBODY, ip }
  deps.store
    .transaction((tx) => writeAudit({ vault: deps.vault, actor }, tx, 'session.pause', operatorId, { failures }))
    // A write that fails now is no reason to fail the request.
    .catch(() => {})
}

const NOBODY = 'nobody'

/** Addresses of an operator that are remembered. */
const KNOWN_ADDRESSES = 20

export async function openSession(
  deps: { store: Store; random: Random; vault: Vault },
  visitor: Visitor,
  operator: Operator,
): Promise<string> {
  const token = newToken(deps.random)
  await deps.store.transaction(async (tx) => {
    const { operatorId, passwordHash, totpSecret } = operator
    // Proving who one is takes a while: what it was proved against must still hold.
    const known = (await tx.people.lockAll()).find((other) => other.operatorId === operatorId)
    if (known?.passwordHash !== passwordHash || known.totpSecret !== totpSecret) throw wrongCredentials()
    const times = { createdAt: tx.now, lastSeenAt: tx.now }
    await tx.sessions.add({ tokenHash: tokenHash(token), operatorId, ...times, ...visitor.device })
    await tx.people.touch(operatorId)
    if (visitor.hasOwnAddress)
      await tx.people.rememberAddress(operatorId, hashOf(deps, operatorId, visitor), KNOWN_ADDRESSES)
    const signedIn = { vault: deps.vault, actor: { name: operatorId, ip: visitor.ip } }
    await writeAudit(signedIn, tx, 'session.open', operatorId)
  })
  return token
}

const SEEN_EVERY_MS = MINUTE_MS

/** Whose session a token is, or undefined. */
export async function sessionOf(
  { store, clock }: { store: Store; clock: Pick<Clock, 'now'> },
  token: string,
): Promise<{ session: OperatorSession; operator: Operator } | undefined> {
  const found = await store.read.sessions.find(tokenHash(token))
  const now = clock.now()
  if (!found || !isLive(found.session, now)) return undefined
  if (Math.abs(now - found.session.lastSeenAt) > SEEN_EVERY_MS) {
    await store.transaction((tx) => tx.sessions.touch(found.session.tokenHash))
  }
  return found
}

export async function signOut({ store }: { store: Store }, session: OperatorSession): Promise<void> {
  await store.transaction((tx) => tx.sessions.remove(session.tokenHash))
}

/** A session as people see it. It opens nothing: that takes the token. */
export const sessionId = (hash: Uint8Array) => Buffer.from(hash.subarray(0, 8)).toString('hex')

/** More are not listed; they end by themselves. */
const SESSIONS_LISTED = 100

/** Live sessions of an operator, newest first. */
export async function sessionsOf(
  { store, clock }: { store: Store; clock: Pick<Clock, 'now'> },
  operatorId: string,
): Promise<OperatorSession[]> {
  const sessions = await store.read.sessions.newestOf(operatorId, SESSIONS_LISTED)
  return sessions.filter((session) => isLive(session, clock.now()))
}

/** Throws `not_found`. */
export async function endSession(
  deps: { store: Store; clock: Pick<Clock, 'now'>; vault: Vault },
  actor: Actor,
  operatorId: string,
  id: string,
): Promise<void> {
  const found = (await sessionsOf(deps, operatorId)).find((session) => sessionId(session.tokenHash) === id)
  if (!found) throw missing('session', id)
  await deps.store.transaction(async (tx) => {
    await tx.sessions.remove(found.tokenHash)
    await writeAudit({ vault: deps.vault, actor }, tx, 'session.end', operatorId, { sessionId: id })
  })
}

/** Ends every session of an operator, but not `kept`; answers how many. */
export function endSessions(
  deps: { store: Store; vault: Vault },
  actor: Actor,
  operatorId: string,
  kept?: OperatorSession,
): Promise<number> {
  return deps.store.transaction(async (tx) => {
    const ended = await tx.sessions.removeOf(operatorId, kept?.tokenHash)
    await writeAudit({ vault: deps.vault, actor }, tx, 'session.end_all', operatorId, { ended })
    return ended
  })
}
