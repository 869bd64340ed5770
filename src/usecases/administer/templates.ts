import { invalid, missing } from '../../domain/error'
import { assertTemplate, BUILT_IN_TEMPLATES, type Template } from '../../domain/template'
import { noteChange } from '../shared/note-change'
import { type AdminDependencies, invalidName, label, lockApp, NAME } from './shared'

/** A new template, or a new version of one. Messages already admitted keep the text they were admitted with. */
export async function saveTemplate(deps: AdminDependencies, appId: string, template: Template): Promise<Template> {
  if (!NAME.test(template.templateId)) throw invalidName('templateId')
  const checked = { ...template, name: label(template.name, 'name') }
  assertTemplate(checked)
  await deps.store.transaction(async (tx) => {
    await lockApp(tx, appId)
    await tx.templates.save(appId, checked)
    await noteChange(deps, tx, 'template.save', checked.templateId, { appId })
  })
  return checked
}

/**
 * Every version of an app's own template. Messages already admitted keep their text, issues the name of their template;
 * a built-in one that it hid shows again.
 */
export async function removeTemplate(deps: AdminDependencies, appId: string, templateId: string): Promise<void> {
  await deps.store.transaction(async (tx) => {
    await lockApp(tx, appId)
    if (!(await tx.templates.remove(appId, templateId))) {
      const isBuiltIn = BUILT_IN_TEMPLATES.some((template) => template.templateId === templateId)
      throw isBuiltIn
        ? invalid('templateId', 'template_built_in', `${templateId} is built in; it cannot be removed`)
        : missing('template', templateId)
    }
    await noteChange(deps, tx, 'template.remove', templateId, { appId })
  })
}
