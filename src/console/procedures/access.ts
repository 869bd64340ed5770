import { implement } from '@orpc/server'
import { isLive, type Operator, permissionsOf } from '../../domain/access/operator'
import { VERSION } from '../../domain/operations/version'
import * as people from '../../usecases/people'
import { actorOf, type ConsoleContext, type ConsoleDependencies, OK, signedIn } from '../context'
import { consoleContract } from '../contract'

const operatorView = ({ operatorId, email, name, role, appIds, totpSecret, createdAt, lastSeenAt }: Operator) => ({
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
const nameOf = async ({ store }: ConsoleDependencies, invitedBy: string): Promise<string> =>
  (await store.read.people.all()).find(({ operatorId }) => operatorId === invitedBy)?.name ?? invitedBy

async function sessionsView(deps: ConsoleDependencies, context: ConsoleContext, operatorId: string) {
  const own = people.sessionId(signedIn(context).session.tokenHash)
  return (await people.sessionsOf(deps, operatorId)).map(({ tokenHash, createdAt, lastSeenAt, browser, system }) => {
    const sessionId = people.sessionId(tokenHash)
    return { sessionId, createdAt, lastSeenAt, browser, system, isThis: sessionId === own }
  })
}

export function sessionProcedures(deps: ConsoleDependencies) {
  const os = implement(consoleContract.session).$context<ConsoleContext>()
  const { store, clock } = deps

  return os.router({
    current: os.current.handler(async ({ context }) => {
      const [app] = await store.read.apps.all()
      const known = context.signedIn
      const operator = known && isLive(known.session, clock.now()) ? known.operator : undefined
      return {
        ...(operator && { operator: { ...operatorView(operator), permissions: [...permissionsOf(operator.role)] } }),
        needsSetup: (await store.read.people.all()).length === 0,
        organization: app?.organizationId ?? '',
        version: VERSION,
      }
    }),
    setUp: os.setUp.handler(async ({ input, context }) => {
      const operator = await people.join(deps, context.visitor, input)
      context.sessionToken = await people.openSession(deps, context.visitor, operator)
      return OK
    }),
    accept: os.accept.handler(async ({ input, context }) => {
      const operator = await people.join(deps, context.visitor, input)
      context.sessionToken = await people.openSession(deps, context.visitor, operator)
      return OK
    }),
    signIn: os.signIn.handler(async ({ input, context }) => {
      context.sessionToken = await people.signIn(deps, context.visitor, input)
      return OK
    }),
    signOut: os.signOut.handler(async ({ context }) => {
      await people.signOut(deps, signedIn(context).session)
      context.sessionToken = null
      return OK
    }),
    signOutEverywhere: os.signOutEverywhere.handler(async ({ context }) => {
      const sessions = await people.endSessions(deps, actorOf(context), signedIn(context).operator.operatorId)
      context.sessionToken = null
      return { sessions }
    }),
    list: os.list.handler(async ({ context }) => ({
      sessions: await sessionsView(deps, context, signedIn(context).operator.operatorId),
    })),
    end: os.end.handler(async ({ input, context }) => {
      await people.endSession(deps, actorOf(context), signedIn(context).operator.operatorId, input.sessionId)
      return OK
    }),
    endOthers: os.endOthers.handler(async ({ context }) => {
      const { operator, session } = signedIn(context)
      return { sessions: await people.endSessions(deps, actorOf(context), operator.operatorId, session) }
    }),
    changePassword: os.changePassword.handler(async ({ input, context }) => {
      const { operator } = signedIn(context)
      const changed = await people.changePassword(deps, actorOf(context), operator, input)
      context.sessionToken = await people.openSession(deps, context.visitor, changed)
      return OK
    }),
    totpBegin: os.totpBegin.handler(({ input, context }) =>
      people.beginTotp(deps, signedIn(context).operator, input.current),
    ),
    totpConfirm: os.totpConfirm.handler(async ({ input, context }) => {
      await people.confirmTotp(deps, actorOf(context), signedIn(context).operator, input.totp)
      return OK
    }),
    totpRemove: os.totpRemove.handler(async ({ input, context }) => {
      await people.removeTotp(deps, actorOf(context), signedIn(context).operator, input.current)
      return OK
    }),
    invitation: os.invitation.handler(async ({ input }) => {
      const { role, invitedBy, expiresAt } = await people.readInvitation(deps, input.token)
      return { role, invitedBy: await nameOf(deps, invitedBy), expiresAt }
    }),
  })
}

export function operatorProcedures(deps: ConsoleDependencies) {
  const os = implement(consoleContract.operators).$context<ConsoleContext>()
  const { store, clock } = deps
  return os.router({
    list: os.list.handler(async ({ context }) => {
      const operators = await store.read.people.all()
      if (signedIn(context).operator.appIds)
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
      const inviter = signedIn(context).operator.operatorId
      const { token, expiresAt } = await people.invite(deps, actorOf(context), { ...input, inviter })
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
