/** Accounts of people: made by a link, signed in by password and second factor. Decisions: "Operators". */
import { createHash } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { networkOf } from '../domain/address'
import { invalid, missing, Refusal } from '../domain/error'
import {
  assertOwnerRemains,
  INVITATION_MS,
  isLive,
  normalEmail,
  type Operator,
  type OperatorSession,
} from '../domain/operator'
import { may, type Role } from '../domain/role'
import { MINUTE_MS } from '../domain/value'
import type { Clock } from '../ports/clock'
import type { Guess, Node, Who } from '../ports/node'
import type { Random } from '../ports/random'
import type { Store, Tx } from '../ports/store'
import type { Passwords, Vault } from '../ports/vault'
import { newId } from './administer/shared'
import { type Actor, noteChange } from './audit'

export interface OperatorDependencies {
  store: Store
  clock: Pick<Clock, 'now' | 'elapsed'>
  random: Random
  vault: Vault
  node: Pick<Node, 'limits' | 'pauses'>
  passwords: Passwords
}

const TOKEN_BYTES = 32
const newToken = (random: Random) => Buffer.from(random.bytes(TOKEN_BYTES)).toString('base64url')
export const tokenHash = (token: string): Uint8Array => createHash('sha256').update(token).digest()
/** What people see of an invitation, and withdraw it by. */
export const invitationId = (hash: Uint8Array) => Buffer.from(hash.subarray(0, 8)).toString('hex')

const wrongLink = () =>
  new Refusal('not_found', 'This link is used up or too old; ask for another', { reason: 'link_used_up' })

// ── links that make an account ─────────────────────────────────────────────────────────────────────

/** Whoever first follows it owns the installation; undefined once somebody does. Each start makes a new one. */
export async function setUpToken(deps: Pick<OperatorDependencies, 'store' | 'random'>): Promise<string | undefined> {
  const { store, random } = deps
  if ((await store.read.people.all()).length > 0) return undefined
  const token = newToken(random)
  const old = (await store.read.invitations.all()).filter(({ invitedBy }) => invitedBy === SET_UP)
  await store.transaction(async (tx) => {
    for (const { tokenHash: hash } of old) await tx.invitations.remove(hash)
    await addInvitation(tx, token, 'owner', SET_UP)
  })
  return token
}

const SET_UP = 'set-up'

/** Answers the token, once. */
export async function invite(
  deps: Pick<OperatorDependencies, 'store' | 'random' | 'vault'>,
  actor: Actor,
  { role, invitedBy }: { role: Role; invitedBy: string },
): Promise<{ token: string; expiresAt: number }> {
  const token = newToken(deps.random)
  const expiresAt = await deps.store.transaction(async (tx) => {
    const invitation = await addInvitation(tx, token, role, invitedBy)
    await noteChange({ ...deps, actor }, tx, 'operator.invite', invitationId(invitation.tokenHash), { role })
    return invitation.expiresAt
  })
  return { token, expiresAt }
}

async function addInvitation(tx: Tx, token: string, role: Role, invitedBy: string) {
  const expiresAt = tx.now + INVITATION_MS
  const invitation = { tokenHash: tokenHash(token), role, invitedBy, createdAt: tx.now, expiresAt }
  await tx.invitations.add(invitation)
  return invitation
}

export async function withdrawInvitation(deps: OperatorDependencies, actor: Actor, id: string): Promise<void> {
  const found = (await deps.store.read.invitations.all()).find(
    (invitation) => invitationId(invitation.tokenHash) === id,
  )
  if (!found) throw wrongLink()
  await deps.store.transaction(async (tx) => {
    await tx.invitations.remove(found.tokenHash)
    await noteChange({ ...deps, actor }, tx, 'operator.withdraw', id)
  })
}

/** Throws `not_found`. */
export async function readInvitation({ store, clock }: Pick<OperatorDependencies, 'store' | 'clock'>, token: string) {
  const hash = Buffer.from(tokenHash(token))
  const found = (await store.read.invitations.all()).find((invitation) => hash.equals(invitation.tokenHash))
  if (!found || clock.now() >= found.expiresAt) throw wrongLink()
  return found
}

