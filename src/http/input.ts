/** What an operation gets for an input: a query and the id in the path, a body, or the `json` of an RPC body. */
import { StandardRPCJsonSerializer, StandardRPCSerializer } from '@orpc/client/standard'
import { StandardBracketNotationSerializer } from '@orpc/openapi-client/standard'
import { invalid } from '../domain/shared/error'
import { unreadable } from './errors'
import { readJsonBody, readOptionalJsonBody } from './json-body'
import type { Operation } from './operations'
import type { RequestPath } from './request-path'

const brackets = new StandardBracketNotationSerializer()
const rpc = new StandardRPCSerializer(new StandardRPCJsonSerializer())

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
    const input = rpc.deserialize(body as Parameters<typeof rpc.deserialize>[0])
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
