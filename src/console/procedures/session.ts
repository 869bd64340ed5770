import { implement } from '@orpc/server'
import { type AdminServices, actorOf, OK } from '../../admin/context'
import { nameOf, operatorView, sessionsView } from '../../admin/procedures/operators'
import { isLive, permissionsOf } from '../../domain/access/operator'
import { VERSION } from '../../domain/operations/version'
import * as people from '../../usecases/people'
import { type ConsoleContext, signedIn } from '../context'
import { consoleContract } from '../contract'

export function sessionProcedures(deps: AdminServices) {
  const os = implement(consoleContract.session).$context<ConsoleContext>()
  const { store, clock } = deps

  return os.router({
    current: os.current.handler(async ({ context }) => {
      const [app] = await store.read.apps.page(undefined, 1)
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
