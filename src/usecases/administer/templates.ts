import { languageTag } from '../../domain/message/language'
import {
  assertTemplate,
  BUILT_IN_TEMPLATES,
  composed,
  type DltIds,
  type Template,
  type Translation,
} from '../../domain/message/template'
import { invalid, missing } from '../../domain/shared/error'
import type { Tx } from '../../ports/store'
import { writeAudit } from '../shared/write-audit'
import { type AdminDependencies, invalidName, label, lockApp, NAME } from './shared'

/**
 * A new template, or a new version of one. Messages already admitted keep the text they were admitted with. Without
 * `bodies` its languages stay.
 */
export async function saveTemplate(deps: AdminDependencies, appId: string, template: Template): Promise<Template> {
  const { templateId, locale, bodies } = template
  if (!NAME.test(templateId)) throw invalidName('templateId')
  const named = { ...template, name: label(template.name, 'name') }
  return deps.store.transaction(async (tx) => {
    await lockApp(tx, appId)
    const known = bodies ? undefined : await tx.templates.find(appId, templateId)
    const own = locale === undefined ? known?.locale : (languageTag(locale) ?? locale)
    const saved = { ...named, locale: own, bodies: bodies ?? known?.bodies }
    return saveVersion(deps, tx, appId, saved)
  })
}

/**
 * Sets the text of a template in another language; undefined removes it. A built-in template becomes the app's own by that. Throws
 * `invalid`, or `not_found`.
 */
export async function translateTemplate(
  deps: AdminDependencies,
  appId: string,
  templateId: string,
  { locale, translation }: { locale: string; translation: Translation | undefined },
): Promise<Template> {
  return deps.store.transaction(async (tx) => {
    await lockApp(tx, appId)
    const builtIn = BUILT_IN_TEMPLATES.find((template) => template.templateId === templateId)
    const template = (await tx.templates.find(appId, templateId)) ?? builtIn
    if (!template) throw missing('template', templateId)
    const tag = languageTag(locale) ?? locale
    const { [tag]: before, ...others } = template.bodies ?? {}
    if (!translation && !before) throw missing('language', locale)
    return saveVersion(deps, tx, appId, {
      ...template,
      bodies: { ...others, ...(translation && { [tag]: translation }) },
    })
  })
}

/** Makes an older version the newest again, as a version of its own. Throws `not_found`. */
export async function rollBackTemplate(
  deps: AdminDependencies,
  appId: string,
  { templateId, version }: { templateId: string; version: number },
): Promise<Template> {
  const versions = await deps.store.read.templates.versions(appId, templateId)
  const found = versions.find((one) => one.version === version)
  if (!found) throw missing('template', `${templateId} ${version}`)
  return deps.store.transaction(async (tx) => {
    await lockApp(tx, appId)
    // A template that was removed meanwhile must not come back by it.
    if (!(await tx.templates.find(appId, templateId))) throw missing('template', templateId)
    return saveVersion(deps, tx, appId, found.template, version)
  })
}

async function saveVersion(
  deps: AdminDependencies,
  tx: Tx,
  appId: string,
  given: Template,
  rolledBackTo?: number,
): Promise<Template> {
  const others = Object.entries(given.bodies ?? {}).map(([tag, text]) => [tag, { ...text, body: composed(text.body) }])
  const bodies = given.bodies && Object.fromEntries(others)
  const template = { ...given, body: composed(given.body), bodies }
  assertTemplate(template)
  await tx.templates.save(appId, template, deps.actor.name)
  const dlt = dltIdsIn(template)
  await writeAudit(deps, tx, 'template.save', template.templateId, {
    appId,
    ...(rolledBackTo !== undefined && { rolledBackTo }),
    ...(Object.keys(dlt).length > 0 && { dlt }),
  })
  return template
}

/** By language; those of a template of no language under `*`. */
const dltIdsIn = ({ locale = '*', dlt, bodies = {} }: Template): Record<string, DltIds> =>
  Object.fromEntries(
    Object.entries({ [locale]: { dlt }, ...bodies }).flatMap(([tag, { dlt }]) => (dlt ? [[tag, dlt]] : [])),
  )

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
    await writeAudit(deps, tx, 'template.remove', templateId, { appId })
  })
}
