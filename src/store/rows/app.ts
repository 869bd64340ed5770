/** Apps with their keys, templates and challenges. */
import type { ChallengeSettings } from '../../abuse/rules/challenge'
import type { ApiKey, StoredKey } from '../../domain/access/api-key'
import type { App } from '../../domain/access/app'
import type { Template, TemplateVersion } from '../../domain/message/template'
import type { Relay } from '../../domain/relays/relay'
import type { Vault } from '../../ports/vault'
import type { Row } from '../tables'

export const appOf = ({
  removedAt,
  region,
  texts,
  plans,
  reviewNumbers,
  twilioPurposes,
  provesMetadata,
  retentionDays,
  ...app
}: Row<App>): App => ({
  ...app,
  region: region ?? undefined,
  texts: texts ?? undefined,
  plans: plans ?? undefined,
  reviewNumbers: reviewNumbers ?? undefined,
  twilioPurposes: twilioPurposes ?? undefined,
  ...(provesMetadata && { provesMetadata }),
  ...(retentionDays !== null && { retentionDays }),
  ...(removedAt !== null && { removedAt }),
})

export const appRow = (app: App): Row<App> => ({
  removedAt: null,
  ...app,
  region: app.region ?? null,
  texts: app.texts ?? null,
  plans: app.plans ?? null,
  reviewNumbers: app.reviewNumbers ?? null,
  twilioPurposes: app.twilioPurposes ?? null,
  provesMetadata: app.provesMetadata ?? false,
  retentionDays: app.retentionDays ?? null,
})

interface Version extends Pick<TemplateVersion, 'version' | 'savedBy'> {
  appId: string
  createdAt: number
}

type TemplateRow = Row<Template & Version>

export const templateRow = (template: Template, version: Version): TemplateRow => ({
  ...template,
  ...version,
  locale: template.locale ?? null,
  bodies: template.bodies ?? null,
  dlt: template.dlt ?? null,
})

export const templateOf = ({
  version: _,
  createdAt: __,
  appId: ___,
  savedBy: ____,
  locale,
  bodies,
  dlt,
  ...template
}: TemplateRow): Template => ({
  ...template,
  locale: locale ?? undefined,
  bodies: bodies ?? undefined,
  dlt: dlt ?? undefined,
})

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

interface RelayRow {
  relayId: string
  appId: string
  settings: Uint8Array
}

export const relaySeal = (relayId: string) => `relay:${relayId}`

export const relayOf = (vault: Vault, { relayId, settings }: RelayRow): Relay =>
  JSON.parse(vault.open(relaySeal(relayId), settings))

export const relayRow = (vault: Vault, relay: Relay): RelayRow => ({
  relayId: relay.relayId,
  appId: relay.appId,
  settings: vault.seal(relaySeal(relay.relayId), JSON.stringify(relay)),
})

type KeyRow = Omit<Row<StoredKey>, 'organizationId' | 'region'>

export interface KeyOfApp extends Pick<ApiKey, 'organizationId'> {
  key: KeyRow
  region: string | null
}

export const keyOf = ({ key, organizationId, region }: KeyOfApp): StoredKey => ({
  ...key,
  organizationId,
  region: region ?? undefined,
  expiresAt: key.expiresAt ?? undefined,
  revokedAt: key.revokedAt ?? undefined,
  lastUsedAt: key.lastUsedAt ?? undefined,
  name: key.name ?? undefined,
})

/** The row of a new key, which has not been used. */
export const newKeyRow = (key: StoredKey) => ({
  ...key,
  expiresAt: key.expiresAt ?? null,
  revokedAt: key.revokedAt ?? null,
  lastUsedAt: null,
  name: key.name ?? null,
})

/** Every origin that public keys allow, with the time when the last of these keys expires. */
export function originsOf(publicKeys: readonly KeyOfApp[]): Map<string, number> {
  const ends = new Map<string, number>()
  for (const { key } of publicKeys)
    for (const origin of key.allowedOrigins)
      ends.set(origin, Math.max(ends.get(origin) ?? 0, key.expiresAt ?? Number.POSITIVE_INFINITY))
  return ends
}
