/** What an operation gets for a body. */
import { invalid } from '../domain/error'
import { readJsonBody, readOptionalJsonBody } from './json-body'
import type { Operation } from './operations'

/** Throws `invalid` or `too_large`. */
export async function bodyFor(wire: Operation['wire'], request: Request, url: URL): Promise<unknown> {
  if (url.search !== '') throw noParameters(url)
  if (wire === 'rest') return readJsonBody(request)
  // A call without input may come without a body: oRPC's first clients send none.
  const body = (await readOptionalJsonBody(request)) ?? {}
  assertRpcMeta(body)
  return body
}

const noParameters = (url: URL) =>
  invalid(
    ([...url.searchParams.keys()][0] ?? 'query').slice(0, 64),
    'unknown_field',
    'this request takes no query parameters',
  )

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
