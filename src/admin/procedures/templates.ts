import { implement } from '@orpc/server'
import { type Preview, type PreviewOptions, preview } from '../../domain/message/preview'
import { textsOf } from '../../domain/message/rendered-message'
import { BUILT_IN_TEMPLATES, DEFAULT_TEMPLATE_ID, type Template } from '../../domain/message/template'
import { Refusal } from '../../domain/shared/error'
import { priceOf } from '../../domain/wallet/wallet'
import * as administer from '../../usecases/administer'
import { type AdminContext, type AdminServices, adminOf, mistakeOf, OK } from '../context'
import { adminContract } from '../contract'

const view = ({ channelSupport, variables, bodies, ...template }: Template) => ({
  ...template,
  bodies: { ...bodies },
  channelSupport: [...channelSupport],
  variables: { ...variables },
})

export function templateProcedures(deps: AdminServices) {
  const os = implement(adminContract.templates).$context<AdminContext>()
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
    versions: os.versions.handler(async ({ input: { appId, templateId } }) => {
      await administer.existingApp(deps, appId)
      const versions = await deps.store.read.templates.versions(appId, templateId)
      return { versions: versions.map(({ template, ...version }) => ({ ...version, template: view(template) })) }
    }),
    rollBack: os.rollBack.handler(async ({ input: { appId, ...version }, context }) =>
      view(await administer.rollBackTemplate(adminOf(deps, context), appId, version)),
    ),
    remove: os.remove.handler(async ({ input: { appId, templateId }, context }) => {
      await administer.removeTemplate(adminOf(deps, context), appId, templateId)
      return OK
    }),
    preview: os.preview.handler(async ({ input: { appId, template, locale, values } }) => {
      const texts = textsOf(await administer.existingApp(deps, appId))
      const shown = previewOrMistake(template as Template, { locale, values, texts })
      if ('mistake' in shown) return shown
      const { prices } = deps.modes.live
      return { ...shown, prices: { sms: priceOf(prices, 'sms', shown.messageType), alimtalk: prices.alimtalk } }
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
