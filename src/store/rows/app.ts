/** Apps with their keys, templates and challenges. */
import type { ChallengeSettings } from '../../abuse/rules/challenge'
import type { ApiKey, StoredKey } from '../../domain/access/api-key'
import type { App } from '../../domain/access/app'
import type { Template, TemplateVersion } from '../../domain/message/template'
import type { Vault } from '../../ports/vault'

export const appOf = ({ provesMetadata, ...app }: App): App => ({ ...app, ...(provesMetadata && { provesMetadata }) })

export const appRow = (app: App): App => ({ ...app, provesMetadata: app.provesMetadata ?? false })

interface Version extends Pick<TemplateVersion, 'version' | 'savedBy'> {
  appId: string
  createdAt: number
}

type TemplateRow = Template & Version

export const templateOf = ({
  version: _,
  createdAt: __,
  appId: ___,
  savedBy: ____,
  ...template
}: TemplateRow): Template => template

export const versionOf = (row: TemplateRow): TemplateVersion => ({
  version: row.version,
  savedAt: row.createdAt,
  savedBy: row.savedBy,
  template: templateOf(row),
})

/** The newest version of each template; `versions` are in ascending order. */
export function newestOf(versions: readonly TemplateRow[]): Template[] {
  const newest = new Map<string, Template>()
  for (const row of versions) newest.set(row.templateId, templateOf(row))
  return [...newest.values()]
}

interface ChallengeRow {
  appId: string
  settings: Uint8Array
}

export const challengeSeal = (appId: string) => `challenge:${appId}`

export const challengeOf = (vault: Vault, { appId, settings }: ChallengeRow): ChallengeSettings =>
  JSON.parse(vault.open(challengeSeal(appId), settings))

export const challengeRow = (vault: Vault, appId: string, settings: ChallengeSettings): ChallengeRow => ({
  appId,
  settings: vault.seal(challengeSeal(appId), JSON.stringify(settings)),
})

type KeyRow = Omit<StoredKey, 'organizationId' | 'region'>

export interface KeyOfApp extends Pick<ApiKey, 'organizationId'> {
  key: KeyRow
  region: string | undefined
}

export const keyOf = ({ key, organizationId, region }: KeyOfApp): StoredKey => ({
  ...key,
  organizationId,
  region,
})

/** Every origin that public keys allow, with the time when the last of these keys expires. */
export function originsOf(publicKeys: readonly KeyOfApp[]): Map<string, number> {
  const ends = new Map<string, number>()
  for (const { key } of publicKeys)
    for (const origin of key.allowedOrigins)
      ends.set(origin, Math.max(ends.get(origin) ?? 0, key.expiresAt ?? Number.POSITIVE_INFINITY))
  return ends
}
