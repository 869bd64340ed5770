/** Message templates. Specification: "Template", `GET /templates`, `GET /templates/{templateId}`. */
import { z } from 'zod'
import { channel, text } from './value'

const ownLocale = z
  .string()
  .optional()
  .meta({ description: 'Language of `body`; missing where nobody has said which it is.', examples: ['ko'] })

export const templateSummary = z.object({
  templateId: z.string().meta({ examples: ['otp_default_kr'] }),
  name: z.string(),
  isDefault: z.boolean().meta({ description: 'Used when an issue names no template.' }),
  providerTemplateCode: z.string().meta({ description: 'Code of the template at the AlimTalk provider.' }),
  channelSupport: z.array(channel),
  body: z.string().meta({ description: '`#{code}` is replaced with the code, `#{name}` with a template variable.' }),
  locale: ownLocale,
  locales: z.array(z.string()).meta({
    description: 'Every language it has a text in: what `locale` of an issue may choose.',
    examples: [['ko', 'en']],
  }),
})

export const templateDetail = z.object({
  templateId: z.string().meta({ examples: ['otp_default_kr'] }),
  name: z.string(),
  channelSupport: z.array(channel),
  body: z.string().meta({ description: '`#{code}` is replaced with the code, `#{name}` with a template variable.' }),
  locale: ownLocale,
  bodies: z
    .record(
      z.string(),
      z.object({
        body: z.string(),
        providerTemplateCode: z
          .string()
          .optional()
          .meta({ description: 'Its code at the AlimTalk provider; without one an AlimTalk has the text of `body`.' }),
      }),
    )
    .meta({ description: 'The same in other languages, by their tags.' }),
  variables: z
    .object({
      required: z.array(z.string()),
      properties: z.record(
        z.string(),
        z.object({ type: z.literal('string'), pattern: z.string().optional(), description: z.string().optional() }),
      ),
      additionalProperties: z.literal(false),
    })
    .meta({ description: 'Variables accepted in `templateVariables`, as a JSON Schema object that allows no others.' }),
})

export const listTemplatesOutput = z.object({
  defaultTemplateId: z.string().meta({ examples: ['otp_default_kr'] }),
  templates: z.array(templateSummary),
  note: z.string().meta({ description: 'Policy note for people.' }),
})

export const getTemplateInput = z.strictObject({
  templateId: text({ min: 1, description: 'Identifier of the template.', examples: ['otp_default_kr'] }),
})
