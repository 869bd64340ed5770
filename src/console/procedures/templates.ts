import { implement } from '@orpc/server'
import { Refusal } from '../../domain/error'
import { isLinear } from '../../domain/pattern'
import { encodeText } from '../../domain/sms-text'
import {
  assertTemplate,
  BUILT_IN_TEMPLATES,
  DEFAULT_TEMPLATE_ID,
  eucKrBytes,
  messageTypeFor,
  render,
  type Template,
} from '../../domain/template'
import * as administer from '../../usecases/administer'
import { adminOf, type ConsoleContext, type ConsoleDependencies, mistakeOf } from '../context'
import { consoleContract } from '../contract'

const SAMPLE_CODE = '123456'

const view = ({ channelSupport, variables, ...template }: Template) => ({
  ...template,
  channelSupport: [...channelSupport],
  variables: { ...variables },
})

export function templateProcedures(deps: ConsoleDependencies) {
  const os = implement(consoleContract.templates).$context<ConsoleContext>()
  const { directory } = deps.node
  return os.router({
    list: os.list.handler(async ({ input }) => {
      await administer.existingApp(deps, input.appId)
      return {
        templates: (await directory.templates(input.appId)).map((template) => ({
          ...view(template),
          isBuiltIn: BUILT_IN_TEMPLATES.includes(template),
          isDefault: template.templateId === DEFAULT_TEMPLATE_ID,
          slowPatterns: Object.entries(template.variables)
            .filter(([, { pattern }]) => pattern !== undefined && !isLinear(pattern))
            .map(([name]) => name),
        })),
      }
    }),
    save: os.save.handler(async ({ input, context }) =>
      view(await administer.saveTemplate(adminOf(deps, context), input.appId, input.template as Template)),
    ),
    preview: os.preview.handler(async ({ input }) => preview(input.template as Template, input.values)),
  })
}

/** The message as it would be, or what is wrong with the template or its values. */
function preview(template: Template, values: Record<string, string>) {
  try {
    assertTemplate(template)
    const text = render(template, values, SAMPLE_CODE)
    const { parts, dataCoding } = encodeText(text, 0)
    return {
      text,
      bytes: eucKrBytes(text),
      messageType: messageTypeFor(text, undefined),
      segments: parts.length,
      encoding: dataCoding === 0 ? ('GSM-7' as const) : ('UCS-2' as const),
    }
  } catch (error) {
    if (error instanceof Refusal) return { mistake: mistakeOf(error) }
    throw error
  }
}
