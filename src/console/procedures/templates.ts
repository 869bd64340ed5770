import { implement } from '@orpc/server'
import { type Preview, type PreviewOptions, preview } from '../../domain/message/preview'
import { textsOf } from '../../domain/message/rendered-message'
import { BUILT_IN_TEMPLATES, DEFAULT_TEMPLATE_ID, type Template } from '../../domain/message/template'
import { Refusal } from '../../domain/shared/error'
import * as administer from '../../usecases/administer'
import { adminOf, type ConsoleContext, type ConsoleDependencies, mistakeOf } from '../context'
import { consoleContract } from '../contract'

const view = ({ channelSupport, variables, bodies, ...template }: Template) => ({
  ...template,
  bodies: { ...bodies },
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
        })),
      }
    }),
    save: os.save.handler(async ({ input, context }) =>
      view(await administer.saveTemplate(adminOf(deps, context), input.appId, input.template as Template)),
    ),
    preview: os.preview.handler(async ({ input: { appId, template, locale, values } }) => {
      const texts = textsOf(await administer.existingApp(deps, appId))
      return previewOrMistake(template as Template, { locale, values, texts })
    }),
  })
}

/** The rendered message, or the mistake in the template or its values. */
function previewOrMistake(
  template: Template,
  shown: PreviewOptions,
): Preview | { mistake: ReturnType<typeof mistakeOf> } {
  try {
    return preview(template, shown)
  } catch (error) {
    if (error instanceof Refusal) return { mistake: mistakeOf(error) }
    throw error
  }
}
