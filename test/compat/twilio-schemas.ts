/** Holds answers against the schemas that Twilio publishes of Verify v2. */
import Ajv from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import document from './twilio-verify-v2.json' with { type: 'json' }

const ajv = new Ajv({ strict: false })
addFormats(ajv)
ajv.addSchema({ ...document, components: { schemas: withNull(document.components.schemas) } }, 'twilio')

/** OpenAPI 3.0 writes `nullable`, which JSON Schema does not know. */
function withNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNull)
  if (typeof value !== 'object' || value === null) return value
  const { nullable, type, ...rest } = value as Record<string, unknown>
  const children = Object.fromEntries(Object.entries(rest).map(([name, child]) => [name, withNull(child)]))
  if (type === undefined) return children
  return { ...children, type: nullable === true ? [type, 'null'] : withNull(type) }
}

/** Throws where an answer is not as Twilio describes it, or has other members. */
export function assertTwilios(path: string, status: number, body: object): void {
  const { schemas } = document.components
  const isCheck = path.endsWith('/VerificationCheck')
  const resource = isCheck ? 'verify.v2.service.verification_check' : 'verify.v2.service.verification'
  const name = status < 300 ? resource : 'error'
  const isValid = ajv.getSchema(`twilio#/components/schemas/${name}`)
  if (!isValid?.(body))
    throw new Error(`${path} is answered ${JSON.stringify(body)}: ${ajv.errorsText(isValid?.errors)}`)
  const known = Object.keys(schemas[name].properties)
  const [members, expected] = [Object.keys(body).toSorted(), known.toSorted()]
  if (members.join() !== expected.join()) throw new Error(`${path} is answered with ${members}, not with ${expected}`)
}
