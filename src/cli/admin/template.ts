import { readFileSync } from 'node:fs'
import { InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { preview } from '../../domain/message/preview'
import { textsOf } from '../../domain/message/rendered-message'
import { BUILT_IN_TEMPLATES, localesOf, SMS_MAX_BYTES, type TemplateVariable } from '../../domain/message/template'
import { missing } from '../../domain/shared/error'
import { CHANNELS } from '../../domain/shared/value'
import * as administer from '../../usecases/administer'
import { asChannel } from '../command'
import { table } from '../output'
import { APP_OPTION, adminCommand, clientCommand, flag, group, text, texts } from './build'

const BUILT_IN_IDS = BUILT_IN_TEMPLATES.map(({ templateId }) => templateId).join(', ')

/** `name`, `name?` for an optional one, `name=pattern` for one with a pattern. */
function variablesOf(lines: string[]): Record<string, TemplateVariable> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = '', optional, pattern] = /^([^=?]+)(\?)?(?:=(.+))?$/s.exec(line) ?? []
      return [name, { required: optional === undefined, ...(pattern !== undefined && { pattern }) }]
    }),
  )
}

const valuesOf = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(line) ?? []
      if (name === undefined || value === undefined)
        throw new InvalidArgumentError(`--value: must be name=text: ${line}`)
      return [name, value]
    }),
  )

const textOf = (body: string) => (body.startsWith('@') ? readFileSync(body.slice(1), 'utf8').trimEnd() : body)

const DLT_OPTIONS = {
  dltEntityId: text('--dlt-entity-id <id>  India: ID of the principal entity at the DLT'),
  dltTemplateId: text('--dlt-template-id <id>  India: ID of the text at the DLT'),
}

const dltOf = ({
  dltEntityId: entityId,
  dltTemplateId: templateId,
}: {
  dltEntityId?: string
  dltTemplateId?: string
}) => ((entityId ?? templateId) === undefined ? {} : { dlt: { entityId, templateId } })

/** Keeps the format that scripts already parse: without other languages there are no bodies. */
const shownTemplate = <Saved extends { bodies: object }>({ bodies, ...template }: Saved) => ({
  ...template,
  ...(Object.keys(bodies).length > 0 && { bodies }),
})

const ofTemplate = z.object({ templateId: z.string().describe('<templateId>  template'), ...APP_OPTION.shape })

