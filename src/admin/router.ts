/** The procedures of administration, and what holds for each call of one, whoever makes it. */
import { ORPCError } from '@orpc/server'
import { z } from 'zod'
import { assertScope } from '../domain/access/admin-token'
import { errorFields, forbidden, invalid, type Refusal } from '../domain/shared/error'
import { asRefusal, type InterfaceError, unexpectedError, unreadable } from '../http/errors'
import type { ProtectionHistory } from '../usecases/abuse/read-protection'
import { type AdminContext, type AdminServices, administratorOf } from './context'
import type { Access } from './contract/base'
import { appProcedures, keyProcedures } from './procedures/apps'
import { carrierProcedures } from './procedures/carriers'
import { inboxProcedures, issueProcedures } from './procedures/issues'
import { walletProcedures } from './procedures/money'
import { noticeProcedures } from './procedures/notices'
import { operatorProcedures } from './procedures/operators'
import { overviewProcedures } from './procedures/overview'
import { privacyProcedures } from './procedures/privacy'
import { protectionProcedures } from './procedures/protection'
import { relayProcedures } from './procedures/relays'
import { priceProcedures } from './procedures/reports'
import { templateProcedures } from './procedures/templates'
import { tokenProcedures } from './procedures/tokens'
import { auditProcedures, systemProcedures, usageProcedures } from './procedures/usage'
import { webhookProcedures } from './procedures/webhooks'
import { assertReach } from './reach'

export const createAdminRouter = (deps: AdminServices, history: ProtectionHistory) => ({
  operators: operatorProcedures(deps),
  apps: appProcedures(deps),
  keys: keyProcedures(deps),
  relays: relayProcedures(deps),
  issues: issueProcedures(deps),
  inbox: inboxProcedures(deps),
  wallet: walletProcedures(deps),
  templates: templateProcedures(deps),
  webhooks: webhookProcedures(deps),
  carriers: carrierProcedures(deps),
  overview: overviewProcedures(deps, history),
  usage: usageProcedures(deps),
  prices: priceProcedures(deps),
  tokens: tokenProcedures(deps),
  protection: protectionProcedures(deps, history),
  audit: auditProcedures(deps),
  privacy: privacyProcedures(deps),
  system: systemProcedures(deps),
  notices: noticeProcedures(deps),
})

interface Intercepted<T> {
  context: AdminContext
  procedure: { '~orpc': { meta: unknown; route: { method?: string }; inputSchema?: unknown } }
  path: readonly string[]
  input: unknown
  next: () => Promise<T>
}

/** A field that is misspelt must not be as if it were missing. */
function refuseUnknown(input: unknown, schema: unknown): void {
  const given = schema instanceof z.ZodPrefault ? schema.unwrap() : schema
  const known = given instanceof z.ZodObject ? given.shape : {}
  const unknown = Object.keys(Object(input)).find((name) => !Object.hasOwn(known, name))
  if (unknown !== undefined) throw invalid(unknown.slice(0, 64), 'unknown_field', 'is not a field of this request')
}

/** The interceptors of a handler. `tell` makes the error that the caller gets. */
export function callRules({ store, log }: AdminServices, tell: (refusal: Refusal, entered: boolean) => InterfaceError) {
  /** May the caller do this, and to this app? */
  const guard = async <T>({ context, procedure, path: [noun = ''], input, next }: Intercepted<T>): Promise<T> => {
    context.entered = true
    const { meta, route, inputSchema } = procedure['~orpc']
    const { permission, reach } = meta as Access
    if (permission !== null) {
      const who = administratorOf(context)
      if (!who.permissions.includes(permission))
        throw forbidden('role_lacks_permission', 'Your role does not allow this')
      if (who.scopes) {
        assertScope(who.scopes, noun, route.method === 'GET' ? 'read' : 'write')
        refuseUnknown(input, inputSchema)
      }
      await assertReach(store, who, reach, input)
    }
    return next()
  }

  const translateErrors = async <T>({ context, next }: Intercepted<T>): Promise<T> => {
    try {
      return await next()
    } catch (error) {
      const refusal = asRefusal(error)
      context.refusal = refusal
      if (refusal) throw tell(refusal, context.entered && error === refusal)
      if (error instanceof ORPCError && error.defined) throw error
      // oRPC could not parse the request.
      if (!context.entered || (error instanceof ORPCError && error.code === 'BAD_REQUEST'))
        throw tell(unreadable(), false)
      log.error(errorFields(error), 'a request of administration failed unexpectedly')
      throw unexpectedError()
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: oRPC's interceptor types are wider than what is used here
  return { clientInterceptors: [guard], interceptors: [translateErrors] } as any
}
