/** What operators do: apps, keys, credit, templates, providers. The command line and the console call these. */
import { createHash } from 'node:crypto'
import { SCOPES, type Scope } from '../../contract/scope'
import { invalid, Refusal } from '../domain/error'
import { assertKey, formatKey, type KeyKind, type KeyLimits } from '../domain/key'
import type { Route } from '../domain/route'
import { assertTemplate, type Template } from '../domain/template'
import { type Channel, isUuid, type Mode } from '../domain/value'
import { clawback, type LedgerEntry, refund, topUp, type Wallet } from '../domain/wallet'
import type { App, Clock, ProviderConfig, Random, Store, StoredKey } from '../ports'

export interface AdminDependencies {
  store: Store
  clock: Pick<Clock, 'now'>
  random: Random
  /** Throws `invalid` for a configuration the provider type could not work with. */
  assertProvider: (provider: ProviderConfig) => void
}

const missing = (what: string, id: string) => new Refusal('not_found', `No such ${what}: ${id}`)

const MAX_LIVE_KEYS = 20
const MAX_TEST_KEYS = 5
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** What look-ups by key use; the key itself is stored nowhere. */
export const keyHash = (key: string): Uint8Array => createHash('sha256').update(key).digest()

function label(name: string, what: string): string {
  const trimmed = name.trim()
  if (trimmed === '' || [...trimmed].length > 100 || /\p{Cc}/u.test(trimmed)) {
    throw invalid(`${what}: must have 1 to 100 characters and no control characters`)
  }
  return trimmed
}

const ID_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'

/** A short identifier such as `app_4k2m9x0c7q`. */
export const newId = (random: Random, prefix: string) =>
  `${prefix}_${Array.from({ length: 12 }, () => ID_ALPHABET[random.below(ID_ALPHABET.length)]).join('')}`

/** Apps belong to the installation's organization; the first app makes it. */
export function createApp(deps: AdminDependencies, { name }: { name: string }): Promise<App> {
  const { random, store } = deps
  const checkedName = label(name, 'name')
  return store.transaction(async (tx) => {
    const organizationId = await tx.organizationId({ organizationId: newId(random, 'org'), name: 'Default' })
    const app = { appId: newId(random, 'app'), organizationId, name: checkedName, createdAt: tx.now }
    await tx.addApp(app)
    return app
  })
}

/** Throws `not_found`. */
export async function existingApp({ store }: Pick<AdminDependencies, 'store'>, appId: string): Promise<App> {
  const app = await store.read.app(appId)
  if (!app) throw missing('app', appId)
  return app
}

export interface NewKey {
  appId: string
  kind: KeyKind
  mode: Mode
  scopes?: readonly string[]
  allowedOrigins?: readonly string[]
  allowedCidrs?: readonly string[]
  limits?: KeyLimits
  expiresAt?: number | undefined
}

const DEFAULT_SCOPES: Readonly<Record<KeyKind, readonly Scope[]>> = { sk: ['*'], pk: ['otp:issue', 'otp:verify'] }

/** Answers the key itself, once. */
export async function createKey(deps: AdminDependencies, wanted: NewKey): Promise<{ key: string; stored: StoredKey }> {
  const app = await existingApp(deps, wanted.appId)
  const scopes = wanted.scopes?.length ? wanted.scopes.map(asScope) : DEFAULT_SCOPES[wanted.kind]
  const rules = {
    kind: wanted.kind,
    mode: wanted.mode,
    scopes: [...new Set(scopes)],
    allowedOrigins: [...new Set(wanted.allowedOrigins)],
    allowedCidrs: [...new Set(wanted.allowedCidrs)],
  }
  assertKey(rules)
  if (wanted.expiresAt !== undefined && wanted.expiresAt <= deps.clock.now())
    throw invalid('expires: must be in the future')
  for (const [name, max] of Object.entries(wanted.limits ?? {})) {
    if (!Number.isSafeInteger(max) || max < 1) throw invalid(`limit: ${name} must be a whole number from 1`)
  }
  if (wanted.mode === 'test' && Object.keys(wanted.limits ?? {}).length > 0) {
    throw invalid('limit: test keys cannot have a custom limit')
  }
  await assertRoomForKey(deps, wanted)
  const key = formatKey(wanted.kind, wanted.mode, deps.random.bytes(32))
  const stored: StoredKey = {
    ...rules,
    keyId: newId(deps.random, 'key'),
    appId: app.appId,
    organizationId: app.organizationId,
    limits: wanted.limits ?? {},
    expiresAt: wanted.expiresAt,
    revokedAt: undefined,
    hash: keyHash(key),
    prefix: key.slice(0, key.lastIndexOf('_') + 5),
    lastFour: key.slice(-4),
    createdAt: deps.clock.now(),
  }
  await deps.store.transaction((tx) => tx.addKey(stored))
  return { key, stored }
}

