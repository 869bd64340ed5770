/** Tokens of the management API, and those with which finance's tools read usage. Decisions: "Administration", "Usage". */
import {
  ADMIN_TOKENS_MAX,
  type AdminScope,
  type AdminToken,
  isTaken,
  USAGE_SCOPE,
} from '../../domain/access/admin-token'
import { assertCidr } from '../../domain/access/api-key'
import { invalid, missing } from '../../domain/shared/error'
import type { Clock } from '../../ports/clock'
import { newId, newToken, tokenHash } from '../shared/id'
import { writeAudit } from '../shared/write-audit'
import { type AdminDependencies, existingApp, label, type MakingDependencies } from './shared'

export type ShownAdminToken = Omit<AdminToken, 'tokenHash'>

export interface WantedAdminToken {
  name: string
  scopes: readonly AdminScope[]
  appIds?: readonly string[] | undefined
  allowedCidrs?: readonly string[]
  /** Unix milliseconds. */
  expiresAt?: number | undefined
}

const shown = ({ tokenHash: _, ...token }: AdminToken): ShownAdminToken => token

/** The token is shown only now: its hash is stored. Throws `invalid` and `not_found`. */
export async function createAdminToken(
  deps: MakingDependencies,
  { scopes, appIds, allowedCidrs = [], expiresAt, ...wanted }: WantedAdminToken,
  prefix = 'adm',
): Promise<ShownAdminToken & { token: string }> {
  const name = label(wanted.name, 'name')
  if (scopes.length === 0) throw invalid('scopes', 'required', 'at least one scope, such as carriers:write')
  for (const cidr of allowedCidrs) assertCidr(cidr)
  for (const appId of appIds ?? []) await existingApp(deps, appId)
  const token = `${prefix}_${newToken(deps.random)}`
  return deps.store.transaction(async (tx) => {
    // One change at a time, so that the limit holds.
    await tx.audit.lockLast()
    if (expiresAt !== undefined && expiresAt <= tx.now)
      throw invalid('expires', 'not_in_future', 'must be in the future')
    const known = await deps.store.read.admin.tokens()
    if (known.length >= ADMIN_TOKENS_MAX)
      throw invalid('name', 'too_many', `at most ${ADMIN_TOKENS_MAX} tokens`, { max: ADMIN_TOKENS_MAX })
    const added: AdminToken = {
      ...{ tokenId: newId(deps.random, prefix), name, tokenHash: tokenHash(token) },
      ...{ scopes: [...new Set(scopes)], appIds, allowedCidrs, expiresAt },
      ...{ createdBy: deps.actor.name, createdAt: tx.now },
    }
    await tx.admin.addToken(added)
    const rights = { scopes, ...(appIds && { appIds }), ...(allowedCidrs.length > 0 && { allowedCidrs }), expiresAt }
    await writeAudit(deps, tx, 'token.create', added.tokenId, { name, ...rights })
    return { ...shown(added), token }
  })
}

export const listAdminTokens = async ({ store }: Pick<AdminDependencies, 'store'>): Promise<ShownAdminToken[]> =>
  (await store.read.admin.tokens()).map(shown)

/** The token of an `Authorization` header, where it is taken from this address. The look-up is by its hash. */
export async function takenToken(
  { store, clock }: Pick<AdminDependencies, 'store'> & { clock: Pick<Clock, 'now'> },
  authorization: string | null,
  address: string,
): Promise<AdminToken | undefined> {
  const [, given] = /^Bearer +((?:adm|rpt)_[\w-]{43}) *$/i.exec(authorization ?? '') ?? []
  const token = given === undefined ? undefined : await store.read.admin.token(tokenHash(given))
  return token && isTaken(token, address, clock.now()) ? token : undefined
}

/** Throws `not_found`. */
export async function revokeAdminToken(deps: AdminDependencies, tokenId: string): Promise<void> {
  await deps.store.transaction(async (tx) => {
    if (!(await tx.admin.removeToken(tokenId))) throw missing('token', tokenId)
    await writeAudit(deps, tx, 'token.revoke', tokenId)
  })
}

const readsUsageOnly = ({ scopes }: ShownAdminToken) => scopes.length === 1 && scopes[0] === USAGE_SCOPE

/** A token of finance's tools, as they were before there were others. */
export type ShownReportToken = Pick<ShownAdminToken, 'tokenId' | 'name' | 'createdBy' | 'createdAt'>

const asReportToken = ({ tokenId, name, createdBy, createdAt }: ShownAdminToken): ShownReportToken => ({
  ...{ tokenId, name, createdBy, createdAt },
})

/** Throws `invalid`. */
export async function createReportToken(
  deps: MakingDependencies,
  { name }: { name: string },
): Promise<ShownReportToken & { token: string }> {
  const { token, ...made } = await createAdminToken(deps, { name, scopes: [USAGE_SCOPE] }, 'rpt')
  return { ...asReportToken(made), token }
}

export const listReportTokens = async (deps: Pick<AdminDependencies, 'store'>): Promise<ShownReportToken[]> =>
  (await listAdminTokens(deps)).filter(readsUsageOnly).map(asReportToken)
