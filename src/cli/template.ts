import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { BUILT_IN_TEMPLATES, type TemplateVariable } from '../domain/template'
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
      .option('--channel <channel>', 'sms or alimtalk, repeatable (default: sms)', collect)
      .option('--variable <rule>', 'name, name? or name=pattern, repeatable', collect)
      .option('--provider-code <code>', 'code of the template at the AlimTalk provider')
      .action((templateId: string, options: TemplateOptions) =>
        onData(options, async (opened, output) => {
          const saved = await administer.saveTemplate(adminOf(opened), options.app, {
            templateId,
            name: options.name ?? templateId,
            body: options.body.startsWith('@') ? readFileSync(options.body.slice(1), 'utf8').trimEnd() : options.body,
            channelSupport: (options.channel ?? ['sms']).flatMap((list) => list.split(',')).map(asChannel),
            variables: variablesOf(options.variable),
            providerTemplateCode: options.providerCode ?? templateId,
          })
          output(saved, [`Template ${templateId} is registered for ${options.app}`])
        }),
      ),
  )
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
              ['TEMPLATE', 'NAME', 'CHANNELS', 'TEXT'],
              templates.map(({ templateId, name, channelSupport, body }) => [
                templateId,
                name,
                channelSupport.join(', '),
                body,
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
