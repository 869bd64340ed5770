/** Apps and their templates. */
import { and, desc, eq, isNull, type SQL } from 'drizzle-orm'
import type { Tx } from '../../ports/store'
import type { AppReader, TemplateReader } from '../../ports/store/apps'
import { appOf, appRow, newestOf, templateOf, templateRow } from '../rows/app'
import { lock } from './connection/locks'
import { addition, bind, changes, db, statement } from './connection/statement'
import type { Querying, Unit } from './connection/unit'
import { apps, organizations, templates } from './schema'
import { settingsChanged } from './settings'

export const isThere = isNull(apps.removedAt)
const thisApp = eq(apps.appId, bind(apps.appId, 'appId'))
const appsWhere = (condition?: SQL) => db.select().from(apps).where(condition).orderBy(apps.createdAt, apps.appId)
const thisTemplate = and(
  eq(templates.appId, bind(templates.appId, 'appId')),
  eq(templates.templateId, bind(templates.templateId, 'templateId')),
)

const STATEMENTS = {
  lock: statement(() => appsWhere(and(thisApp, isThere)).for('no key update').prepare('')),
  organization: statement(() => db.select().from(organizations).orderBy(organizations.createdAt).limit(1).prepare('')),
  insertOrganization: addition(organizations),
  insert: addition(apps),
  update: statement(() =>
    db
      .update(apps)
      .set(changes(apps, ['name', 'region', 'protection', 'texts', 'provesMetadata', 'retentionDays', 'plans']))
      .where(thisApp)
      .prepare(''),
  ),
  remove: statement(() =>
    db
      .update(apps)
      .set(changes(apps, ['removedAt']))
      .where(thisApp)
      .prepare(''),
  ),
  newestTemplate: statement(() =>
    db.select().from(templates).where(thisTemplate).orderBy(desc(templates.version)).limit(1).prepare(''),
  ),
  insertTemplate: addition(templates),
  deleteTemplate: statement(() =>
    db.delete(templates).where(thisTemplate).returning({ version: templates.version }).prepare(''),
  ),
}

export function appTx(unit: Unit): Tx['apps'] {
  return {
    async organizationId(first) {
      lock(unit, 'organization')
      const known = await unit.get(STATEMENTS.organization)
      if (known) return known.organizationId
      unit.run(STATEMENTS.insertOrganization, { ...first, createdAt: unit.now })
      return first.organizationId
    },
    async lock(appId) {
      const row = await unit.get(STATEMENTS.lock, { appId })
      return row && appOf(row)
    },
    async add(app) {
      unit.run(STATEMENTS.insert, appRow(app))
      settingsChanged(unit)
    },
    async save(app) {
      unit.run(STATEMENTS.update, appRow(app))
      settingsChanged(unit)
    },
    async remove(appId) {
      await unit.opened()
      unit.run(STATEMENTS.remove, { appId, removedAt: unit.now })
      settingsChanged(unit)
    },
  }
}

export function templateTx(unit: Unit): Tx['templates'] {
  return {
    async find(appId, templateId) {
      const row = await unit.get(STATEMENTS.newestTemplate, { appId, templateId })
      return row && templateOf(row)
    },
    async save(appId, template) {
      const { templateId } = template
      const newest = (await unit.get(STATEMENTS.newestTemplate, { appId, templateId }))?.version ?? 0
      unit.run(STATEMENTS.insertTemplate, templateRow(template, { appId, version: newest + 1, createdAt: unit.now }))
      settingsChanged(unit)
    },
    async remove(appId, templateId) {
      settingsChanged(unit)
      return (await unit.change(STATEMENTS.deleteTemplate, { appId, templateId })).length > 0
    },
  }
}

const READS = {
  all: statement(() => appsWhere(isThere).prepare('')),
  withRemoved: statement(() => appsWhere().prepare('')),
  find: statement(() => appsWhere(and(thisApp, isThere)).prepare('')),
  templates: statement(() =>
    db
      .select()
      .from(templates)
      .where(eq(templates.appId, bind(templates.appId, 'appId')))
      .orderBy(templates.templateId, templates.version)
      .prepare(''),
  ),
}

export const appReader = (pool: Querying): AppReader => ({
  all: async () => (await pool.all(READS.all)).map(appOf),
  withRemoved: async () => (await pool.all(READS.withRemoved)).map(appOf),
  async find(appId) {
    const row = await pool.get(READS.find, { appId })
    return row && appOf(row)
  },
})

export const templateReader = (pool: Querying): TemplateReader => ({
  ofApp: async (appId) => newestOf(await pool.all(READS.templates, { appId })),
})
