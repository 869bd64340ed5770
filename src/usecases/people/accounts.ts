/** Changes of an account. */

import {
  assertOwnerRemains,
  assertRights,
  may,
  normalizeEmail,
  type Operator,
  type OperatorRights,
  type Role,
} from '../../domain/access/operator'
import { invalid, missing } from '../../domain/shared/error'
import type { Store, Tx } from '../../ports/store'
import type { Passwords, Random, Vault } from '../../ports/vault'
import { type Actor, writeAudit } from '../shared/write-audit'
import { assertPassword, assertUncommon, type PasswordDependencies } from './attempts'

interface ChangeDependencies {
  store: Store
  vault: Vault
}

/** Ends every session; answers the operator as they are now, who may have another at once. */
export async function changePassword(
  deps: ChangeDependencies & PasswordDependencies,
  actor: Actor,
  operator: Operator,
  { current, password }: { current: string; password: string },
): Promise<Operator> {
  await assertPassword(deps, operator, current)
  assertUncommon(deps, password)
  const passwordHash = await deps.passwords.hash(password)
  const change = (known: Operator): Operator => {
    assertSamePassword(known, operator)
    return { ...known, passwordHash }
  }
  return changeOperator(deps, actor, operator.operatorId, 'operator.password', change, endSessions)
}

/** Looking at a password takes a while. Throws `invalid` where it is another one by now. */
export function assertSamePassword(known: Operator, before: Operator): void {
  if (known.passwordHash !== before.passwordHash)
    throw invalid('current', 'password_changed', 'the password has been changed meanwhile')
}

const endSessions = async (tx: Tx, { operatorId }: Operator) => void (await tx.sessions.removeOf(operatorId))

/** From the command line, for who has forgotten theirs: a new password, shown once, and no second factor. */
export async function resetPassword(
  deps: ChangeDependencies & { random: Random; passwords: Passwords },
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

/** Throws `invalid`, or `not_found` for an app that does not exist. */
export async function assertGrantable({ store }: { store: Store }, rights: OperatorRights): Promise<void> {
  assertRights(rights)
  const known = new Set((await store.read.apps.all()).map(({ appId }) => appId))
  const unknown = rights.appIds?.find((appId) => !known.has(appId))
  if (unknown !== undefined) throw missing('app', unknown)
}

/** Throws `not_found`. */
export async function operatorNamed({ store }: { store: Store }, email: string): Promise<Operator> {
  const operator = (await store.read.people.all()).find((known) => known.email === normalizeEmail(email))
  if (!operator) throw missing('operator', email)
  return operator
}

/** Without apps: all of them. */
export interface WantedRights {
  role: Role
  appIds?: readonly string[] | undefined
}

/** Their sessions go on, with the new rights from the next call. Throws `invalid` or `not_found`. */
export async function changeRights(
  deps: ChangeDependencies,
  actor: Actor,
  operatorId: string,
  { role, appIds }: WantedRights,
) {
  await assertGrantable(deps, { role, appIds })
  const change = (known: Operator, operators: readonly Operator[]): Operator => {
    assertOwnerRemains(operators, { operatorId, role })
    return { ...known, role, appIds }
  }
  // Invitations of a person who may no longer invite end.
  await changeOperator(deps, actor, operatorId, 'operator.role', change, async (tx, changed) => {
    if (!may(changed.role, 'operators')) await tx.invitations.removeOf(operatorId)
  })
}

export async function removeOperator(deps: ChangeDependencies, actor: Actor, operatorId: string): Promise<void> {
  await deps.store.transaction(async (tx) => {
    const operators = await tx.people.lockAll()
    const known = among(operators, operatorId)
    assertOwnerRemains(operators, { operatorId })
    await tx.invitations.removeOf(operatorId)
    await tx.people.remove(operatorId)
    await writeAudit({ vault: deps.vault, actor }, tx, 'operator.remove', operatorId, { role: known.role })
  })
}

/** Lifts the pauses that failed sign-ins have earned, in every process of the installation. */
export async function unlock(
  deps: ChangeDependencies,
  actor: Actor,
  { operatorId }: Pick<Operator, 'operatorId'>,
): Promise<void> {
  await changeOperator(deps, actor, operatorId, 'operator.unlock', (known, _, now) => ({
    ...known,
    // Another one each time, whatever the clock does.
    unlockedAt: Math.max(now, (known.unlockedAt ?? 0) + 1),
  }))
}

/** One change of one operator, everybody being locked. Throws `not_found`. */
export function changeOperator(
  deps: ChangeDependencies,
  actor: Actor,
  operatorId: string,
  action: string,
  change: (known: Operator, operators: readonly Operator[], now: number) => Operator,
  alsoDo: (tx: Tx, changed: Operator) => Promise<void> = async () => {},
): Promise<Operator> {
  return deps.store.transaction(async (tx) => {
    const operators = await tx.people.lockAll()
    const known = among(operators, operatorId)
    const changed = change(known, operators, tx.now)
    await tx.people.save(changed)
    await alsoDo(tx, changed)
    await writeAudit({ vault: deps.vault, actor }, tx, action, operatorId, rightsOf(changed))
    return changed
  })
}

/** For the audit log. */
export const rightsOf = ({ role, appIds }: OperatorRights) => ({ role, ...(appIds && { appIds }) })

/** Throws `not_found`. */
export const lockOperator = async (tx: Tx, operatorId: string): Promise<Operator> =>
  among(await tx.people.lockAll(), operatorId)

function among(operators: readonly Operator[], operatorId: string): Operator {
  const known = operators.find((operator) => operator.operatorId === operatorId)
  if (!known) throw missing('operator', operatorId)
  return known
}