function asScope(scope: string): Scope {
  const known = SCOPES.find((name) => name === scope)
  if (!known) throw invalid(`scope: no such scope: ${scope}. Known: ${SCOPES.join(' ')}`)
  return known
}

async function assertRoomForKey({ store, clock }: AdminDependencies, { appId, mode }: NewKey) {
  const max = mode === 'test' ? MAX_TEST_KEYS : MAX_LIVE_KEYS
  const now = clock.now()
  const active = (await store.read.keys(appId)).filter(
    (key) => key.mode === mode && key.revokedAt === undefined && (key.expiresAt === undefined || now < key.expiresAt),
  )
  if (active.length >= max) throw invalid(`app: has ${active.length} active ${mode} keys already; revoke one first`)
}

/** Revoking twice is no mistake; the first time counts. */
export async function revokeKey(
  { store, clock }: AdminDependencies,
  keyId: string,
): Promise<{ keyId: string; revokedAt: number }> {
  const key = await store.read.key(keyId)
  if (!key) throw missing('key', keyId)
  const revokedAt = key.revokedAt ?? clock.now()
  await store.transaction((tx) => tx.revokeKey(keyId, revokedAt))
  return { keyId, revokedAt }
}

interface Posting {
  wallet: Wallet
  entry: LedgerEntry
}

/** `reference` makes a top-up once only: the same one again answers with what it did the first time. */
export function addCredit(
  deps: AdminDependencies,
  { appId, amount, reference }: { appId: string; amount: number; reference?: string },
): Promise<Posting> {
  return postOnce(deps, appId, reference, (wallet, now) =>
    topUp(wallet, { amount, ...(reference && { reference }) }, now),
  )
}

/** Takes credit back from a wallet, once for each `reference`. */
export function clawBackCredit(
  deps: AdminDependencies,
  { appId, amount, reference }: { appId: string; amount: number; reference: string },
): Promise<Posting> {
  return postOnce(deps, appId, reference, (wallet, now) => clawback(wallet, { amount, reference }, now))
}

/** Gives back what a debited issue cost; an issue is refunded once, however often it is asked for. */
export async function refundIssue(
  deps: AdminDependencies,
  { appId, issueId }: { appId: string; issueId: string },
): Promise<Posting> {
  const issue = isUuid(issueId) ? await deps.store.read.issue({ appId, mode: 'live' }, issueId) : undefined
  if (!issue) throw missing('issue', issueId)
  if (issue.billingStatus !== 'debited')
    throw invalid(`issue: is ${issue.billingStatus}; only a debited one can be refunded`)
  const reference = `refund:${issue.issueId}`
  const order = { issueId: issue.issueId, amount: issue.debitedAmount, reference }
  return postOnce(deps, appId, reference, (wallet, now) => refund(wallet, order, now))
}

/**
 * One ledger entry and the wallet it leaves. A reference that has made its entry of that kind already makes no other:
 * the same amount answers with the first entry, another amount is refused.
 */
async function postOnce(
  deps: AdminDependencies,
  appId: string,
  reference: string | undefined,
  posting: (wallet: Wallet, now: number) => Posting,
): Promise<Posting> {
  await existingApp(deps, appId)
  if (reference !== undefined && !/^[\x21-\x7e]{1,128}$/.test(reference)) {
    throw invalid('reference: must be 1 to 128 visible ASCII characters without spaces')
  }
  return deps.store.transaction(async (tx) => {
    const wallet = await tx.lockWallet(appId)
    const posted = posting(wallet, tx.now)
    const { entryType, amountDelta } = posted.entry
    const before = reference === undefined ? undefined : await tx.findLedgerEntry(appId, entryType, reference)
    if (before && before.amountDelta !== amountDelta) {
      throw invalid(`reference: stands for a ${entryType} of ${Math.abs(before.amountDelta)} already`)
    }
    if (before) return { wallet, entry: before }
    await tx.saveWallet(posted.wallet)
    await tx.addLedgerEntry(posted.entry)
    return posted
  })
}

