/**
 * `/admin/v1`: the management API, administration as REST for machines. Off until an owner has made a token. Decisions:
 * "Administration".
 */
import { SmartCoercionPlugin } from '@orpc/json-schema'
import { StandardOpenAPIHandler } from '@orpc/openapi/standard'
import { ORPCError } from '@orpc/server'
import { ZodToJsonSchemaConverter } from '@orpc/zod/zod4'
import type { AdminToken } from '../domain/access/admin-token'
import { PERMISSIONS } from '../domain/access/operator'
import { conflict, invalid, Refusal } from '../domain/shared/error'
import { MINUTE_MS } from '../domain/shared/value'
import { fromRefusal, type InterfaceError, retryAfter } from '../http/errors'
import { readOptionalJsonBody } from '../http/json'
import { ADMIN_PREFIX } from '../http/route-table'
import { ProtectionHistory } from '../usecases/abuse/read-protection'
import { takenToken } from '../usecases/administer/admin-tokens'
import type { Actor, NotedRequest } from '../usecases/shared/write-audit'
import type { AdminContext, AdminServices } from './context'
import { callRules, createAdminRouter } from './router'

const REQUESTS_PER_MIN = 600

/** Throws a `Refusal`. */
export type AdminApi = (
  request: Request,
  url: URL,
  clientIp: string,
) => Promise<{ response: Response; refusal?: Refusal | undefined }>

export function createAdminApi(deps: AdminServices): AdminApi {
  const { store, node, vault, facts } = deps
  const { tokens: _, ...router } = createAdminRouter(deps, new ProtectionHistory(deps))
  const handler = new StandardOpenAPIHandler<AdminContext>(router, {
    ...callRules(deps, tell),
    plugins: [new SmartCoercionPlugin({ schemaConverters: [new ZodToJsonSchemaConverter()] })],
  })

  let description: Promise<object> | undefined
  const lastChange = async () => (await store.lists.audit.page({ limit: 1 }))[0]?.seq ?? 0

  return async (request, url, clientIp) => {
    if (request.method === 'GET' && url.pathname === `${ADMIN_PREFIX}/openapi.json`)
      return { response: await described() }
    const token = await tokenOf(request.headers, clientIp)
    await node.limits.acquire([
      {
        ...{ limit: 'perKey', policy: 'platform' },
        subject: `admin:${token.tokenId}`,
        max: REQUESTS_PER_MIN,
        windowMs: MINUTE_MS,
      },
    ])
    const isReading = request.method === 'GET'
    const body = isReading ? undefined : await readOptionalJsonBody(request)
    const noted = isReading ? undefined : notedRequest(token, request, url, body)
    const before = noted && (await answeredBefore(noted))
    if (before) return { response: before }
    const actor: Actor = {
      ...{ name: `token ${token.name}`, ip: clientIp, unchangedSince: unchangedSince(request.headers) },
      ...(noted && { request: noted }),
    }
    const context: AdminContext = {
      administrator: { actor, permissions: PERMISSIONS, appIds: token.appIds, scopes: token.scopes },
      ...{ origin: facts.publicUrl ?? url.origin, entered: false },
    }
    const etag = isReading ? `"${await lastChange()}"` : undefined
    const { response } = await handler.handle(
      { method: request.method, url, headers: {}, signal: request.signal, body: async () => body },
      { prefix: ADMIN_PREFIX, context },
    )
    if (!response) throw new Refusal('not_found', 'No such path or method')
    const answer = JSON.stringify(response.body)
    if (response.status < 300 && noted?.isNoted) await store.transaction((tx) => tx.admin.answerRequest(noted, answer))
    const { refusal } = context
    const headers = { ...(etag && { etag }), ...retryAfter(refusal?.detail.retryAfterMs) }
    return { response: answered(response.status, answer, headers), refusal }
  }

  async function described(): Promise<Response> {
    description ??= import('./description').then(({ describeAdmin }) => describeAdmin(facts.publicUrl))
    return answered(200, JSON.stringify(await description))
  }

  /** Without any token there is no management API. */
  async function tokenOf(headers: Headers, clientIp: string): Promise<AdminToken> {
    const token = await takenToken(deps, headers.get('authorization'), clientIp)
    if (token) return token
    if ((await store.read.admin.tokens()).length === 0) throw new Refusal('not_found', 'No such path or method')
    throw new Refusal('unauthorized', 'The token is missing, malformed, revoked, expired, or not for this network')
  }

  function notedRequest(
    { tokenId }: AdminToken,
    { headers, method }: Request,
    { pathname }: URL,
    body: unknown,
  ): NotedRequest | undefined {
    const key = headers.get('idempotency-key')
    if (key === null) return undefined
    if (!/^[!-~]{1,128}$/.test(key))
      throw invalid('Idempotency-Key', 'not_visible_ascii', 'must be 1 to 128 visible ASCII characters', { max: 128 })
    return {
      requestId: vault.claimHash(`admin ${tokenId} ${key}`).toHex(),
      fingerprint: vault.fingerprint(JSON.stringify([method, pathname, body])).toHex(),
    }
  }

  async function answeredBefore({ requestId, fingerprint }: NotedRequest): Promise<Response | undefined> {
    const known = await store.read.admin.request(requestId)
    if (!known) return undefined
    if (known.fingerprint !== fingerprint)
      throw conflict(
        'Idempotency-Key',
        'idempotency_key_reused',
        'This idempotency key was used for a different request',
      )
    if (known.answer === undefined)
      throw conflict('Idempotency-Key', 'answer_lost', 'It was done, and its answer is lost: look at what is there')
    return answered(200, known.answer, { 'idempotency-replayed': 'true' })
  }
}

/** The number of the newest change that the caller has seen. */
function unchangedSince(headers: Headers): number | undefined {
  const given = headers.get('if-match')
  if (given === null || given === '*') return undefined
  const [, seq] = /^"(\d{1,15})"$/.exec(given) ?? []
  if (seq === undefined) throw invalid('If-Match', 'invalid_format', 'must be one ETag of an answer, with its quotes')
  return Number(seq)
}

/** A rule refuses with 422. A body that cannot be read, or has the wrong shape, is refused with 400. */
function tell(refusal: Refusal, isOfRule: boolean): InterfaceError {
  const error = fromRefusal(refusal)
  if (!isOfRule || refusal.kind !== 'invalid' || refusal.detail.reason === 'unknown_field') return error
  const { message, data } = error
  return new ORPCError('UNPROCESSABLE_CONTENT', { defined: true, status: 422, message, data })
}

const answered = (status: number, body: string, headers: Record<string, string> = {}) =>
  new Response(body, {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  })
