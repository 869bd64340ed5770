import { SCOPES, type Scope } from '../../../contract/scope'
import type { Allowance } from '../../domain/browser-key'
import { invalid, missing } from '../../domain/error'
import type { StoredKey } from '../../domain/key'
import { assertKey, formatKey, isActive, type KeyKind, type KeyLimits, keyHash } from '../../domain/key'
import { HOUR_MS, type Mode } from '../../domain/value'
import { noteChange } from '../audit'
import { newId } from '../shared/id'
import { type AdminDependencies, assertOverlap, existingApp } from './shared'

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
  /** What a live `pk_` key may do beyond the usual. */
  allows?: readonly Allowance[]
  expiresAt?: number | undefined
  /** 32 bytes the key is written from, where it is not a random one. */
  secret?: Uint8Array
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
    throw invalid('expires', 'not_in_future', 'must be in the future')
  for (const [name, max] of Object.entries(wanted.limits ?? {})) {
    if (!Number.isSafeInteger(max) || max < 1)
      throw invalid('limit', 'too_small', `${name} must be a whole number from 1`, { min: 1 })
  }
  if (wanted.mode === 'test' && Object.keys(wanted.limits ?? {}).length > 0) {
    throw invalid('limit', 'limits_on_test_key', 'test keys cannot have a custom limit')
  }
  await assertRoomForKey(deps, wanted)
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
    createdAt: deps.clock.now(),
  }
  await deps.store.transaction(async (tx) => {
    await tx.keys.add(stored)
    const { appId, scopes, allowedOrigins, allowedCidrs } = stored
    const { kind, mode, allows } = stored
    const rights = { appId, kind, mode, scopes, allowedOrigins, allowedCidrs, ...(allows.length > 0 && { allows }) }
    await noteChange(deps, tx, 'key.create', stored.keyId, rights)
  })
  return { key, stored }
}

/**
 * A test key of an app that can be shown again: it follows from the master secret and is stored, like every key, as a
 * hash. One that was revoked stays so; the next generation takes its place.
 */
export async function standingTestKey(deps: AdminDependencies, appId: string, kind: KeyKind): Promise<string> {
  for (let generation = 1; ; generation++) {
    const secret = deps.vault.standingKey(`${appId}:${kind}:${generation}`)
    const key = formatKey(kind, 'test', secret)
    const known = await deps.store.read.keys.findByHash(keyHash(key))
    if (!known) return (await createKey(deps, { appId, kind, mode: 'test', secret })).key
    if (isActive(known, deps.clock.now())) return key
  }
}

/** A new key with the rights of an old one, which stops working when the overlap ends. Answers the key itself, once. */
export async function rotateKey(
  deps: AdminDependencies,
  keyId: string,
  overlapHours: number,
): Promise<{ key: string; stored: StoredKey; previousWorksUntil: number }> {
  assertOverlap(overlapHours)
  const old = await deps.store.read.keys.find(keyId)
  if (!old) throw missing('key', keyId)
  const now = deps.clock.now()
  if (!isActive(old, now)) throw invalid('key', 'key_not_active', 'only an active one can be rotated')
  const { appId, kind, mode, scopes, allowedOrigins, allowedCidrs, limits, allows, expiresAt } = old
  const rights = { appId, kind, mode, scopes, allowedOrigins, allowedCidrs, limits, allows, expiresAt }
  const made = await createKey(deps, rights)
  const previousWorksUntil = Math.min(now + overlapHours * HOUR_MS, expiresAt ?? Number.POSITIVE_INFINITY)
  await deps.store.transaction(async (tx) => {
    await tx.keys.expire(keyId, previousWorksUntil)
    await noteChange(deps, tx, 'key.rotate', keyId, { newKeyId: made.stored.keyId, previousWorksUntil })
  })
  return { ...made, previousWorksUntil }
}

/** What a live browser key may do beyond the usual, from now on. */
export async function allowKey(
  deps: AdminDependencies,
  keyId: string,
  allows: readonly Allowance[],
): Promise<StoredKey> {
  const key = await deps.store.read.keys.find(keyId)
  if (!key) throw missing('key', keyId)
  if (key.kind !== 'pk' || key.mode !== 'live')
    throw invalid('key', 'not_a_live_browser_key', 'only live pk keys are held to less')
  await deps.store.transaction(async (tx) => {
    await tx.keys.allow(keyId, allows)
    await noteChange(deps, tx, 'key.allow', keyId, { appId: key.appId, allows, before: key.allows })
  })
  return { ...key, allows }
}

function asScope(scope: string): Scope {
  const known = SCOPES.find((name) => name === scope)
  if (!known)
    throw invalid('scope', 'not_a_choice', `no such scope: ${scope}. Known: ${SCOPES.join(' ')}`, { choices: SCOPES })
  return known
}

async function assertRoomForKey({ store, clock }: AdminDependencies, { appId, mode }: NewKey) {
  const max = mode === 'test' ? MAX_TEST_KEYS : MAX_LIVE_KEYS
  const now = clock.now()
  const active = (await store.read.keys.ofApp(appId)).filter(
    (key) => key.mode === mode && key.revokedAt === undefined && (key.expiresAt === undefined || now < key.expiresAt),
  )
  if (active.length >= max)
    throw invalid('app', 'too_many_keys', `has ${active.length} active ${mode} keys already; revoke one first`, { max })
}

/** Revoking twice is no mistake; the first time counts. */
export async function revokeKey(deps: AdminDependencies, keyId: string): Promise<{ keyId: string; revokedAt: number }> {
  const { store, clock } = deps
  const key = await store.read.keys.find(keyId)
  if (!key) throw missing('key', keyId)
  const revokedAt = key.revokedAt ?? clock.now()
  await store.transaction(async (tx) => {
    await tx.keys.revoke(keyId, revokedAt)
    await noteChange(deps, tx, 'key.revoke', keyId)
  })
  return { keyId, revokedAt }
}