/** Makes an account by a link, which is then used up. Throws `not_found`, `invalid` or `limited`. */
export async function join(
  deps: OperatorDependencies,
  actor: Omit<Actor, 'name'>,
  { token, name, email, password }: { token: string; name: string; email: string; password: string },
): Promise<Operator> {
  await readInvitation(deps, token)
  const passwordHash = await deps.passwords.hash(password)
  return deps.store.transaction(async (tx) => {
    const invitation = await tx.invitations.lock(tokenHash(token))
    if (!invitation || tx.now >= invitation.expiresAt) throw wrongLink()
    const operators = await tx.people.lockAll()
    if (invitation.invitedBy === SET_UP && operators.length > 0) throw wrongLink()
    if (operators.some((other) => other.email === normalEmail(email)))
      throw invalid('email', 'email_taken', 'has an account already')
    const operator: Operator = {
      operatorId: newId(deps.random, 'op'),
      email: normalEmail(email),
      name: name.trim(),
      role: invitation.role,
      passwordHash,
      totpSecret: undefined,
      createdAt: tx.now,
      lastSeenAt: undefined,
      unlockedAt: undefined,
    }
    await tx.people.add(operator)
    await tx.invitations.remove(invitation.tokenHash)
    const { operatorId, role } = operator
    await noteChange({ ...deps, actor: { ...actor, name: operatorId } }, tx, 'operator.join', operatorId, { role })
    return operator
  })
}

// ── sessions ───────────────────────────────────────────────────────────────────────────────────────

/** Somebody who is not signed in. */
export interface Visitor {
  ip: string
  /** Whether the address is surely theirs, and not that of something that many people come through. */
  hasOwnAddress: boolean
}

const wrongCredentials = () =>
  new Refusal('unauthorized', 'E-mail address or password is wrong', { reason: 'wrong_credentials' })

/**
 * Answers the session's token. Throws `unauthorized` for every kind of wrong credentials alike, or `limited`: then right
 * and wrong ones are told alike, for nobody has looked at them. From an address the operator has signed in from they are
 * looked at in any case.
 */
export async function signIn(
  deps: OperatorDependencies,
  visitor: Visitor,
  { email, password, totp }: { email: string; password: string; totp?: string | undefined },
): Promise<string> {
  const account = normalEmail(email)
  const operators = await deps.store.read.people.all()
  const operator = operators.find((known) => known.email === account)
  const isKnown = await isKnownAddress(deps, operator, visitor)
  const who: Who = {
    account,
    liftedAt: operator?.unlockedAt,
    anyLiftedAt: Math.max(0, ...operators.map(({ unlockedAt = 0 }) => unlockedAt)),
    address: networkOf(visitor.ip),
    isKnown,
  }
  const guess = deps.node.pauses.guess(who, deps.clock.elapsed())
  const isRight = await deps.passwords.verify(password, operator?.passwordHash)
  if (!operator || !isRight) {
    if (operator) notePause(deps, visitor, operator, guess)
    throw guess.refusal(deps.clock.elapsed()) ?? wrongCredentials()
  }
  if (operator.totpSecret !== undefined) {
    if (!totp) {
      // The password was right, and asking for the rest is no attempt.
      guess.takeBack()
      throw new Refusal('unauthorized', 'Enter the code of your authenticator app', { reason: 'totp_needed' })
    }
    guess.goOn(deps.clock.elapsed())
    const step = totpStep(operator.totpSecret, totp, deps.clock.now())
    if (step === undefined) {
      notePause(deps, visitor, operator, guess)
      throw new Refusal('unauthorized', 'The code of the authenticator app is wrong', { reason: 'totp_wrong' })
    }
    await useOnce(deps, `totp:${operator.operatorId}:${step}`)
  }
  // Only what failed counts.
  guess.wasRight()
  return openSession(deps, visitor, operator)
}

const hashOf = ({ vault }: Pick<OperatorDependencies, 'vault'>, operatorId: string, { ip }: Visitor) =>
  vault.addressHash(`${operatorId} ${networkOf(ip)}`)

/** Looks in any case, so that nobody learns by the time which accounts exist. */
async function isKnownAddress(deps: OperatorDependencies, operator: Operator | undefined, visitor: Visitor) {
  const operatorId = operator?.operatorId ?? ''
  const isKnown = await deps.store.read.people.knowsAddress(operatorId, hashOf(deps, operatorId, visitor))
  return isKnown && visitor.hasOwnAddress
}

