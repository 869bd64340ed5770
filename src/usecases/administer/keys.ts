import { SCOPES, type Scope } from '../../../contract/scope'
import type { Allowance, StoredKey } from '../../domain/access/api-key'
import { assertKey, formatKey, isActive, keyHash } from '../../domain/access/api-key'
import type { App } from '../../domain/access/app'
import type { KeyKind, KeyLimits } from '../../domain/access/caller'
import { invalid, missing } from '../../domain/shared/error'
import { HOUR_MS, type Mode } from '../../domain/shared/value'
import type { Tx } from '../../ports/store'
import { newId } from '../shared/id'
import { writeAudit } from '../shared/write-audit'
import { type AdminDependencies, assertOverlap, label, lockApp, type MakingDependencies } from './shared'

const MAX_LIVE_KEYS = 20
const MAX_TEST_KEYS = 5

export interface NewKey {
  appId: string
  kind: KeyKind
  mode: Mode
  scopes?: readonly string[]
  allowedOrigins?: readonly string[]
  allowedCidrs?: readonly string[]
  limits?: KeyLimits
  name?: string | undefined
  /** The allowances of a live `pk_` key. */
  allows?: readonly Allowance[]
  expiresAt?: number | undefined
  /** 32 bytes the key is written from, where it is not a random one. */
  secret?: Uint8Array
}

const DEFAULT_SCOPES: Readonly<Record<KeyKind, readonly Scope[]>> = { sk: ['*'], pk: ['otp:issue', 'otp:verify'] }

/** Answers the key itself, once. Throws `invalid` and `not_found`. */
export function createKey(deps: MakingDependencies, wanted: NewKey): Promise<MadeKey> {
  return deps.store.transaction(async (tx) => makeKey(deps, tx, await lockApp(tx, wanted.appId), wanted))
}

/** A key, shown this once, and what is stored of it. */
interface MadeKey {
  key: string
  stored: StoredKey
}

/** The app is locked, so that nobody else takes the room there is for one more key. */
async function makeKey(deps: MakingDependencies, tx: Tx, app: App, wanted: NewKey): Promise<MadeKey> {
  const rules = rulesOf(wanted)
  if (wanted.expiresAt !== undefined && wanted.expiresAt <= tx.now)
    throw invalid('expires', 'not_in_future', 'must be in the future')
  assertLimits(wanted)
  await assertRoomForKey(tx, wanted)
  const key = formatKey(wanted.kind, wanted.mode, wanted.secret ?? deps.random.bytes(32))
  const stored: StoredKey = {
    ...rules,
    keyId: newId(deps.random, 'key'),
    appId: app.appId,
    organizationId: app.organizationId,
    limits: wanted.limits ?? {},
    allows: wanted.allows ?? [],
    region: app.region,
    expiresAt: wanted.expiresAt,
    revokedAt: undefined,
    hash: keyHash(key),
    prefix: key.slice(0, key.lastIndexOf('_') + 5),
    lastFour: key.slice(-4),
    createdAt: tx.now,
    name: wanted.name?.trim() ? label(wanted.name, 'name') : undefined,
    createdBy: deps.actor.name,
  }
  await tx.keys.add(stored)
  const { appId, kind, mode, scopes, allowedOrigins, allowedCidrs, allows, name } = stored
  const rights = { appId, kind, mode, scopes, allowedOrigins, allowedCidrs, ...(allows.length > 0 && { allows }) }
  await writeAudit(deps, tx, 'key.create', stored.keyId, { ...rights, ...(name !== undefined && { name }) })
  return { key, stored }
}

function rulesOf({ kind, mode, scopes = [], allowedOrigins, allowedCidrs }: NewKey) {
  const rules = {
    kind,
    mode,
    scopes: [...new Set(scopes.length > 0 ? scopes.map(asScope) : DEFAULT_SCOPES[kind])],
    allowedOrigins: [...new Set(allowedOrigins)],
    allowedCidrs: [...new Set(allowedCidrs)],
  }
  assertKey(rules)
  return rules
}

function assertLimits({ mode, limits = {} }: NewKey): void {
  for (const [name, max] of Object.entries(limits)) {
    if (!Number.isSafeInteger(max) || max < 1)
      throw invalid('limit', 'too_small', `${name} must be a whole number from 1`, { min: 1 })
  }
  if (mode === 'test' && Object.keys(limits).length > 0)
    throw invalid('limit', 'limits_on_test_key', 'test keys cannot have a custom limit')
}

