/** Which operation of the contract a request is for: each has a path of REST, and a name on RPC. */
import { contract } from '../../contract'
import type { OperationAccess } from '../../contract/scope'

export const API_PREFIX = '/v1'
const RPC_PREFIX = '/v1/rpc/otp'

export const isRpc = (path: string) => path.startsWith(`${RPC_PREFIX}/`)

export interface Operation {
  wire: 'rest' | 'rpc'
  prefix: `/${string}`
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
  const [stem = '', id] = `${API_PREFIX}${route.path}`.split(/\/\{\w+\}$/)
  const isWithId = id !== undefined
  const path = `${route.method} ${stem}${isWithId ? '/{id}' : ''}`
  const of = isWithId ? restWithId : rest
  of.set(`${route.method} ${stem}`, { wire: 'rest', prefix: API_PREFIX, path, access })
  rpc.set(name, { wire: 'rpc', prefix: RPC_PREFIX, path: `POST ${RPC_PREFIX}/${name}`, access })
}

/** Undefined where nothing has this path and method. Paths have one spelling, so no trailing slash. */
export function operationAt(method: string, path: string): Operation | undefined {
  if (isRpc(path)) return method === 'POST' ? rpc.get(path.slice(RPC_PREFIX.length + 1)) : undefined
  const known = rest.get(`${method} ${path}`)
  if (known) return known
  const slash = path.lastIndexOf('/')
  return slash < path.length - 1 ? restWithId.get(`${method} ${path.slice(0, slash)}`) : undefined
}
