import { readFileSync } from 'node:fs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { missing } from '../domain/error'
import { preview } from '../domain/preview'
import { BUILT_IN_TEMPLATES, localesOf, SMS_MAX_BYTES, type TemplateVariable } from '../domain/template'
import { textsOf } from '../domain/texts'
import { CHANNELS } from '../domain/value'
import * as administer from '../usecases/administer'
import { asChannel, type CommonOptions, collect, command, onData, onDataCommand, removalCommand } from './command'
import { type Confirmable, confirm } from './confirm'
import { adminOf } from './open'
import { table } from './output'

interface TemplateOptions extends CommonOptions {
  app: string
  name?: string
  body: string
  channel?: string[]
  variable?: string[]
  providerCode?: string
  locale?: string
}

const BUILT_IN_IDS = BUILT_IN_TEMPLATES.map(({ templateId }) => templateId).join(', ')

/** `name`, `name?` for one that may be left out, `name=pattern` for one that must match. */
function variablesOf(lines: string[] = []): Record<string, TemplateVariable> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = '', optional, pattern] = /^([^=?]+)(\?)?(?:=(.+))?$/s.exec(line) ?? []
      return [name, { required: optional === undefined, ...(pattern !== undefined && { pattern }) }]
    }),
  )
}

const textOf = (body: string) => (body.startsWith('@') ? readFileSync(body.slice(1), 'utf8').trimEnd() : body)

export function templateCommands(): Command {
  const template = command(
    'template',
    'message templates',
    "template set welcome --app app_4k2m9x0c7q1z --body 'Your code is #{code}.'",
  )
  template.addCommand(
    onDataCommand(
      'set',
      'register a template of an app, or a new version of one',
      "template set welcome --app app_4k2m9x0c7q1z --body 'Hello #{name}, your code is #{code}.' --variable name",
    )
      .argument('<templateId>', 'what requests call it')
      .requiredOption('--app <id>', 'app')
      .requiredOption('--body <text>', 'text with #{code} and #{variables}; @FILE reads a file')
      .option('--name <name>', 'what people call it')
      .option('--channel <channel>', `${CHANNELS.join(' or ')}, repeatable (default: sms)`, collect)
      .option('--variable <rule>', 'name, name? or name=pattern, repeatable', collect)
      .option('--provider-code <code>', 'code of the template at the AlimTalk provider')
      .option('--locale <tag>', 'language of the text, such as ko or zh-TW')
      .action((templateId: string, options: TemplateOptions) =>
        onData(options, async (opened, output) => {
          const saved = await administer.saveTemplate(adminOf(opened), options.app, {
            templateId,
            name: options.name ?? templateId,
            body: textOf(options.body),
            channelSupport: (options.channel ?? ['sms']).flatMap((list) => list.split(',')).map(asChannel),
            variables: variablesOf(options.variable),
            providerTemplateCode: options.providerCode ?? templateId,
            ...(options.locale !== undefined && { locale: options.locale }),
          })
          output(saved, [`Template ${templateId} is registered for ${options.app}`])
        }),
      ),
  )
  template.addCommand(translateCommand())
  template.addCommand(previewCommand())
  template.addCommand(
    onDataCommand('list', "list an app's own templates", 'template list --app app_4k2m9x0c7q1z')
      .requiredOption('--app <id>', 'app')
      .action((options: CommonOptions & { app: string }) =>
        onData(options, async ({ store }, output) => {
          await administer.existingApp({ store }, options.app)
          const templates = await store.read.templates.ofApp(options.app)
          output(
            { templates },
            table(
              ['TEMPLATE', 'NAME', 'CHANNELS', 'LANGUAGES', 'TEXT'],
              templates.map((own) => [
                own.templateId,
                own.name,
                own.channelSupport.join(', '),
                localesOf(own).join(', '),
                own.body,
              ]),
              `${options.app} has no templates of its own, only those built in (${BUILT_IN_IDS}). \`watchword template set\` adds one.`,
            ),
          )
        }),
      ),
  )
  template.addCommand(
    removalCommand(
      'remove',
      "remove an app's own template; one that is built in shows again where it was hidden",
      'template remove welcome --app app_4k2m9x0c7q1z --yes',
    )
      .argument('<templateId>', 'template')
      .requiredOption('--app <id>', 'app')
      .action((templateId: string, options: CommonOptions & Confirmable & { app: string }) =>
        onData(options, async (opened, output) => {
          const { app: appId } = options
          const known = (await opened.store.read.templates.ofApp(appId)).find((own) => own.templateId === templateId)
          if (known) await confirm(options, `Remove the template ${templateId} of ${appId} ("${known.body}")?`)
          await administer.removeTemplate(adminOf(opened), appId, templateId)
          output({ appId, templateId, removed: true }, [`Removed template ${templateId} of ${appId}`])
        }),
      ),
  )
  return template
}

