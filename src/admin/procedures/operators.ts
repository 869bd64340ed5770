import { implement } from '@orpc/server'
import type { Operator } from '../../domain/access/operator'
import * as people from '../../usecases/people'
import { type AdminContext, type AdminServices, actorOf, administratorOf, OK } from '../context'
import { adminContract } from '../contract'

export const operatorView = ({
  operatorId,
  email,
  name,
  role,
  appIds,
  totpSecret,
  createdAt,
  lastSeenAt,
}: Operator) => ({
  operatorId,
  email,
  name,
  role,
  ...(appIds && { appIds: [...appIds] }),
  hasTotp: totpSecret !== undefined,
  createdAt,
  ...(lastSeenAt !== undefined && { lastSeenAt }),
})

/** Name of the operator who invited; `cli` for the command line. */
export const nameOf = async ({ store }: AdminServices, invitedBy: string): Promise<string> =>
  (await store.read.people.all()).find(({ operatorId }) => operatorId === invitedBy)?.name ?? invitedBy

export async function sessionsView(deps: AdminServices, context: AdminContext, operatorId: string) {
  const own = context.session && people.sessionId(context.session.tokenHash)
  return (await people.sessionsOf(deps, operatorId)).map(({ tokenHash, createdAt, lastSeenAt, browser, system }) => {
    const sessionId = people.sessionId(tokenHash)
    return { sessionId, createdAt, lastSeenAt, browser, system, isThis: sessionId === own }
  })
}

export function operatorProcedures(deps: AdminServices) {
  const os = implement(adminContract.operators).$context<AdminContext>()
  const { store, clock } = deps
  return os.router({
    list: os.list.handler(async ({ context }) => {
      const operators = await store.read.people.all()
      if (administratorOf(context).appIds)
        return { operators: operators.filter(({ role }) => role === 'owner').map(operatorView), invitations: [] }
      return {
        operators: operators.map(operatorView),
        invitations: await Promise.all(
          (await store.read.invitations.all())
            .filter(({ expiresAt }) => clock.now() < expiresAt)
            .map(async ({ tokenHash, role, appIds, note, invitedBy, expiresAt }) => ({
              invitationId: people.invitationId(tokenHash),
              role,
              ...(appIds && { appIds: [...appIds] }),
              note,
              invitedBy: await nameOf(deps, invitedBy),
              expiresAt,
            })),
        ),
      }
    }),
    invite: os.invite.handler(async ({ input, context }) => {
      // Of operators it is looked up once more that they may.
      const inviter = context.session?.operatorId
      const { token, expiresAt } = await people.invite(deps, actorOf(context), {
        ...input,
        ...(inviter && { inviter }),
      })
      // The token stands after the #, so that it reaches no server and no log.
      return { url: `${context.origin}/console/invitation#${token}`, expiresAt }
    }),
    withdraw: os.withdraw.handler(async ({ input, context }) => {
      await people.withdrawInvitation(deps, actorOf(context), input.invitationId)
      return OK
    }),
    changeRole: os.changeRole.handler(async ({ input, context }) => {
      await people.changeRights(deps, actorOf(context), input.operatorId, input)
      return OK
    }),
    unlock: os.unlock.handler(async ({ input, context }) => {
      await people.unlock(deps, actorOf(context), input)
      return OK
    }),
    remove: os.remove.handler(async ({ input, context }) => {
      await people.removeOperator(deps, actorOf(context), input.operatorId)
      return OK
    }),
    sessions: os.sessions.handler(async ({ input, context }) => ({
      sessions: await sessionsView(deps, context, input.operatorId),
    })),
    endSession: os.endSession.handler(async ({ input, context }) => {
      await people.endSession(deps, actorOf(context), input.operatorId, input.sessionId)
      return OK
    }),
    endSessions: os.endSessions.handler(async ({ input, context }) => ({
      sessions: await people.endSessions(deps, actorOf(context), input.operatorId),
    })),
  })
}
