/**
 * `/console/rpc`: who is signed in, may they, and from this site. Sessions are cookies that no script can read and no
 * other site can send; API keys open nothing here.
 */
import { ORPCError } from '@orpc/server'
import { StandardRPCHandler } from '@orpc/server/standard'
import { forbidden, invalid, type Refusal } from '../domain/error'
import { may } from '../domain/role'
import { asRefusal, fromRefusal, interfaceError, unexpectedError, unreadable } from '../http/errors'
import { readJsonBody } from '../http/json-body'
import type { Log } from '../ports'
import { sessionOf } from '../usecases/operators'
import { CONSOLE_RPC_PREFIX, type ConsoleContext, type ConsoleDependencies, notSignedIn } from './context'
import type { Access } from './contract/base'
import { operatorProcedures, sessionProcedures } from './procedures/access'
import { appProcedures, keyProcedures } from './procedures/apps'
import { carrierProcedures } from './procedures/carriers'
import { inboxProcedures, issueProcedures } from './procedures/issues'
import { walletProcedures } from './procedures/money'
import { templateProcedures } from './procedures/templates'
import { auditProcedures, systemProcedures, usageProcedures } from './procedures/usage'
import { webhookProcedures } from './procedures/webhooks'

const createRouter = (deps: ConsoleDependencies) => ({
  session: sessionProcedures(deps),
  operators: operatorProcedures(deps),
  apps: appProcedures(deps),
  keys: keyProcedures(deps),
  issues: issueProcedures(deps),
  inbox: inboxProcedures(deps),
  wallet: walletProcedures(deps),
  templates: templateProcedures(deps),
  webhooks: webhookProcedures(deps),
  carriers: carrierProcedures(deps),
  usage: usageProcedures(deps),
  audit: auditProcedures(deps),
  system: systemProcedures(deps),
})

export type ConsoleRpc = (request: Request, url: URL, ip: string) => Promise<Response>

export function createConsoleRpc(deps: ConsoleDependencies & { log: Log }): ConsoleRpc {
  const { log, publicUrl } = deps

  const guard = async <T>({ context, procedure, next }: Intercepted<T>): Promise<T> => {
    context.entered = true
    const { permission } = procedure['~orpc'].meta as Access
    if (permission !== null) {
      if (!context.signedIn) throw notSignedIn()
      if (!may(context.signedIn.operator.role, permission))
        throw forbidden('role_lacks_permission', 'Your role does not allow this')
    }
    return next()
  }

  const translateErrors = async <T>({ context, next }: Intercepted<T>): Promise<T> => {
    try {
      return await next()
    } catch (error) {
      const refusal = asRefusal(error)
      if (refusal) throw tell(refusal)
      if (error instanceof ORPCError && error.defined) throw error
      // oRPC could not make an input of the request.
      if (!context.entered || (error instanceof ORPCError && error.code === 'BAD_REQUEST')) throw tell(unreadable())
      log.error({ err: error instanceof Error ? error.name : undefined }, 'console request failed unexpectedly')
      throw unexpectedError()
    }
  }

  const options = { clientInterceptors: [guard], interceptors: [translateErrors] }
  // biome-ignore lint/suspicious/noExplicitAny: oRPC's interceptor types are wider than what is used here
  const handler = new StandardRPCHandler<ConsoleContext>(createRouter(deps), options as any)

  return async (request, url, ip) => {
    const origin = publicUrl ?? url.origin
    if (request.method !== 'POST') return answer(404, interfaceError('NOT_FOUND', 'No such path or method').toJSON())
    const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
    const origins = isLoopback ? [origin, url.origin] : [origin]
    if (!origins.includes(request.headers.get('origin') ?? '')) return answer(403, tell(foreignOrigin()).toJSON())
    const token = tokenIn(request.headers.get('cookie'))
    const signedIn = token === undefined ? undefined : await sessionOf(deps, token)
    const context: ConsoleContext = { signedIn, ip, origin, sessionToken: undefined, entered: false }
    const body = async () => {
      if (url.search !== '') throw invalid('query', 'unknown_field', 'not used here')
      return readJsonBody(request)
    }
    const result = await handler.handle(
      { method: 'POST', url, headers: {}, signal: request.signal, body },
      { prefix: CONSOLE_RPC_PREFIX, context },
    )
    if (!result.matched) return answer(404, interfaceError('NOT_FOUND', 'No such procedure').toJSON())
    const { status, body: answered } = result.response
    return answer(status, answered, cookieOf(context.sessionToken))
  }
}

/** The page says it in its own language, and needs what the sentence speaks of. */
const tell = (refusal: Refusal) => fromRefusal(refusal, refusal.detail.about && { about: refusal.detail.about })

const foreignOrigin = () => forbidden('foreign_origin', 'The console takes requests of its own pages only')

interface Intercepted<T> {
  context: ConsoleContext
  procedure: { '~orpc': { meta: unknown } }
  next: () => Promise<T>
}

const COOKIE = '__Secure-watchword'
const COOKIE_RULES = 'Path=/console; HttpOnly; Secure; SameSite=Strict'
const WEEK_SEC = 7 * 24 * 60 * 60

function tokenIn(cookies: string | null): string | undefined {
  const found = (cookies ?? '').split(';').find((pair) => pair.trim().startsWith(`${COOKIE}=`))
  return found?.trim().slice(COOKIE.length + 1)
}

function cookieOf(token: string | null | undefined): string | undefined {
  if (token === undefined) return undefined
  return token === null
    ? `${COOKIE}=; ${COOKIE_RULES}; Max-Age=0`
    : `${COOKIE}=${token}; ${COOKIE_RULES}; Max-Age=${WEEK_SEC}`
}

function answer(status: number, body: unknown, cookie?: string): Response {
  const isEnvelope = typeof body === 'object' && body !== null && 'json' in body
  return new Response(JSON.stringify(isEnvelope ? body : { json: body }), {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...(cookie && { 'set-cookie': cookie }),
    },
  })
}