/** For the audit log, now and then: somebody guesses. Nobody waits for it, or the time would tell which accounts exist. */
function notePause(deps: OperatorDependencies, { ip }: Visitor, { operatorId }: Operator, guess: Guess): void {
  const failures = guess.news(operatorId, deps.clock.elapsed())
  if (failures === undefined) return
  const actor = { name: NOBODY, ip }
  deps.store
    .transaction((tx) => noteChange({ ...deps, actor }, tx, 'session.pause', operatorId, { failures }))
    // What cannot be written now is no reason to fail.
    .catch(() => {})
}

const NOBODY = 'nobody'

/** Addresses of an operator that are remembered. */
const KNOWN_ADDRESSES = 20

export async function openSession(deps: OperatorDependencies, visitor: Visitor, operator: Operator): Promise<string> {
  const token = newToken(deps.random)
  await deps.store.transaction(async (tx) => {
    const { operatorId, passwordHash, totpSecret } = operator
    // Proving who one is takes a while: what it was proved against must still hold.
    const known = (await tx.people.lockAll()).find((other) => other.operatorId === operatorId)
    if (known?.passwordHash !== passwordHash || known.totpSecret !== totpSecret) throw wrongCredentials()
    await tx.sessions.add({ tokenHash: tokenHash(token), operatorId, createdAt: tx.now, lastSeenAt: tx.now })
    await tx.people.touch(operatorId)
    if (visitor.hasOwnAddress)
      await tx.people.rememberAddress(operatorId, hashOf(deps, operatorId, visitor), KNOWN_ADDRESSES)
    await noteChange({ ...deps, actor: { name: operatorId, ip: visitor.ip } }, tx, 'session.open', operatorId)
  })
  return token
}

/** Lifts the pauses that failed sign-ins have earned, in every process of the installation. */
export async function unlock(
  deps: Pick<OperatorDependencies, 'store' | 'vault'>,
  actor: Actor,
  { operatorId }: Pick<Operator, 'operatorId'>,
): Promise<void> {
  await changeOperator(deps, actor, operatorId, 'operator.unlock', (known, _, now) => ({
    ...known,
    // Another one each time, whatever the clock does.
    unlockedAt: Math.max(now, (known.unlockedAt ?? 0) + 1),
  }))
}

const SEEN_EVERY_MS = MINUTE_MS