export async function setOverdraft(
  deps: AdminDependencies,
  { appId, limit }: { appId: string; limit: number },
): Promise<Wallet> {
  await existingApp(deps, appId)
  if (!Number.isSafeInteger(limit) || limit < 0 || limit > 1_000_000_000)
    throw invalid('overdraft: must be a whole number from 0')
  return deps.store.transaction(async (tx) => {
    const wallet = { ...(await tx.lockWallet(appId)), overdraftLimit: limit }
    await tx.saveWallet(wallet)
    return wallet
  })
}

/** A new template, or a new version of one. Messages already admitted keep the text they were admitted with. */
export async function saveTemplate(deps: AdminDependencies, appId: string, template: Template): Promise<Template> {
  await existingApp(deps, appId)
  if (!NAME.test(template.templateId))
    throw invalid('templateId: letters, digits, dot, dash and underscore, at most 64')
  const checked = { ...template, name: label(template.name, 'name') }
  assertTemplate(checked)
  await deps.store.transaction((tx) => tx.saveTemplate(appId, checked))
  return checked
}

/** Attempts name their provider, and this one is built in. */
const RESERVED_PROVIDER = 'simulator'

export interface WantedProvider {
  name: string
  type: string
  channels: readonly Channel[]
  config: Record<string, unknown>
  concurrency?: number | undefined
  timeoutMs?: number | undefined
}

/**
 * Adds a provider or changes the one of that name. What its reports must show is made here, told once, and kept when
 * the provider is changed.
 */
export async function setProvider(
  deps: AdminDependencies,
  wanted: WantedProvider,
): Promise<{ provider: ProviderConfig; newReportSecret?: string }> {
  if (wanted.name === RESERVED_PROVIDER) throw invalid(`name: "${RESERVED_PROVIDER}" is test mode's own carrier`)
  if (!NAME.test(wanted.name)) throw invalid('name: letters, digits, dot, dash and underscore, at most 64')
  if (wanted.channels.length === 0) throw invalid('channel: at least one of sms, alimtalk')
  const known = (await deps.store.read.providers()).find(({ name }) => name === wanted.name)
  const knownSecret = wanted.config.reportSecret ?? known?.config.reportSecret
  const reportSecret = knownSecret ?? Buffer.from(deps.random.bytes(24)).toString('base64url')
  const provider: ProviderConfig = {
    ...wanted,
    concurrency: wanted.concurrency,
    timeoutMs: wanted.timeoutMs,
    channels: [...new Set(wanted.channels)],
    config: { ...wanted.config, reportSecret },
    createdAt: deps.clock.now(),
  }
  deps.assertProvider(provider)
  await deps.store.transaction((tx) => tx.saveProvider(provider))
  return knownSecret === undefined ? { provider, newReportSecret: String(reportSecret) } : { provider }
}

export async function removeProvider({ store }: AdminDependencies, name: string): Promise<void> {
  const existed = await store.transaction((tx) => tx.removeProvider(name))
  if (!existed) throw missing('provider', name)
}

/** Which providers deliver a channel, in order; for one country or app only, where they are named. */
export async function setRoute(deps: AdminDependencies, route: Route): Promise<Route> {
  const { channel, country, appId, providers: names } = route
  if (country !== undefined && !/^[A-Z]{2}$/.test(country))
    throw invalid(`country: must be an ISO 3166 code such as KR: ${country}`)
  if (appId !== undefined) await existingApp(deps, appId)
  if (names.length === 0 || new Set(names).size < names.length) throw invalid('providers: at least one, each once')
  const configured = await deps.store.read.providers()
  for (const name of names) {
    const provider = configured.find((known) => known.name === name)
    if (!provider) throw missing('provider', name)
    if (!provider.channels.includes(channel)) throw invalid(`providers: ${name} does not deliver ${channel}`)
  }
  await deps.store.transaction((tx) => tx.saveRoute(route))
  return route
}

export async function removeRoute({ store }: AdminDependencies, route: Omit<Route, 'providers'>): Promise<void> {
  const existed = await store.transaction((tx) => tx.removeRoute(route))
  if (!existed) throw missing('route', [route.channel, route.appId, route.country].filter(Boolean).join(' '))
}
