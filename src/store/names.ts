/** Ids and names for shell completion; the queries are the same for every database. */

/** `appId` is the text of a parameter that may be null. */
const QUERIES = {
  apps: () => 'SELECT app_id AS id, name AS about FROM apps WHERE removed_at IS NULL ORDER BY created_at',
  keys: (appId: string) =>
    `SELECT key_id AS id, prefix || '…' || last_four AS about FROM api_keys WHERE revoked_at IS NULL AND ${ofApp(appId)} ORDER BY created_at`,
  webhooks: (appId: string) =>
    `SELECT endpoint_id AS id, mode || ' ' || url AS about FROM webhook_endpoints WHERE ${ofApp(appId)} ORDER BY created_at`,
  templates: (appId: string) =>
    `SELECT DISTINCT template_id AS id, name AS about FROM templates WHERE ${ofApp(appId)} ORDER BY template_id`,
  carriers: () => 'SELECT name AS id, type AS about FROM providers ORDER BY created_at',
  operators: () => 'SELECT email AS id, name AS about FROM operators ORDER BY created_at',
} as const

const ofApp = (appId: string) => `(${appId} IS NULL OR app_id = ${appId})`

export type NamedKind = keyof typeof QUERIES

export interface Name {
  id: string
  about: string
}

/** The query, and whether it takes an app. */
export function namesQuery(what: NamedKind, appId: string): { text: string; isOfApp: boolean } {
  const text = QUERIES[what](appId)
  return { text, isOfApp: text.includes(appId) }
}
