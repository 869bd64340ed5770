import { assertTemplate, type Template } from '../../domain/template'
import { noteChange } from '../audit'
import { type AdminDependencies, existingApp, invalidName, label, NAME } from './shared'

/** A new template, or a new version of one. Messages already admitted keep the text they were admitted with. */
export async function saveTemplate(deps: AdminDependencies, appId: string, template: Template): Promise<Template> {
  await existingApp(deps, appId)
  if (!NAME.test(template.templateId)) throw invalidName('templateId')
  const checked = { ...template, name: label(template.name, 'name') }
  assertTemplate(checked)
  await deps.store.transaction(async (tx) => {
    await tx.saveTemplate(appId, checked)
    await noteChange(deps, tx, 'template.save', checked.templateId, { appId })
  })
  return checked
}