export const templateCommands = () =>
  group('template', 'message templates', "set welcome --app app_4k2m9x0c7q1z --body 'Your code is #{code}.'", {
    set: clientCommand({
      summary: 'create a template of an app, or a new version of one',
      examples: ["welcome --app app_4k2m9x0c7q1z --body 'Hello #{name}, your code is #{code}.' --variable name"],
      input: ofTemplate.extend({
        templateId: z.string().describe('<templateId>  id of the template in requests'),
        body: z.string().describe('--body <text>  text with #{code} and #{variables}; @FILE reads a file'),
        name: text('what people call it'),
        channels: texts(`--channel <channel>  ${CHANNELS.join(' or ')}, repeatable (default: sms)`),
        variables: texts('--variable <rule>  name, name? or name=pattern, repeatable'),
        providerCode: text('--provider-code <code>  code of the template at the AlimTalk provider'),
        locale: text('--locale <tag>  language of the text, such as ko or zh-TW'),
        ...DLT_OPTIONS,
      }),
      run: (
        client,
        { appId, templateId, body, name, channels = ['sms'], variables = [], providerCode, locale, ...ids },
      ) => {
        const template = {
          ...{ templateId, name: name ?? templateId, body: textOf(body) },
          channelSupport: channels.flatMap((list) => list.split(',')).map(asChannel),
          variables: variablesOf(variables),
          providerTemplateCode: providerCode ?? templateId,
          ...(locale !== undefined && { locale }),
          ...dltOf(ids),
        }
        return client.templates.save({ appId, template })
      },
      json: (saved) => shownTemplate(saved),
      lines: ({ templateId }, { appId }) => [`Template ${templateId} is registered for ${appId}`],
    }),
    translate: adminCommand({
      summary: 'add or remove a text in another language; a built-in template then becomes the app’s own',
      examples: [
        "welcome --app app_4k2m9x0c7q1z --locale ja --body '#{name}さんの認証コードは #{code} です。'",
        'welcome --app app_4k2m9x0c7q1z --locale ja --remove',
      ],
      input: ofTemplate.extend({
        locale: z.string().describe('--locale <tag>  the language, such as ja or zh-TW'),
        body: text('--body <text>  text with the placeholders of the template; @FILE reads a file'),
        providerTemplateCode: text(
          '--provider-code <code>  code of this text at the AlimTalk provider; without one it is for SMS',
        ),
        ...DLT_OPTIONS,
        remove: flag('remove the text in this language'),
      }),
      conflicts: { remove: ['body', 'providerCode', 'dltEntityId', 'dltTemplateId'] },
      run: (admin, { appId, templateId, locale, body, providerTemplateCode, remove, ...ids }) => {
        if (body === undefined && !remove) throw new InvalidArgumentError('--body or --remove is needed')
        const code = providerTemplateCode !== undefined && { providerTemplateCode }
        const translation = body === undefined ? undefined : { body: textOf(body), ...code, ...dltOf(ids) }
        return administer.translateTemplate(admin, appId, templateId, { locale, translation })
      },
      lines: (saved, { appId, templateId }) => [
        `Template ${templateId} of ${appId} is in ${localesOf(saved).join(', ')}`,
      ],
    }),
    preview: adminCommand({
      summary: 'preview the SMS of a template, and its message type',
      examples: ['welcome --app app_4k2m9x0c7q1z --locale ja --value name=Kim'],
      input: ofTemplate.extend({
        locale: text('--locale <tag>  language of the request'),
        values: texts('--value <name=text>  value of a variable, repeatable'),
      }),
      run: async (admin, { appId, templateId, locale, values = [] }) => {
        const app = await administer.existingApp(admin, appId)
        const own = await admin.store.read.templates.ofApp(appId)
        const template = [...own, ...BUILT_IN_TEMPLATES].find((known) => known.templateId === templateId)
        if (!template) throw missing('template', templateId)
        return preview(template, { locale, values: valuesOf(values), texts: textsOf(app) })
      },
      lines: ({ text, bytes, messageType, segments, encoding }) => [
        text,
        '',
        `${messageType}: ${bytes} bytes of EUC-KR, an SMS has ${SMS_MAX_BYTES}. Outside Korea ${segments} × ${encoding}.`,
      ],
    }),
    list: clientCommand({
      summary: "list an app's own templates",
      examples: ['--app app_4k2m9x0c7q1z'],
      input: APP_OPTION,
      run: async (client, { appId }) => {
        const { templates } = await client.templates.list({ appId })
        const own = templates.filter(({ isBuiltIn }) => !isBuiltIn)
        return { templates: own.map(({ isBuiltIn: _, isDefault: __, ...template }) => template) }
      },
      json: ({ templates }) => ({ templates: templates.map(shownTemplate) }),
      lines: ({ templates }, { appId }) =>
        table(
          ['TEMPLATE', 'NAME', 'CHANNELS', 'LANGUAGES', 'TEXT'],
          templates.map((own) => [
            ...[own.templateId, own.name, own.channelSupport.join(', '), localesOf(own).join(', '), own.body],
          ]),
          `${appId} has no templates of its own, only those built in (${BUILT_IN_IDS}). \`watchword template set\` adds one.`,
        ),
    }),
    remove: clientCommand({
      summary: "remove an app's own template; a hidden built-in template becomes visible again",
      examples: ['welcome --app app_4k2m9x0c7q1z --yes'],
      input: ofTemplate,
      confirmation: async (client, { appId, templateId }) => {
        const { templates } = await client.templates.list({ appId })
        const known = templates.find((own) => own.templateId === templateId && !own.isBuiltIn)
        return known && `Remove the template ${templateId} of ${appId} ("${known.body}")?`
      },
      run: async (client, { appId, templateId }) => {
        await client.templates.remove({ appId, templateId })
        return { appId, templateId, removed: true }
      },
      lines: ({ appId, templateId }) => [`Removed template ${templateId} of ${appId}`],
    }),
  })
