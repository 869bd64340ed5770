/** Holds answers of the API against the description that the service publishes of itself. */
import Ajv from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { contract } from '../../contract'
import { operationAt } from '../../src/http/operations'

/** What was answered to a request under `/v1`. */
export interface Answered {
  method: string
  path: string
  status: number
  /** Without the `json` that RPC puts around it. */
  body: unknown
}

/** Throws where an answer is not as described. What is no operation of the interface is not looked at. */
export type AssertDescribed = (answered: Answered) => void

type Reference = { $ref: string }
interface Document {
  paths: Record<string, Record<string, { responses: Record<string, Reference | Inline> }>>
}
interface Inline {
  content: { 'application/json': { schema: Reference } }
}

/** `document` is what `/v1/openapi.json` answers. */
export function describedBy(document: Document): AssertDescribed {
  const ajv = new Ajv({ strict: false })
  addFormats(ajv)
  ajv.addSchema(document, 'api')
  return ({ method, path, status, body }) => {
    const operation = operationAt(method, path)
    if (!operation) return
    const { route } = contract[operation.name]['~orpc']
    const response = document.paths[route.path ?? '']?.[route.method?.toLowerCase() ?? '']?.responses[status]
    const told = `${method} ${path} is answered ${status} ${JSON.stringify(body)}`
    if (!response) throw new Error(`${told}, which the description does not list`)
    // Each schema is compiled when the first answer needs it, and kept.
    const isValid = ajv.getSchema(`api${schemaOf(response)}`)
    if (!isValid?.(body)) throw new Error(`${told}: ${ajv.errorsText(isValid?.errors)}`)
  }
}

const schemaOf = (response: Reference | Inline) =>
  '$ref' in response
    ? `${response.$ref}/content/application~1json/schema`
    : response.content['application/json'].schema.$ref
