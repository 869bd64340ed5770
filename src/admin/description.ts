/** The description of the management API, made from the contract. */
import type { AnyContractProcedure } from '@orpc/contract'
import type { JSONSchema } from '@orpc/openapi'
import { OpenAPIGenerator } from '@orpc/openapi'
import { ZodToJsonSchemaConverter } from '@orpc/zod/zod4'
import { ADMIN_PREFIX } from '../http/route-table'
import { adminContract } from './contract'
import type { Access } from './contract/base'

const DESCRIPTION = `Administer an installation: what people do at its console, for machines.

A token opens it, which an owner makes at the console or with \`watchword token create\`. Without any token the API is off, and every path is
404. To begin:

\`\`\`sh
curl https://otp.example.com/admin/v1/apps -H "Authorization: Bearer adm_…"
\`\`\`

The usual order is \`GET /carrier-types\`, \`POST /carriers\` with the settings of one, \`PUT /routes\`, and \`POST /apps/{appId}/keys\`. Carriers are called
\`providers\` in some fields. The [guide](/docs/guide/administration) has an example.

- **Scopes** of a token are the tag of an operation and \`read\` for GET, or \`write\` for all others, such as \`carriers:write\`. \`write\` includes \`read\`.
- **Times** are Unix milliseconds, amounts whole credits.
- **Errors** are \`{defined, code, status, message, data}\`, as under \`/v1\`. 400 is what has the wrong form, 422 what a rule does not allow.
- **Two people**: an answer to GET has an \`ETag\`, one number for everything. Sent back as \`If-Match\`, a change is refused with 409 only if somebody has
  changed the same thing since: this app, this carrier, this route. Take it from the list that has the thing.
- **Retries**: POST with an \`Idempotency-Key\` that changes something is carried out once within a day. The same path and body again get the same
  answer, with the header \`Idempotency-Replayed\`.
- **Audit**: every change is in the log, with the token's name.`

const IDEMPOTENCY_KEY = {
  ...{ name: 'Idempotency-Key', in: 'header', required: false },
  description: 'Repeat it to retry safely, within a day.',
  schema: { type: 'string', pattern: '^[!-~]{1,128}$' },
}

const IF_MATCH = {
  ...{ name: 'If-Match', in: 'header', required: false },
  description: 'The `ETag` of what you read: 409 if somebody has changed it since.',
  schema: { type: 'string' },
}

const ERROR: JSONSchema = {
  type: 'object',
  required: ['defined', 'code', 'status', 'message'],
  properties: {
    ...{
      defined: { type: 'boolean' },
      code: { type: 'string' },
      status: { type: 'integer' },
      message: { type: 'string' },
    },
    data: {
      type: 'object',
      properties: {
        param: { type: 'string', description: 'The field or header that is to blame.' },
        reason: { type: 'string', description: 'For programs; docs/guide/errors says what to do about each.' },
      },
    },
  },
}

type DescribedOperation = Record<string, unknown>

/** `publicUrl`: the public origin of this deployment, where it is known. */
export async function describeAdmin(publicUrl?: string): Promise<object> {
  const { tokens: _, ...contract } = adminContract
  const document = await new OpenAPIGenerator({ schemaConverters: [new ZodToJsonSchemaConverter()] }).generate(
    contract,
    {
      info: { title: 'Watchword administration', version: '1.0.0', description: DESCRIPTION },
      servers: [{ url: `${publicUrl ?? ''}${ADMIN_PREFIX}` }],
      components: {
        responses: {
          Error: { description: 'Why it was refused', content: { 'application/json': { schema: ERROR as object } } },
        },
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer', description: 'A token (`adm_…`) of the management API.' },
        },
      },
      security: [{ token: [] }],
    },
  )
  const paths = (document.paths ?? {}) as unknown as Record<string, Record<string, DescribedOperation>>
  for (const [noun, procedures] of Object.entries(contract))
    for (const procedure of Object.values<AnyContractProcedure>(procedures)) {
      const { route, meta } = procedure['~orpc']
      const operation = paths[route.path ?? '']?.[(route.method ?? '').toLowerCase()]
      if (operation) complete(operation, { noun, method: route.method ?? '', access: meta as Access })
    }
  return document
}

function complete(
  operation: DescribedOperation,
  { noun, method, access }: { noun: string; method: string; access: Access },
): void {
  const scope = `${noun}:${method === 'GET' ? 'read' : 'write'}`
  operation.tags = [noun]
  operation['x-required-scopes'] = [scope]
  operation['x-needs-all-apps'] = access.reach === 'installation'
  const reach = access.reach === 'installation' ? ', for all apps' : ''
  operation.description = [operation.description, `Scope: \`${scope}\`${reach}.`].filter(Boolean).join(' ')
  const header = { GET: [], POST: [IDEMPOTENCY_KEY] }[method] ?? [IF_MATCH]
  operation.parameters = [...((operation.parameters as object[]) ?? []), ...header]
  const responses = operation.responses as Record<string, object>
  for (const status of Object.keys(responses).filter((status) => status >= '400'))
    responses[status] = { $ref: '#/components/responses/Error' }
}
