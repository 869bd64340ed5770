/** Reads that change nothing. Specification: `GET /status` to `GET /templates/{templateId}`. */

import type { ApiKey } from '../domain/access/api-key'
import type { Template } from '../domain/message/template'
import type { VerificationStatus } from '../domain/shared/addressed'
import { notFound } from '../domain/shared/error'
import { isUuid, type Owner } from '../domain/shared/value'
import type { Issue, IssueStanding } from '../domain/verification/issue'
import { TEST_BALANCE } from '../domain/verification/test-scenario'
import { hasCode } from '../domain/verification/verification'
import type { EntryType, LedgerEntry } from '../domain/wallet/wallet'
import type { Clock } from '../ports/clock'
import type { Node } from '../ports/node'
import type { Store } from '../ports/store'
import type { Vault } from '../ports/vault'
import { type PagedEndpoint, readCursor, writeCursor } from './shared/cursor'

export interface ReadDependencies {
  store: Store
  vault: Vault
  clock: Clock
  node: Pick<Node, 'directory'>
}

interface PageRequest {
  limit: number
  cursor?: string | undefined
  createdFrom?: number | undefined
  createdTo?: number | undefined
}

export interface Page<T> {
  items: T[]
  nextCursor?: string | undefined
}

/** Throws `not_found` for unknown issues, another app's and the other mode's alike. */
export async function readIssue({ store }: ReadDependencies, owner: Owner, issueId: string): Promise<Issue> {
  const issue = isUuid(issueId) ? await store.read.issues.find(owner, issueId) : undefined
  if (!issue) throw notFound('issue')
  return issue
}

/** Throws `not_found`, as `readIssue` does. */
export async function readStanding({ store }: ReadDependencies, owner: Owner, issueId: string): Promise<IssueStanding> {
  const standing = isUuid(issueId) ? await store.read.issues.standing(owner, issueId) : undefined
  if (!standing) throw notFound('issue')
  return standing
}

export function listIssues(
  deps: ReadDependencies,
  owner: Owner,
  request: PageRequest & { verificationStatus?: VerificationStatus | undefined },
): Promise<Page<Issue>> {
  const { store, clock } = deps
  const { verificationStatus: status, ...page } = request
  return readPage(deps, 'issues', owner, page, {
    read: (before, bounds) => store.read.issues.page(owner, { before, status, ...bounds }, clock.now()),
    positionOf: ({ issueId }) => issueId,
  })
}

/** Test mode bills nothing, so its ledger is empty. */
export async function listCreditLedger(
  deps: ReadDependencies,
  owner: Owner,
  request: PageRequest & { entryType?: EntryType | undefined },
): Promise<Page<LedgerEntry>> {
  const { entryType, ...page } = request
  const found = await readPage(deps, 'credit-ledger', owner, page, {
    read: async (before, bounds) => {
      if (owner.mode === 'test') return []
      const [createdAt = 0, seq = 0] = before?.split('.').map(Number) ?? []
      return deps.store.read.wallets.ledger(owner.appId, {
        ...(before && { before: { createdAt, seq } }),
        entryType,
        ...bounds,
      })
    },
    positionOf: ({ createdAt, seq }) => `${createdAt}.${seq}`,
  })
  // A message alone is no issue of the API.
  const known = async (entry: LedgerEntry) => {
    const issue = entry.issueId === undefined ? undefined : await deps.store.read.issues.stored(owner, entry.issueId)
    return issue && !hasCode(issue) ? { ...entry, issueId: undefined } : entry
  }
  return { ...found, items: await Promise.all(found.items.map(known)) }
}

interface PageSource<T> {
  read: (
    before: string | undefined,
    bounds: { limit: number; createdFrom?: number; createdTo?: number },
  ) => Promise<T[]>
  positionOf: (item: T) => string
}

/** Keyset paging: one row more than asked for tells whether there is a next page. */
async function readPage<T>(
  { vault }: ReadDependencies,
  endpoint: PagedEndpoint,
  owner: Owner,
  { limit, cursor, createdFrom, createdTo }: PageRequest,
  { read, positionOf }: PageSource<T>,
): Promise<Page<T>> {
  const before = cursor === undefined ? undefined : readCursor(vault, endpoint, owner, cursor)
  const rows = await read(before, {
    limit: limit + 1,
    ...(createdFrom !== undefined && { createdFrom }),
    ...(createdTo !== undefined && { createdTo }),
  })
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  if (rows.length <= limit || last === undefined) return { items }
  return { items, nextCursor: writeCursor(vault, endpoint, owner, positionOf(last)) }
}

export interface Balance {
  appId: string
  organizationId: string
  balance: number
  updatedAt: number
}

export async function readBalance({ store, clock, node }: ReadDependencies, key: ApiKey): Promise<Balance> {
  const { appId, organizationId } = key
  const owned = { appId, organizationId }
  if (key.mode === 'test') return { ...owned, balance: TEST_BALANCE, updatedAt: clock.now() }
  const wallet = await store.read.wallets.find(appId)
  if (wallet) return { ...owned, balance: wallet.balance, updatedAt: wallet.updatedAt }
  return { ...owned, balance: 0, updatedAt: (await node.directory.app(appId))?.createdAt ?? clock.now() }
}

export const listTemplates = ({ node }: ReadDependencies, { appId }: Owner): Promise<Template[]> =>
  node.directory.templates(appId)

/** Throws `not_found`. */
export async function readTemplate(
  { node }: ReadDependencies,
  { appId }: Owner,
  templateId: string,
): Promise<Template> {
  const template = await node.directory.template(appId, templateId)
  if (!template) throw notFound('template')
  return template
}
