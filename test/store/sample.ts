/** Sample data of the store tests. */

import { NEW_APP } from '../../src/abuse/rules/protection'
import type { StoredKey } from '../../src/domain/access/api-key'
import type { App } from '../../src/domain/access/app'
import type { Attempt, AwaitedReport } from '../../src/domain/delivery/attempt'
import type { RenderedMessage } from '../../src/domain/message/rendered-message'
import type { Owner } from '../../src/domain/shared/value'
import type { IdempotencyRecord } from '../../src/domain/verification/idempotency'
import type { Issue } from '../../src/domain/verification/issue'
import { reserve } from '../../src/domain/wallet/wallet'
import type { Store, Tx } from '../../src/ports/store'
import { systemClock } from '../../src/system/clock'
import { createVault } from '../../src/system/vault'
import { anEndpoint, anIssue, NOW } from '../domain/sample'

export { anEndpoint, anIssue, NOW }

export const SECRET = 'the master secret of these store tests'
export const VAULT = createVault(Buffer.from(SECRET))

export const OWNER: Owner = { appId: 'app_one', mode: 'live' }

/** A clock that stands still until a test sets it. */
export class StillClock {
  time = NOW
  now = () => this.time
  /** Separate from the wall clock, which tests set freely. */
  elapsedMs = 0
  elapsed = () => this.elapsedMs
  /** Pauses of the store are real. */
  after = systemClock.after
}

const filled = (length: number, seed: number) => {
  const bytes = Buffer.alloc(length)
  bytes.writeUInt32BE(seed, length - 4)
  return bytes
}
export const hash16 = (seed: number): Uint8Array => filled(16, seed)
export const hash32 = (seed: number): Uint8Array => filled(32, seed)

/** A UUIDv7 of an instant; `n` orders those of one millisecond. */
export function uuidAt(at: number, n: number): string {
  const time = at.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`
}

/** The `n`th issue at a time, each for another phone. */
export const issueNumber = (n: number, changes: Partial<Issue> = {}): Issue => {
  const createdAt = changes.createdAt ?? NOW
  return anIssue({
    issueId: uuidAt(createdAt, n),
    messageId: uuidAt(createdAt, 0x1000 + n),
    phoneHash: hash32(n),
    createdAt,
    expiresAt: createdAt + 180_000,
    updatedAt: createdAt,
    ...changes,
  })
}

/** An issue with nothing left to do. */
export const settled = (n: number, changes: Partial<Issue> = {}): Issue =>
  issueNumber(n, {
    verificationStatus: 'expired',
    deliveryStatus: 'delivered',
    sendPending: false,
    billingStatus: 'debited',
    debitedAmount: 1,
    ...changes,
  })

export const claimOf = (issue: Issue, seed: number, changes: Partial<IdempotencyRecord> = {}): IdempotencyRecord => ({
  appId: issue.appId,
  mode: issue.mode,
  keyHash: hash16(seed),
  fingerprint: hash16(0xf000 + seed),
  issueId: issue.issueId,
  createdAt: issue.createdAt,
  ...changes,
})

export const attemptOf = (issue: Issue, number: number, changes: Partial<Attempt> = {}): Attempt => ({
  appId: issue.appId,
  mode: issue.mode,
  issueId: issue.issueId,
  number,
  leg: issue.leg,
  carrier: 'main',
  messageId: issue.messageId,
  calledAt: NOW,
  answeredAt: undefined,
  outcome: undefined,
  retry: undefined,
  code: undefined,
  said: undefined,
  text: '[••••••] #{shop}',
  report: undefined,
  reportedAt: undefined,
  carrierMessageId: undefined,
  awaitedAt: undefined,
  ...changes,
})

export const awaitedOf = (issue: Issue, changes: Partial<AwaitedReport> = {}): AwaitedReport => ({
  appId: issue.appId,
  mode: issue.mode,
  messageId: issue.messageId,
  carrier: 'main',
  carrierMessageId: `carrier-${issue.messageId}`,
  issueId: issue.issueId,
  leg: issue.leg,
  answeredAt: NOW,
  ...changes,
})

/** Adds an attempt whose report is awaited like that. */
export const expectReport = (tx: Tx, awaited: AwaitedReport, number = 1): Promise<void> => {
  const { appId, mode, issueId, messageId, carrier, carrierMessageId, leg, answeredAt: awaitedAt } = awaited
  const attempt = attemptOf({ ...issueNumber(1), appId, mode, issueId, messageId, leg }, number)
  return tx.attempts.add({ ...attempt, carrier, carrierMessageId, awaitedAt })
}

export const LETTER: RenderedMessage = {
  to: '+821012345678',
  text: '인증번호는 [123456]입니다.',
  code: '123456',
  from: undefined,
  messageType: 'SMS',
  templateCode: 'otp_default_kr',
  variables: {},
  scenario: undefined,
}

export const APP: App = {
  appId: OWNER.appId,
  organizationId: 'org_one',
  name: 'demo',
  region: undefined,
  protection: NEW_APP,
  createdAt: NOW,
}

export const aStoredKey = (n: number, changes: Partial<StoredKey> = {}): StoredKey => ({
  keyId: `key_${n}`,
  appId: APP.appId,
  organizationId: APP.organizationId,
  kind: 'sk',
  mode: 'live',
  scopes: ['*'],
  allowedOrigins: [],
  allowedCidrs: [],
  limits: {},
  allows: [],
  region: undefined,
  expiresAt: undefined,
  revokedAt: undefined,
  hash: hash32(n),
  prefix: 'sk_',
  lastFour: 'abcd',
  createdAt: NOW + n,
  name: undefined,
  createdBy: 'cli',
  ...changes,
})

/** An organization with one app. */
export const furnish = (store: Store): Promise<void> =>
  store.transaction(async (tx) => {
    await tx.apps.organizationId({ organizationId: APP.organizationId, name: 'Default' })
    await tx.apps.add(APP)
  })

/** How a promise ended, without throwing. */
export const outcomeOf = <T>(promise: Promise<T>): Promise<{ value: T } | { error: unknown }> =>
  promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )

/** Reserves credit as the product does: read under the lock, decided, written. */
export const reserveCredit = async (tx: Tx, appId: string, amount: number): Promise<void> =>
  tx.wallets.save(reserve(await tx.wallets.lock(appId), amount))
