/** Message templates and their preview. */
import { z } from 'zod'
import { act, at, channel, mistake, ofApp, ok } from './base'

const variable = z.object({ required: z.boolean(), pattern: z.string().optional(), description: z.string().optional() })

/** Ids of India's DLT. */
const dlt = z.object({ entityId: z.string().optional(), templateId: z.string().optional() }).optional()

/** Text in another language. */
const translation = z.object({ body: z.string(), providerTemplateCode: z.string().optional(), dlt })

export const template = z.object({
  templateId: z.string(),
  name: z.string(),
  body: z.string(),
  channelSupport: z.array(channel),
  variables: z.record(z.string(), variable),
  providerTemplateCode: z.string(),
  locale: z.string().optional(),
  dlt,
  bodies: z.record(z.string(), translation),
})

const listed = template.extend({
  isBuiltIn: z.boolean(),
  isDefault: z.boolean(),
  /** Variables with a stored pattern that is not linear-time. */
})

export const templates = {
  list: act('GET /apps/{appId}/templates', 'List the templates of an app, also those that are built in.', 'look')
    .input(ofApp)
    .output(z.object({ templates: z.array(listed) })),
  save: act(
    'PUT /apps/{appId}/templates',
    'Save a template. A new template, or a new version of one; without `bodies` its other languages stay. Messages in flight keep their text.',
    'templates',
  )
    .input(ofApp.extend({ template: template.partial({ bodies: true }) }))
    .output(template),
  versions: act(
    'GET /apps/{appId}/templates/{templateId}/versions',
    'List the versions of a template. The app’s own versions, the newest first.',
    'look',
  )
    .input(ofApp.extend({ templateId: z.string() }))
    .output(
      z.object({
        versions: z.array(z.object({ version: z.int(), savedAt: at, savedBy: z.string(), template })),
      }),
    ),
  rollBack: act(
    'POST /apps/{appId}/templates/{templateId}/roll-back',
    'Roll a template back. Saves an older version again, as the newest one.',
    'templates',
  )
    .input(ofApp.extend({ templateId: z.string(), version: z.int().min(1) }))
    .output(template),
  remove: act(
    'DELETE /apps/{appId}/templates/{templateId}',
    'Remove a template. A template that is built in and was hidden by it is seen again.',
    'templates',
  )
    .input(ofApp.extend({ templateId: z.string() }))
    .output(ok),
  preview: act(
    'POST /apps/{appId}/templates/preview',
    'Preview a template. Previews the SMS with a sample code. Reports a `mistake` instead of refusing, for display while typing.',
    'look',
  )
    .input(ofApp.extend({ template, locale: z.string().optional(), values: z.record(z.string(), z.string()) }))
    .output(
      z.object({
        text: z.string().optional(),
        /** Bytes in EUC-KR, as Korean carriers count them. */
        bytes: z.int().optional(),
        messageType: z.enum(['SMS', 'LMS']).optional(),
        /** The approved text that an AlimTalk provider fills in, without the lines that fill the code in. */
        alimtalk: z.string().optional(),
        /** Credits for one message. */
        prices: z.object({ sms: z.number(), alimtalk: z.number() }).optional(),
        /** Segments and encoding outside Korea. */
        segments: z.int().optional(),
        encoding: z.enum(['GSM-7', 'UCS-2']).optional(),
        mistake: mistake.optional(),
      }),
    ),
}