/**
 * A test key of an app that can be shown again: it follows from the master secret and is stored, like every key, as a
 * hash. One that was revoked stays so; the next generation takes its place.
 */
export function standingTestKey(deps: MakingDependencies, appId: string, kind: KeyKind): Promise<string> {
  return deps.store.transaction(async (tx) => {
    const app = await lockApp(tx, appId)
    const stored = await tx.keys.ofApp(appId)
    for (let generation = 1; ; generation++) {
      const secret = deps.vault.standingKey(`${appId}:${kind}:${generation}`)
      const key = formatKey(kind, 'test', secret)
      const hash = Buffer.from(keyHash(key))
      const known = stored.find((other) => hash.equals(other.hash))
      if (!known) return (await makeKey(deps, tx, app, { appId, kind, mode: 'test', secret })).key
      if (isActive(known, tx.now)) return key
    }
  })
}

/** A new key with the rights of an old one, which stops working when the overlap ends. Answers the key itself, once. */
export async function rotateKey(
  deps: MakingDependencies,
  keyId: string,
  overlapHours: number,
): Promise<MadeKey & { previousWorksUntil: number }> {
  assertOverlap(overlapHours)
  return changeKey(deps, keyId, async (tx, old, app) => {
    if (!app || !isActive(old, tx.now)) throw invalid('key', 'key_not_active', 'only an active one can be rotated')
    const { appId, kind, mode, scopes, allowedOrigins, allowedCidrs, limits, allows, expiresAt, name } = old
    const rights = { appId, kind, mode, scopes, allowedOrigins, allowedCidrs, limits, allows, expiresAt, name }
    const made = await makeKey(deps, tx, app, rights)
    const previousWorksUntil = Math.min(tx.now + overlapHours * HOUR_MS, expiresAt ?? Number.POSITIVE_INFINITY)
    await tx.keys.expire(keyId, previousWorksUntil)
    await writeAudit(deps, tx, 'key.rotate', keyId, { newKeyId: made.stored.keyId, previousWorksUntil })
    return { ...made, previousWorksUntil }
  })
}

/** Sets the allowances of a live browser key. */
export function allowKey(deps: AdminDependencies, keyId: string, allows: readonly Allowance[]): Promise<StoredKey> {
  return changeKey(deps, keyId, async (tx, key) => {
    if (key.kind !== 'pk' || key.mode !== 'live')
      throw invalid('key', 'not_a_live_browser_key', 'only live pk keys are held to less')
    await tx.keys.allow(keyId, allows)
    await writeAudit(deps, tx, 'key.allow', keyId, { appId: key.appId, allows, before: key.allows })
    return { ...key, allows }
  })
}

/** Revoking twice is no mistake; the first time counts. */
export function revokeKey(deps: AdminDependencies, keyId: string): Promise<{ keyId: string; revokedAt: number }> {
  return changeKey(deps, keyId, async (tx, key) => {
    const revokedAt = key.revokedAt ?? tx.now
    await tx.keys.revoke(keyId, revokedAt)
    await writeAudit(deps, tx, 'key.revoke', keyId)
    return { keyId, revokedAt }
  })
}

/** One transaction on a key and its app, which is undefined once it was removed. Throws `not_found`. */
async function changeKey<T>(
  { store }: AdminDependencies,
  keyId: string,
  change: (tx: Tx, key: StoredKey, app: App | undefined) => Promise<T>,
): Promise<T> {
  // Whose it is never changes, and who locks both locks the app first.
  const { appId } = (await store.read.keys.find(keyId)) ?? {}
  if (appId === undefined) throw missing('key', keyId)
  return store.transaction(async (tx) => {
    const app = await tx.apps.lock(appId)
    const key = await tx.keys.lock(keyId)
    if (!key) throw missing('key', keyId)
    return change(tx, key, app)
  })
}

function asScope(scope: string): Scope {
  const known = SCOPES.find((name) => name === scope)
  if (!known)
    throw invalid('scope', 'not_a_choice', `no such scope: ${scope}. Known: ${SCOPES.join(' ')}`, { choices: SCOPES })
  return known
}

async function assertRoomForKey(tx: Tx, { appId, mode }: NewKey): Promise<void> {
  const max = mode === 'test' ? MAX_TEST_KEYS : MAX_LIVE_KEYS
  const keys = await tx.keys.ofApp(appId)
  const active = keys.filter((key) => key.mode === mode && isActive(key, tx.now))
  if (active.length >= max)
    throw invalid('app', 'too_many_keys', `has ${active.length} active ${mode} keys already; revoke one first`, { max })
}
