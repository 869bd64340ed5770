/**
 * `/console/rpc`: who is signed in, may they, and from this site. Sessions are cookies that no script can read and no
 * other site can send; API keys open nothing here.
 */
import { StandardRPCHandler } from '@orpc/server/standard'
import { toEventStream } from '@orpc/standard-server-fetch'
import type { AdminServices } from '../admin/context'
import { callRules, createAdminRouter } from '../admin/router'
import { deviceOf } from '../domain/access/device'
import { type Operator, permissionsOf, SESSION_MS } from '../domain/access/operator'
import { forbidden, invalid, type Refusal } from '../domain/shared/error'
import { SECOND_MS } from '../domain/shared/value'
import { clientIpOf, isLoopbackHost, isOwnAddress } from '../http/authenticate'
import { asRefusal, fromRefusal, type InterfaceError, interfaceError, retryAfter } from '../http/errors'
import { readJsonBody } from '../http/json'
import { ProtectionHistory } from '../usecases/abuse/read-protection'
import { sessionOf } from '../usecases/people'
import { CONSOLE_RPC_PREFIX, type ConsoleContext } from './context'
import { liveProcedures } from './procedures/live'
import { sessionProcedures } from './procedures/session'

/** `socketAddress` is the peer's. */
export type ConsoleRpc = (request: Request, url: URL, socketAddress: string) => Promise<Response>

export function createConsoleRpc(deps: AdminServices): ConsoleRpc {
  const { trustedProxies } = deps
  const { publicUrl } = deps.facts
  const installation = deps.store.read.installation()

  const router = {
    ...createAdminRouter(deps, new ProtectionHistory(deps)),
    session: sessionProcedures(deps),
    live: liveProcedures(deps),
  }
  const handler = new StandardRPCHandler<ConsoleContext>(router, callRules(deps, tell))

  /** Returns the origin of the calling page. Throws `forbidden` if it is not the console. */
  function pageOf(request: Request, url: URL): URL {
    const asked = request.headers.get('origin') ?? ''
    // Any host name can point to this server (DNS rebinding), so the host header alone proves nothing.
    const isOurs = asked === publicUrl || (asked === url.origin && isLoopbackHost(url.hostname))
    if (isOurs) return new URL(asked)
    if (publicUrl !== undefined || !URL.canParse(asked) || isLoopbackHost(new URL(asked).hostname))
      throw forbidden('foreign_origin', 'The console takes requests of its own pages only')
    throw forbidden('public_url_needed', 'WATCHWORD_PUBLIC_URL has to name the origin the console is opened at')
  }

  async function respond(request: Request, url: URL, socketAddress: string): Promise<Response> {
    const page = pageOf(request, url)
    const cookie = cookieFor(page, await installation)
    const token = tokenIn(request.headers.get('cookie'), cookie)
    const signedIn = token === undefined ? undefined : await sessionOf(deps, token)
    const ip = clientIpOf(socketAddress, request.headers.get('x-forwarded-for'), trustedProxies)
    const context: ConsoleContext = {
      signedIn,
      session: signedIn?.session,
      administrator: signedIn && administratorIn(signedIn.operator, ip),
      visitor: {
        ip,
        hasOwnAddress: isOwnAddress(request, ip, { socketAddress, trustedProxies, origin: page }),
        device: deviceOf(request.headers.get('user-agent')),
      },
      origin: publicUrl ?? page.origin,
      sessionToken: undefined,
      entered: false,
    }
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
    if (isStream(answered)) return eventStream(answered)
    return answer(status, answered, {
      ...setCookie(cookie, context.sessionToken),
      ...retryAfter(context.refusal?.detail.retryAfterMs),
    })
  }

  return async (request, url, socketAddress) => {
    if (request.method !== 'POST') return answer(404, interfaceError('NOT_FOUND', 'No such path or method').toJSON())
    try {
      return await respond(request, url, socketAddress)
    } catch (error) {
      const refusal = asRefusal(error)
      if (!refusal) throw error
      const told = tell(refusal)
      return answer(told.status, told.toJSON(), retryAfter(refusal.detail.retryAfterMs))
    }
  }
}

/** The page translates the reason, so it needs the values of the sentence. */
const tell = (refusal: Refusal): InterfaceError =>
  fromRefusal(refusal, refusal.detail.about && { about: refusal.detail.about })

const isStream = (body: unknown): body is AsyncIterator<unknown> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body

/** The procedure sends heartbeats itself, which also keep proxies from closing it. Nginx would hold events back. */
function eventStream(events: AsyncIterator<unknown>): Response {
  const headers = { 'cache-control': 'no-store', 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' }
  return new Response(toEventStream(events, { eventIteratorKeepAliveEnabled: false }), { headers })
}

const administratorIn = ({ operatorId, role, appIds }: Operator, ip: string) => ({
  ...{ actor: { name: operatorId, ip }, permissions: permissionsOf(role), appIds },
})

interface Cookie {
  name: string
  rules: string
}

/**
 * Named after the installation, since cookies do not know ports. Only a page of this very host, over https, can set one
 * that begins with `__Host-`. Safari keeps no `Secure` cookie from http://localhost (WebKit 281149), so there it is a plain
 * one: it leaves the machine as little.
 */
const cookieFor = ({ protocol, hostname }: URL, installation: string): Cookie =>
  protocol === 'http:' && isLoopbackHost(hostname)
    ? { name: `watchword-${installation.slice(0, 12)}`, rules: 'Path=/console; HttpOnly; SameSite=Strict' }
    : { name: `__Host-watchword-${installation.slice(0, 12)}`, rules: 'Path=/; HttpOnly; Secure; SameSite=Strict' }

function tokenIn(cookies: string | null, { name }: Cookie): string | undefined {
  const found = (cookies ?? '').split(';').find((pair) => pair.trim().startsWith(`${name}=`))
  return found?.trim().slice(name.length + 1)
}

/** `null` ends the current session. */
function setCookie({ name, rules }: Cookie, token: string | null | undefined): Record<string, string> {
  if (token === undefined) return {}
  return { 'set-cookie': `${name}=${token ?? ''}; ${rules}; Max-Age=${token === null ? 0 : SESSION_MS / SECOND_MS}` }
}

function answer(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  const isEnvelope = typeof body === 'object' && body !== null && 'json' in body
  return new Response(JSON.stringify(isEnvelope ? body : { json: body }), {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  })
}
