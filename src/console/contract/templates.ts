/** Message templates, and what a message made from one looks like. */
import { z } from 'zod'
import { channel, mistake, ofApp, procedure } from './base'

const variable = z.object({ required: z.boolean(), pattern: z.string().optional(), description: z.string().optional() })

/** In another language. */
const translation = z.object({ body: z.string(), providerTemplateCode: z.string().optional() })

const template = z.object({
  templateId: z.string(),
  name: z.string(),
  body: z.string(),
  channelSupport: z.array(channel),
  variables: z.record(z.string(), variable),
  providerTemplateCode: z.string(),
  locale: z.string().optional(),
  bodies: z.record(z.string(), translation),
})

const listed = template.extend({
  isBuiltIn: z.boolean(),
  isDefault: z.boolean(),
  /** Variables whose pattern was stored before patterns had to take linear time. */
})

export const templates = {
  list: procedure('look')
    .input(ofApp)
    .output(z.object({ templates: z.array(listed) })),
  /** A new template, or a new version of one; messages in flight keep their text. */
  save: procedure('templates').input(ofApp.extend({ template })).output(template),
  /** The SMS, with a made-up code; `mistake` says what is wrong instead of refusing, so that it can be shown while typing. */
  preview: procedure('look')
    .input(ofApp.extend({ template, locale: z.string().optional(), values: z.record(z.string(), z.string()) }))
    .output(
      z.object({
        text: z.string().optional(),
        /** In EUC-KR, as Korean carriers count. */
        bytes: z.int().optional(),
        messageType: z.enum(['SMS', 'LMS']).optional(),
        /** Messages that carriers elsewhere would cut it into, and how they write it. */
        segments: z.int().optional(),
        encoding: z.enum(['GSM-7', 'UCS-2']).optional(),
        mistake: mistake.optional(),
      }),
    ),
}
