/** The configuration of an installation as a file that is kept in git. What the file does not say stays as it is. */
import { z } from 'zod'
import { decided, plan, region, retentionDays, texts } from '../contract/apps'
import { email, leg, mode, role } from '../contract/base'
import { route } from '../contract/carriers'
import { relaySettings } from '../contract/relays'
import { template } from '../contract/templates'
import { hookSettings } from '../contract/webhooks'

const secret = z
  .string()
  .describe('A text, or a reference: env:NAME is an environment variable, file:PATH a file beside this one.')

const app = z.strictObject({
  name: z.string().describe('What people call it. The file knows an app by it.'),
  region: region.describe('ISO 3166 country by which national numbers are read.'),
  retentionDays: retentionDays.describe('How many days live issues are kept.'),
  provesMetadata: z.boolean().optional().describe('Whether proofs of verification include the metadata.'),
  texts: texts.partial().optional().describe('Lines that fill a code in, and the choice of language.'),
  protection: decided.optional().describe('Rules against abuse. Times are milliseconds.'),
  plans: z.array(plan).optional().describe('Delivery plans: the channels of a code, in order.'),
  templates: z
    .array(template.partial().required({ templateId: true, body: true }))
    .optional()
    .describe('Message templates of its own.'),
  webhooks: z
    .array(
      hookSettings
        .partial()
        .required({ url: true, events: true })
        .extend({ mode, headers: z.record(z.string(), secret).optional(), enabled: z.boolean().optional() }),
    )
    .optional()
    .describe('Webhook endpoints, known by mode and URL.'),
  relays: z
    .array(relaySettings.extend({ secret: secret.optional() }))
    .optional()
    .describe('Platforms whose codes it delivers, known by mode and name.'),
})

const carrier = z.strictObject({
  name: z.string(),
  type: z.string().describe('Such as solapi; `watchword provider types` lists them.'),
  channels: z.array(leg).min(1),
  settings: z.record(z.string(), secret).describe('The settings of the type.'),
})

/** The same with no unknown field at any depth: one that is misspelt must not be as if it were missing. */
function strictly<Schema extends z.ZodType>(schema: Schema): Schema {
  const strict = (): z.ZodType => {
    if (schema instanceof z.ZodObject)
      return z.strictObject(
        Object.fromEntries(Object.entries(schema.shape).map(([name, one]) => [name, strictly(one)])),
      )
    if (schema instanceof z.ZodArray)
      return schema.clone({ ...schema.def, element: strictly(schema.element as z.ZodType) })
    if (schema instanceof z.ZodOptional)
      return schema.clone({ ...schema.def, innerType: strictly(schema.unwrap() as z.ZodType) })
    return schema
  }
  const made = strict()
  return (schema.description === undefined ? made : made.describe(schema.description)) as Schema
}

export const configuration = strictly(
  z.object({
    carriers: z.array(carrier).optional(),
    apps: z.array(app).optional(),
    routes: z
      .array(
        route
          .omit({ appId: true })
          .extend({ app: z.string().optional().describe('The name of the app; missing: all.') }),
      )
      .optional(),
    operators: z
      .array(
        z.strictObject({
          email,
          role,
          apps: z.array(z.string()).optional().describe('Names of the only apps they see.'),
        }),
      )
      .optional()
      .describe('Who is missing is invited. The link is printed once.'),
  }),
)

export type Configuration = z.infer<typeof configuration>
export type AppInFile = z.infer<typeof app>
export type CarrierInFile = z.infer<typeof carrier>
