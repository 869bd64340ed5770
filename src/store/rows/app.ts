/** Apps and their templates. */
import type { App } from '../../domain/app'
import type { Template } from '../../domain/template'
import type { Row } from './row'

export const appOf = ({ removedAt, region, protection, ...app }: Row<App>): App => ({
  ...app,
  region: region ?? undefined,
  protection: protection ?? undefined,
  ...(removedAt !== null && { removedAt }),
})

export const appRow = (app: App): Row<App> => ({
  removedAt: null,
  ...app,
  region: app.region ?? null,
  protection: app.protection ?? null,
})

interface TemplateRow extends Template {
  appId: string
  version: number
  createdAt: number
}

/** Of versions in their order, the newest of each. */
export function newestOf(versions: readonly TemplateRow[]): Template[] {
  const newest = new Map<string, Template>()
  for (const { version: _, createdAt: __, appId: ___, ...template } of versions)
    newest.set(template.templateId, template)
  return [...newest.values()]
}
