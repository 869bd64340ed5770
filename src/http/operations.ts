/** Which operation of the contract a request is for: each has a path of REST, and a name on RPC. */
import { type Contract, contract } from '../../contract'
import type { OperationAccess } from '../../contract/scope'
import { API_PREFIX, isRpc, RPC_PREFIX } from './request-path'

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
