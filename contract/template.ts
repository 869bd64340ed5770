/** Message templates. Specification: "Template", `GET /templates`, `GET /templates/{templateId}`. */
import { z } from 'zod'
import { channel, text } from './value'

export const templateSummary = z.object({
  templateId: z.string().meta({ examples: ['otp_default_kr'] }),
  name: z.string(),
  isDefault: z.boolean().meta({ description: 'Used when an issue names no template.' }),
  providerTemplateCode: z.string().meta({ description: 'Code of the template at the AlimTalk provider.' }),
  channelSupport: z.array(channel),
  body: z.string().meta({ description: '`#{code}` is replaced with the code, `#{name}` with a template variable.' }),
})

export const templateDetail = z.object({
  templateId: z.string().meta({ examples: ['otp_default_kr'] }),
  name: z.string(),
  channelSupport: z.array(channel),
  body: z.string().meta({ description: '`#{code}` is replaced with the code, `#{name}` with a template variable.' }),
  variables: z
    .object({
      required: z.array(z.string()),
      properties: z.record(
        z.string(),
        z.object({ type: z.literal('string'), pattern: z.string().optional(), description: z.string().optional() }),
      ),
      additionalProperties: z.literal(false),
    })
    .meta({ description: 'Variables accepted in `templateVariables`, as a JSON Schema object.' }),
})

export const listTemplatesOutput = z.object({
  defaultTemplateId: z.string().meta({ examples: ['otp_default_kr'] }),
  templates: z.array(templateSummary),
  note: z.string().meta({ description: 'Policy note for people.' }),
})

export const getTemplateInput = z.strictObject({
  templateId: text({ min: 1, description: 'Identifier of the template.', examples: ['otp_default_kr'] }),
})
