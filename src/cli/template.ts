import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import type { TemplateVariable } from '../domain/template'
import * as administer from '../usecases/administer'
import { asChannel, type CommonOptions, collect, onData, onDataCommand } from './command'
import { adminOf } from './open'

interface TemplateOptions extends CommonOptions {
  app: string
  name?: string
  body: string
  channel?: string[]
  variable?: string[]
  providerCode?: string
}

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
  const template = new Command('template').description('message templates')
  template.addCommand(
    onDataCommand('set', 'register a template of an app, or a new version of one')
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
    onDataCommand('list', "list an app's own templates")
      .requiredOption('--app <id>', 'app')
      .action((options: CommonOptions & { app: string }) =>
        onData(options, async ({ store }, output) => {
          await administer.existingApp({ store }, options.app)
          const templates = await store.read.templates(options.app)
          output(
            { templates },
            templates.map((row) => `${row.templateId}  ${row.channelSupport.join(', ')}  ${row.body}`),
          )
        }),
      ),
  )
  return template
}
