/** The description of the management API, made from the contract. */
import type { AnyContractProcedure } from '@orpc/contract'
import { OpenAPIGenerator } from '@orpc/openapi'
import { ZodToJsonSchemaConverter } from '@orpc/zod/zod4'
import { ADMIN_PREFIX } from '../http/route-table'
import { adminContract } from './contract'
import type { Access } from './contract/base'

const DESCRIPTION = `Administer an installation: what people do at its console, for machines.

A token opens it, which an owner makes at the console or with \`watchword token create\`. It has scopes such as \`carriers:write\`:
the noun of each operation, with \`read\` for GET and \`write\` for all others. Without any token the API is off, and every path is 404.

- **Times** are Unix milliseconds, amounts whole credits.
- **Errors** have the envelope of \`/v1\`: \`{defined, code, status, message, data}\`. 400 is what cannot be read, 422 what a rule does not allow.
- **Two people**: an answer to GET has an \`ETag\`. Sent back as \`If-Match\`, a change is refused with 409 if somebody has changed the same
  thing since.
- **Retries**: a request with an \`Idempotency-Key\` that changes something is carried out once within a day. Repeated, it gets its answer again.
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

type DescribedOperation = Record<string, unknown>

/** `publicUrl`: the public origin of this deployment, where it is known. */
export async function describeAdmin(publicUrl?: string): Promise<object> {
  const { reportTokens: _, tokens: __, ...contract } = adminContract
  const document = await new OpenAPIGenerator({ schemaConverters: [new ZodToJsonSchemaConverter()] }).generate(
    contract,
    {
      info: { title: 'Watchword administration', version: '1.0.0', description: DESCRIPTION },
      servers: [{ url: `${publicUrl ?? ''}${ADMIN_PREFIX}` }],
      components: {
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
      if (operation) complete(operation, { noun, isReading: route.method === 'GET', access: meta as Access })
    }
  return document
}

function complete(
  operation: DescribedOperation,
  { noun, isReading, access }: { noun: string; isReading: boolean; access: Access },
): void {
  operation.tags = [noun]
  operation['x-required-scopes'] = [`${noun}:${isReading ? 'read' : 'write'}`]
  operation['x-needs-all-apps'] = access.reach === 'installation'
  if (!isReading) operation.parameters = [...((operation.parameters as object[]) ?? []), IDEMPOTENCY_KEY, IF_MATCH]
}
