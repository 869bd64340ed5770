/** Links that make an account, once. */

import { assertMay, INVITATION_MS, type Invitation, normalizeEmail, type Operator } from '../../domain/access/operator'
import { invalid, Refusal } from '../../domain/shared/error'
import { HOUR_MS } from '../../domain/shared/value'
import type { Clock } from '../../ports/clock'
import type { Store, Tx } from '../../ports/store'
import type { Passwords, Random, Vault } from '../../ports/vault'
import { newId, newToken, tokenHash } from '../shared/id'
import { type Actor, writeAudit } from '../shared/write-audit'
import { assertGrantable, lockOperator, rightsOf, type WantedRights } from './accounts'
import { assertUncommon } from './attempts'

/** An invitation as people see it, and the id by which they withdraw it. */
export const invitationId = (hash: Uint8Array) => Buffer.from(hash.subarray(0, 8)).toString('hex')

const wrongLink = () =>
  new Refusal('not_found', 'This link is used up or too old; ask for another', { reason: 'link_used_up' })

/**
 * Whoever first follows it owns the installation; undefined once somebody does. The same at every start, and of every server
 * that shares the database: it is made from the master secret, and stored is its hash.
 */
export async function setUpToken(deps: SetUpDependencies): Promise<string | undefined> {
  const { store, vault, clock } = deps
  // Once there is somebody there always is, and a start needs to write nothing.
  if ((await store.read.people.all()).length > 0) return undefined
  const key = vault.passingKey(`set-up:${await store.read.installation()}`)
  const token = Buffer.from(key).toString('base64url')
  // Nor where one before has written it lately.
  const written = await invitationOf(store, token)
  const leftMs = written ? written.expiresAt - clock.now() : 0
  // One that was written by a clock that was ahead would be good for longer.
  if (leftMs > INVITATION_MS - RENEWED_AFTER_MS && leftMs <= INVITATION_MS) return token
  return store.transaction(async (tx) => {
    if ((await tx.people.lockAll()).length > 0) return undefined
    await tx.invitations.removeOf(SET_UP)
    await addInvitation(tx, token, { role: 'owner', appIds: undefined, note: undefined, invitedBy: SET_UP })
    return token
  })
}

const SET_UP = 'set-up'
const RENEWED_AFTER_MS = HOUR_MS

interface SetUpDependencies {
  store: Store
  clock: Pick<Clock, 'now'>
  vault: Vault
}

/**
 * Answers the token, once. `inviter`: the operator who invites, where it is one. Throws `forbidden` or `not_found` where
 * they may no longer, or are gone: who invites has to be there when the invitation is.
 */
export async function invite(
  deps: { store: Store; random: Random; vault: Vault },
  actor: Actor,
  { role, appIds, note, inviter }: WantedRights & { note?: string | undefined; inviter?: string },
): Promise<{ token: string; expiresAt: number }> {
  const rights = { role, appIds }
  await assertGrantable(deps, rights)
  const token = newToken(deps.random)
  const expiresAt = await deps.store.transaction(async (tx) => {
    if (inviter !== undefined) assertMay((await lockOperator(tx, inviter)).role, 'operators')
    // The note comes first, since a transaction knows the time once it has read something.
    const id = invitationId(tokenHash(token))
    await writeAudit({ vault: deps.vault, actor }, tx, 'operator.invite', id, rightsOf(rights))
    const invited = { ...rights, note: note?.trim() || undefined, invitedBy: inviter ?? actor.name }
    return (await addInvitation(tx, token, invited)).expiresAt
  })
  return { token, expiresAt }
}

async function addInvitation(
  tx: Tx,
  token: string,
  invited: Omit<Invitation, 'tokenHash' | 'createdAt' | 'expiresAt'>,
) {
  const expiresAt = tx.now + INVITATION_MS
  const invitation = { ...invited, tokenHash: tokenHash(token), createdAt: tx.now, expiresAt }
  await tx.invitations.add(invitation)
  return invitation
}

/** Throws `not_found`, also where it was used meanwhile. */
export async function withdrawInvitation(
  deps: { store: Store; vault: Vault },
  actor: Actor,
  id: string,
): Promise<void> {
  const found = (await deps.store.read.invitations.all()).find(
    (invitation) => invitationId(invitation.tokenHash) === id,
  )
  if (!found) throw wrongLink()
  await deps.store.transaction(async (tx) => {
    if (!(await tx.invitations.remove(found.tokenHash))) throw wrongLink()
    await writeAudit({ vault: deps.vault, actor }, tx, 'operator.withdraw', id)
  })
}

/** Throws `not_found`. */
export async function readInvitation({ store, clock }: { store: Store; clock: Pick<Clock, 'now'> }, token: string) {
  const found = await invitationOf(store, token)
  if (!found || clock.now() >= found.expiresAt) throw wrongLink()
  return found
}

async function invitationOf(store: Store, token: string) {
  const hash = Buffer.from(tokenHash(token))
  return (await store.read.invitations.all()).find((invitation) => hash.equals(invitation.tokenHash))
}

interface JoinDependencies {
  store: Store
  clock: Pick<Clock, 'now'>
  random: Random
  vault: Vault
  passwords: Passwords
}

/** Makes an account by a link, which is then used up. Throws `not_found`, `invalid` or `limited`. */
export async function join(
  deps: JoinDependencies,
  actor: Omit<Actor, 'name'>,
  { token, name, email, password }: { token: string; name: string; email: string; password: string },
): Promise<Operator> {
  await readInvitation(deps, token)
  assertUncommon(deps, password)
  const passwordHash = await deps.passwords.hash(password)
  return deps.store.transaction(async (tx) => {
    const operators = await tx.people.lockAll()
    const invitation = await tx.invitations.lock(tokenHash(token))
    if (!invitation || tx.now >= invitation.expiresAt) throw wrongLink()
    if (invitation.invitedBy === SET_UP && operators.length > 0) throw wrongLink()
    if (operators.some((other) => other.email === normalizeEmail(email)))
      throw invalid('email', 'email_taken', 'has an account already')
    const operator: Operator = {
      operatorId: newId(deps.random, 'op'),
      email: normalizeEmail(email),
      name: name.trim(),
      role: invitation.role,
      appIds: invitation.appIds,
      passwordHash,
      totpSecret: undefined,
      createdAt: tx.now,
      lastSeenAt: undefined,
      unlockedAt: undefined,
    }
    await tx.people.add(operator)
    if (!(await tx.invitations.remove(invitation.tokenHash))) throw wrongLink()
    const { operatorId, role } = operator
    const joined = { vault: deps.vault, actor: { ...actor, name: operatorId } }
    await writeAudit(joined, tx, 'operator.join', operatorId, { role })
    return operator
  })
}