interface TranslateOptions extends CommonOptions {
  app: string
  locale: string
  body?: string
  providerCode?: string
  remove?: boolean
}

const translateCommand = () =>
  onDataCommand(
    'translate',
    'say the same in another language, or no more; a built-in template becomes the app’s own so',
    "template translate welcome --app app_4k2m9x0c7q1z --locale ja --body '#{name}さんの認証コードは #{code} です。'",
    'template translate welcome --app app_4k2m9x0c7q1z --locale ja --remove',
  )
    .argument('<templateId>', 'template')
    .requiredOption('--app <id>', 'app')
    .requiredOption('--locale <tag>', 'the language, such as ja or zh-TW')
    .option('--body <text>', 'text with the placeholders of the template; @FILE reads a file')
    .option('--provider-code <code>', 'code of this text at the AlimTalk provider; without one it is for SMS')
    .addOption(new Option('--remove', 'have no text in this language any more').conflicts(['body', 'providerCode']))
    .action((templateId: string, options: TranslateOptions) =>
      onData(options, async (opened, output) => {
        const { app, locale, body, providerCode, remove } = options
        if (body === undefined && !remove) throw new InvalidArgumentError('--body or --remove is needed')
        const translation =
          body === undefined
            ? undefined
            : { body: textOf(body), ...(providerCode !== undefined && { providerTemplateCode: providerCode }) }
        const saved = await administer.translateTemplate(adminOf(opened), app, templateId, { locale, translation })
        output(saved, [`Template ${templateId} of ${app} is in ${localesOf(saved).join(', ')}`])
      }),
    )

interface PreviewOptions extends CommonOptions {
  app: string
  locale?: string
  value?: string[]
}

const previewCommand = () =>
  onDataCommand(
    'preview',
    'show the SMS that a template makes, and what it goes as',
    'template preview welcome --app app_4k2m9x0c7q1z --locale ja --value name=Kim',
  )
    .argument('<templateId>', 'template')
    .requiredOption('--app <id>', 'app')
    .option('--locale <tag>', 'language that an order asks for')
    .option('--value <name=text>', 'what a variable is filled in with, repeatable', collect)
    .action((templateId: string, options: PreviewOptions) =>
      onData(options, async (opened, output) => {
        const app = await administer.existingApp(opened, options.app)
        const own = await opened.store.read.templates.ofApp(app.appId)
        const template = [...own, ...BUILT_IN_TEMPLATES].find((known) => known.templateId === templateId)
        if (!template) throw missing('template', templateId)
        const shown = preview(template, {
          locale: options.locale,
          values: valuesOf(options.value),
          texts: textsOf(app),
        })
        const { text, bytes, messageType, segments, encoding } = shown
        output(shown, [
          text,
          '',
          `${messageType}: ${bytes} bytes of EUC-KR, an SMS has ${SMS_MAX_BYTES}. Outside Korea ${segments} × ${encoding}.`,
        ])
      }),
    )

const valuesOf = (lines: readonly string[] = []): Record<string, string> =>
  Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(line) ?? []
      if (name === undefined || value === undefined)
        throw new InvalidArgumentError(`--value: must be name=text: ${line}`)
      return [name, value]
    }),
  )
