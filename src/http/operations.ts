/** The operations of the contract: the one that a request is for, and the input that the request gives it. */

import { StandardRPCJsonSerializer, StandardRPCSerializer } from '@orpc/client/standard'
import { StandardBracketNotationSerializer } from '@orpc/openapi-client/standard'
import { type Contract, contract } from '../../contract'
import type { OperationAccess } from '../../contract/scope'
import { invalid } from '../domain/shared/error'
import { unreadable } from './errors'
import { isReading, readJsonBody, readOptionalJsonBody } from './json'
import { API_PREFIX, isRpc, type RequestPath, RPC_PREFIX } from './route-table'

export type OperationName = keyof Contract

export interface Operation {
  name: OperationName
  wire: 'rest' | 'rpc'
  /** The input field of the id at the end of the path, if there is one. */
  id: string | undefined
  /** The name in logs, such as `GET /v1/issues/{id}`. */
  path: string
  access: OperationAccess
}

const rest = new Map<string, Operation>()
/** Operations whose path ends with an id. */
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

/** Undefined where no operation has this path and method. A trailing slash makes another path. */
export function operationAt(method: string, path: string): Operation | undefined {
  if (isRpc(path)) return method === 'POST' ? rpc.get(path.slice(RPC_PREFIX.length + 1)) : undefined
  const known = rest.get(`${method} ${path}`)
  if (known) return known
  const slash = path.lastIndexOf('/')
  return slash < path.length - 1 ? restWithId.get(`${method} ${path.slice(0, slash)}`) : undefined
}

const brackets = new StandardBracketNotationSerializer()
const rpcValues = new StandardRPCSerializer(new StandardRPCJsonSerializer())

/** Returns the input before validation. Throws `invalid` or `too_large`. */
export function inputOf({ wire, id }: Operation, request: Request, requestPath: RequestPath): unknown {
  if (wire === 'rpc') return rpcInput(request, requestPath)
  if (!isReading(request)) return bodyOf(request, requestPath)
  const query = queryOf(requestPath)
  if (id === undefined) return query
  // Numeric parameter names make an array of the query. Beside an id it has always been ignored.
  return { ...(!Array.isArray(query) && (query as object)), [id]: lastSegment(requestPath.path) }
}

/** One parameter without brackets or encoding: it needs no parser. */
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
    // The same as a query without parameters.
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
    // Not UTF-8, so it matches no id.
    return last
  }
}

function assertNoParameters({ search }: RequestPath): void {
  if (search === '') return
  const [name = 'query'] = new URLSearchParams(search).keys()
  throw invalid(name.slice(0, 64), 'unknown_field', 'this request takes no query parameters')
}

/** Checks `meta`, the types of values that JSON lacks: `[[type, ...path]]`. oRPC would ignore unknown types. */
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
