/** A request with an idempotency key that was used before. Specification: `POST /issue`, rules 2 to 5; decisions: "Idempotency". */
import { resendAt } from '../../abuse/rules/protection'
import type { ApiKey } from '../../domain/access/api-key'
import { assertReplayable, hasExpired, type IdempotencyRecord, keyForgotten } from '../../domain/codes/idempotency'
import type { Issue } from '../../domain/codes/issue'
import { type Issued, issued } from '../../domain/codes/issue-request'
import type { Clock } from '../../ports/clock'
import type { Node } from '../../ports/node'
import type { Store, Tx } from '../../ports/store'
import type { CheckedRequest, ResolvedIssue } from './request'

interface ReplayDependencies {
  store: Store
  clock: Pick<Clock, 'now'>
  node: Pick<Node, 'replays' | 'directory'>
  idempotencyDays: number
}

/** The record of the same request, where this server answered it lately. */
export function findRecentRecord(
  { node, clock, idempotencyDays }: ReplayDependencies,
  resolved: ResolvedIssue,
): IdempotencyRecord | undefined {
  const record = node.replays.find(resolved.owner, resolved.keyHash)
  return record && !hasExpired(record, idempotencyDays, clock.now()) && isSameRequest(record, resolved)
    ? record
    : undefined
}

/** Answers the same without a transaction, since what is read is on disk. Undefined where its issue has changed: a transaction decides then. */
export async function replayFromDisk(
  { node, store }: ReplayDependencies,
  key: ApiKey,
  { owner, rules }: ResolvedIssue,
  { issueId }: IdempotencyRecord,
): Promise<Issued | undefined> {
  const issue = await store.read.issues.standing(owner, issueId)
  if (!issue || issue.verificationStatus === 'replaced') return undefined
  const protection = rules.protection(await node.directory.app(key.appId))
  return issued(issue, resendAt(protection, key.kind, issue))
}

const isSameRequest = (record: IdempotencyRecord, { fingerprint }: ResolvedIssue) =>
  Buffer.compare(record.fingerprint, fingerprint) === 0

export function recordOf(
  { owner: { appId, mode }, keyHash, fingerprint }: CheckedRequest,
  { issueId, createdAt }: Issue,
): IdempotencyRecord {
  return { appId, mode, keyHash, fingerprint, issueId, createdAt }
}

/** The issue this idempotency key already stands for, if it does (rules 3, 4 and 5). */
export async function replay(
  { idempotencyDays }: ReplayDependencies,
  tx: Tx,
  checked: CheckedRequest,
  record: IdempotencyRecord,
): Promise<Issue | undefined> {
  const { owner } = checked
  const isKnown = !hasExpired(record, idempotencyDays, tx.now)
  const issue = isKnown ? await tx.issues.lock(owner, record.issueId) : undefined
  if (isKnown && (issue ? issue.erasedAt !== undefined : await tx.erasures.isRemoved(record.issueId)))
    throw keyForgotten()
  if (!issue) {
    await tx.idempotency.drop(owner, record.keyHash)
    return undefined
  }
  assertReplayable(issue, isSameRequest(record, checked))
  return issue
}