/** Whose session a token is, or undefined. */
export async function sessionOf(
  { store, clock }: Pick<OperatorDependencies, 'store' | 'clock'>,
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

export async function signOut({ store }: Pick<OperatorDependencies, 'store'>, session: OperatorSession): Promise<void> {
  await store.transaction((tx) => tx.sessions.remove(session.tokenHash))
}

/** Ends every session of an operator; answers how many. */
export function signOutEverywhere(deps: OperatorDependencies, actor: Actor, operatorId: string): Promise<number> {
  return deps.store.transaction(async (tx) => {
    const ended = await tx.sessions.removeOf(operatorId)
    await noteChange({ ...deps, actor }, tx, 'session.end_all', operatorId, { ended })
    return ended
  })
}

// ── accounts ───────────────────────────────────────────────────────────────────────────────────────

/** Ends every other session. */
export async function changePassword(
  deps: OperatorDependencies,
  actor: Actor,
  operator: Operator,
  { current, password }: { current: string; password: string },
): Promise<void> {
  await assertPassword(deps, operator, current)
  await storePassword(deps, actor, operator, password)
}

const ATTEMPTS = 5
const ATTEMPTS_WINDOW_MS = 15 * MINUTE_MS

const attemptRule = (subject: string, max: number) => ({
  limit: 'perKey' as const,
  policy: 'platform' as const,
  subject,
  max,
  windowMs: ATTEMPTS_WINDOW_MS,
})

async function assertPassword(deps: OperatorDependencies, operator: Operator, password: string): Promise<void> {
  const permit = await deps.node.limits.take([attemptRule(`password:${operator.operatorId}`, ATTEMPTS)])
  if (!(await deps.passwords.verify(password, operator.passwordHash)))
    throw invalid('current', 'wrong_password', 'the password is wrong')
  permit.giveBack()
}

async function storePassword(deps: OperatorDependencies, actor: Actor, operator: Operator, password: string) {
  const passwordHash = await deps.passwords.hash(password)
  const change = (known: Operator): Operator => {
    if (known.passwordHash !== operator.passwordHash)
      throw invalid('current', 'password_changed', 'the password has been changed meanwhile')
    return { ...known, passwordHash }
  }
  await changeOperator(deps, actor, operator.operatorId, 'operator.password', change, endSessions)
}

const endSessions = async (tx: Tx, { operatorId }: Operator) => void (await tx.sessions.removeOf(operatorId))

/** From the command line, for who has forgotten theirs: a new password, shown once, and no second factor. */
export async function resetPassword(
  deps: Omit<OperatorDependencies, 'node'>,
  actor: Actor,
  email: string,
): Promise<{ operator: Operator; password: string }> {
  const operator = await operatorNamed(deps, email)
  const password = Buffer.from(deps.random.bytes(15)).toString('base64url')
  const passwordHash = await deps.passwords.hash(password)
  const change = (known: Operator): Operator => ({ ...known, passwordHash, totpSecret: undefined })
  await changeOperator(deps, actor, operator.operatorId, 'operator.reset', change, async (tx, reset) => {
    await endSessions(tx, reset)
    await tx.people.forgetAddresses(reset.operatorId)
  })
  return { operator, password }
}

/** Throws `not_found`. */
export async function operatorNamed({ store }: Pick<OperatorDependencies, 'store'>, email: string): Promise<Operator> {
  const operator = (await store.read.people.all()).find((known) => known.email === normalEmail(email))
  if (!operator) throw missing('operator', email)
  return operator
}

export async function changeRole(deps: OperatorDependencies, actor: Actor, operatorId: string, role: Role) {
  const change = (known: Operator, operators: readonly Operator[]): Operator => {
    assertOwnerRemains(operators, { operatorId, role })
    return { ...known, role }
  }
  // Who may no longer invite has invited nobody.
  await changeOperator(deps, actor, operatorId, 'operator.role', change, async (tx, changed) => {
    if (!may(changed.role, 'operators')) await tx.invitations.removeOf(operatorId)
  })
}

export async function removeOperator(deps: OperatorDependencies, actor: Actor, operatorId: string): Promise<void> {
  await deps.store.transaction(async (tx) => {
    const operators = await tx.people.lockAll()
    const known = operators.find((operator) => operator.operatorId === operatorId)
    if (!known) throw missing('operator', operatorId)
    assertOwnerRemains(operators, { operatorId })
    await tx.invitations.removeOf(operatorId)
    await tx.people.remove(operatorId)
    await noteChange({ ...deps, actor }, tx, 'operator.remove', operatorId, { role: known.role })
  })
}

function changeOperator(
  deps: Pick<OperatorDependencies, 'store' | 'vault'>,
  actor: Actor,
  operatorId: string,
  action: string,
  change: (known: Operator, operators: readonly Operator[], now: number) => Operator,
  alsoDo: (tx: Tx, changed: Operator) => Promise<void> = async () => {},
): Promise<Operator> {
  return deps.store.transaction(async (tx) => {
    const operators = await tx.people.lockAll()
    const known = operators.find((operator) => operator.operatorId === operatorId)
    if (!known) throw missing('operator', operatorId)
    const changed = change(known, operators, tx.now)
    await tx.people.save(changed)
    await alsoDo(tx, changed)
    await noteChange({ ...deps, actor }, tx, action, operatorId, { role: changed.role })
    return changed
  })
}

// ── second factor ──────────────────────────────────────────────────────────────────────────────────

const totpOf = (secret: string, label = '') =>
  new TOTP({ issuer: 'Watchword', label, secret: Secret.fromBase32(secret) })

const TOTP_STEP_MS = 30_000

/** Which half minute a code belongs to: this one, the one before or the one after; undefined where it is none of theirs. */
function totpStep(secret: string, token: string, timestamp: number): number | undefined {
  const delta = /^\d{6}$/.test(token) ? totpOf(secret).validate({ token, timestamp, window: 1 }) : null
  return delta === null ? undefined : Math.floor(timestamp / TOTP_STEP_MS) + delta
}

/** A code that somebody has seen being typed is worth nothing. */
async function useOnce({ node }: OperatorDependencies, subject: string): Promise<void> {
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
  deps: OperatorDependencies,
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

export async function removeTotp(deps: OperatorDependencies, actor: Actor, operator: Operator, current: string) {
  await assertPassword(deps, operator, current)
  const change = (known: Operator): Operator => ({ ...known, totpSecret: undefined })
  await changeOperator(deps, actor, operator.operatorId, 'operator.totp_off', change)
}
