/** The operations of the contract: the one that a request is for, and the input that the request gives it. */

import { StandardRPCJsonSerializer, StandardRPCSerializer } from '@orpc/client/standard'
import { StandardBracketNotationSerializer } from '@orpc/openapi-client/standard'
import { type Contract, contract } from '../../contract'
import type { OperationAccess } from '../../contract/scope'
import { invalid } from '../domain/shared/error'
import { unreadable } from './errors'
import { readJsonBody, readOptionalJsonBody } from './json'
import { API_PREFIX, isRpc, type RequestPath, RPC_PREFIX } from './route-table'

export type OperationName = keyof Contract

export interface Operation {
  name: OperationName
  wire: 'rest' | 'rpc'
  /** What the input calls the id that the path ends with, where it does. */
  id: string | undefined
  /** `GET /v1/issues/{id}`: what it is called in a log. */
  path: string
  access: OperationAccess
}

const rest = new Map<string, Operation>()
/** Below these paths everything is an id. */
const restWithId = new Map<string, Operation>()
const rpc = new Map<string, Operation>()

for (const [name, procedure] of Object.entries(contract)) {
  const { meta: access, route } = procedure['~orpc']
  const [stem = '', id] = `${API_PREFIX}${route.path}`.split(/\/\{(\w+)\}$/)
  const at = `${route.method} ${stem}`
  const operation = { name: name as OperationName, access }
  if (id === undefined) rest.set(at, { ...operation, wire: 'rest', id, path: at })
  else restWithId.set(at, { ...operation, wire: 'rest', id, path: `${at}/{id}` })
  rpc.set(name, { ...operation, wire: 'rpc', id: undefined, path: `POST ${RPC_PREFIX}/${name}` })
}

/** Undefined where nothing has this path and method. Paths have one spelling, so no trailing slash. */
export function operationAt(method: string, path: string): Operation | undefined {
  if (isRpc(path)) return method === 'POST' ? rpc.get(path.slice(RPC_PREFIX.length + 1)) : undefined
  const known = rest.get(`${method} ${path}`)
  if (known) return known
  const slash = path.lastIndexOf('/')
  return slash < path.length - 1 ? restWithId.get(`${method} ${path.slice(0, slash)}`) : undefined
}

const brackets = new StandardBracketNotationSerializer()
const rpcValues = new StandardRPCSerializer(new StandardRPCJsonSerializer())

/** What no schema has seen yet. Throws `invalid` or `too_large`. */
export function inputOf({ wire, id }: Operation, request: Request, requestPath: RequestPath): unknown {
  if (wire === 'rpc') return rpcInput(request, requestPath)
  if (request.method !== 'GET') return bodyOf(request, requestPath)
  const query = queryOf(requestPath)
  if (id === undefined) return query
  // Numbers for names make a list of it, which has always been passed over beside an id.
  return { ...(!Array.isArray(query) && (query as object)), [id]: lastSegment(requestPath.path) }
}

/** One parameter, with no bracket in its name and nothing encoded: there is nothing to make out. */
const PLAIN = /^\?([A-Za-z]+)=([\w.~:-]*)$/

function queryOf({ search }: RequestPath): unknown {
  const [, name, value] = PLAIN.exec(search) ?? []
  return name === undefined ? brackets.deserialize([...new URLSearchParams(search)]) : { [name]: value }
}

function bodyOf(request: Request, requestPath: RequestPath): Promise<unknown> {
  assertNoParameters(requestPath)
  return readJsonBody(request)
}

async function rpcInput(request: Request, requestPath: RequestPath): Promise<unknown> {
  assertNoParameters(requestPath)
  // A call without input may come without a body: oRPC's first clients send none.
  const body = (await readOptionalJsonBody(request)) ?? {}
  assertRpcMeta(body)
  try {
    const input = rpcValues.deserialize(body as Parameters<typeof rpcValues.deserialize>[0])
    // As a query without parameters is.
    return input === undefined ? {} : input
  } catch {
    throw unreadable()
  }
}

function lastSegment(path: string): string {
  const last = path.slice(path.lastIndexOf('/') + 1)
  try {
    return decodeURIComponent(last)
  } catch {
    // Of no UTF-8: whatever it is then, it is nobody's id.
    return last
  }
}

function assertNoParameters({ search }: RequestPath): void {
  if (search === '') return
  const [name = 'query'] = new URLSearchParams(search).keys()
  throw invalid(name.slice(0, 64), 'unknown_field', 'this request takes no query parameters')
}

/** RPC's notes on values that JSON has no word for: `[[type, ...path]]`. oRPC passes over what it does not know. */
function assertRpcMeta({ meta, json: _, ...rest }: Record<string, unknown>): void {
  const unknown = Object.keys(rest)[0]
  if (unknown !== undefined)
    throw invalid(unknown.slice(0, 64), 'unknown_field', 'a request has "json" and "meta" only')
  const isNote = (note: unknown) =>
    Array.isArray(note) &&
    RPC_TYPES.has(note[0]) &&
    note.slice(1).every((step) => ['string', 'number'].includes(typeof step))
  if (meta !== undefined && !(Array.isArray(meta) && meta.every(isNote)))
    throw invalid('meta', 'invalid_format', 'not in the expected format')
}

const RPC_TYPES: ReadonlySet<unknown> = new Set([0, 1, 2, 3, 4, 5, 6, 7])
