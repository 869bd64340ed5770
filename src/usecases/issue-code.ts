/**
 * Issue: make a 6-digit code, and send it: reserve credit, record the issue and start its delivery, in one transaction.
 * Specification: `POST /issue`, rules 1 to 11; decisions: "Idempotency", "Credit".
 */
import { admitNext } from '../abuse/rules/failure-budget'
import { findResend, resendAt } from '../abuse/rules/protection'
import type { ApiKey } from '../domain/access/api-key'
import { phoneOf } from '../domain/access/rate-limits'
import { textsOf } from '../domain/message/rendered-message'
import type { Issue } from '../domain/verification/issue'
import {
  compose,
  fingerprintText,
  type Issued,
  type IssueRequest,
  issued,
  newVerification,
  resolveRequest,
} from '../domain/verification/issue-request'
import { derivedCode, firstIssueOf, keepCode, keptFrom, keptKeyName } from '../domain/verification/kept-code'
import { changesWithoutMessage, reviewKeyName, reviewNumberOf } from '../domain/verification/review-number'
import { hasCode, isActive, markReplaced, type Verification } from '../domain/verification/verification'
import type { Tx } from '../ports/store'
import { type CheckedRequest, keyHashOf, type SendRequest } from './send/request'
import { refuseOrWatch } from './send/result'
import { type SendDependencies, send } from './send/send'
import { emitEvents } from './shared/emit-events'
import { rulesOf } from './shared/mode'
import { saveChange } from './shared/save-change'

export interface IssueDependencies extends SendDependencies {
  idempotencyDays: number
}

export interface AskedIssue extends IssueRequest {
  /** Whether the code of a pending issue for the same phone and purpose is sent again. No field of `/v1`. */
  keepsCode?: boolean
}

/** Throws `invalid`, `conflict`, `unavailable`, `limited`, `forbidden` or `no_credit`; then nothing has changed and the key stays unused. */
export async function issueCode(deps: IssueDependencies, key: ApiKey, asked: AskedIssue): Promise<Issued> {
  const { vault, modes, store, clock, node } = deps
  const rules = rulesOf(modes, key)
  const recipient = rules.recipient(asked.phoneNumber, key.region)
  const resolved = resolveRequest(asked, recipient, rules.defaultChannel(recipient))
  const { purpose, channel, templateId, smsFallback, metadata, expiresInSec, maxAttempts } = resolved
  const owner = { appId: key.appId, mode: key.mode }
  const request: SendRequest = {
    ...{ caller: key, rules, recipient, idempotencyDays: deps.idempotencyDays },
    keyHash: keyHashOf(vault, key, asked.idempotencyKey),
    fingerprint: vault.fingerprint(fingerprintText(resolved)),
    ...{ purpose, channel, templateId, smsFallback, metadata, expiresInSec },
    ...{ legs: asked.legs, address: asked.address, challenge: asked.challenge, origin: asked.origin },
    lastLeg: asked.legs ? undefined : lastLeg,
  }
  return send<Verification, Issued>(deps, request, {
    rulesFor(app, phoneHash) {
      const review = key.mode === 'live' ? reviewNumberOf(app, phoneHash, clock.now()) : undefined
      return review && modes.review(review, derivedCode(vault.standingKey(reviewKeyName(key.appId, review))))
    },
    isIt: hasCode,
    answer: (issue, protection) => issued(issue, resendAt(protection, key.kind, issue)),
    async answerFromDisk(issueId) {
      const issue = await store.read.issues.standing(owner, issueId)
      if (!issue || issue.verificationStatus === 'replaced') return undefined
      return issued(issue, resendAt(rules.protection(await node.directory.app(key.appId)), key.kind, issue))
    },
    draft(tx, { issueId, phone: { live: previous, failures: known }, checked, app, template, maySms }) {
      const kept = asked.keepsCode ? keptOf(deps, checked, previous, tx.now) : undefined
      const code = newCodeOf(deps, checked, asked, kept ?? { issueId })
      const wording = { texts: textsOf(app), locale: asked.locale, webOtp: asked.webOtp }
      const rendered = compose(resolved, recipient, { template, wording, code, key, maySms })
      return {
        rendered,
        async make({ addressed, message, protection, isProven }) {
          const resendHit = refuseOrWatch(findResend(protection, key.kind, previous, tx.now), message.price)
          // Most phones have no wrong codes, and then there is no row to lock.
          const failures = known && (await tx.failures.lock(phoneOf(addressed)))
          const admitted = admitNext(failures, maxAttempts, protection, tx.now, isProven)
          const failureHit = refuseOrWatch(admitted.found, message.price)
          const { isSilent = false } = checked.rules
          const verification = newVerification(isSilent ? addressed : message, {
            codeHash: vault.codeHash(issueId, code),
            maxAttempts: admitted.maxAttempts,
          })
          const stored = asked.keepsCode ? keepCode(verification, kept) : verification
          // Rule 8: replace the previous issue of the same phone and purpose.
          if (previous) await saveChange(deps, tx, previous, markReplaced(previous, tx.now))
          if (admitted.failures) await tx.failures.save(phoneOf(addressed), admitted.failures)
          if (isSilent) await tellOfSilent(tx, stored, recipient.to)
          return { stored, hit: resendHit ?? failureHit }
        },
      }
    },
  })

  /** The leg of a code that is still active: the next one begins after it. */
  async function lastLeg(phoneHash: Uint8Array): Promise<Issue['leg'] | undefined> {
    const last = await store.read.issues.newest(owner, phoneHash, purpose)
    return last && isActive(last, clock.now()) ? last.leg : undefined
  }

  async function tellOfSilent(tx: Tx, verification: Verification, sentTo: string): Promise<void> {
    for (const [before, after] of changesWithoutMessage(verification))
      await emitEvents(deps, tx, before, after, { sentTo })
  }
}

/** A code that may be sent again is derived from the first issue that has it; any other is random. */
function newCodeOf(
  { vault }: Pick<IssueDependencies, 'vault'>,
  { caller: { appId }, phoneHash, rules, recipient }: CheckedRequest,
  { keepsCode }: Pick<AskedIssue, 'keepsCode'>,
  first: Verification | { issueId: string },
): string {
  const firstIssueId = ('metadata' in first && firstIssueOf(first)) || first.issueId
  const key = keepsCode ? vault.standingKey(keptKeyName({ appId, phoneHash }, firstIssueId)) : undefined
  return rules.newCode(recipient, key && derivedCode(key))
}

/** The issue whose code goes out again. Its hash proves that: callers of `/v1` may have written the same metadata. */
function keptOf(
  deps: Pick<IssueDependencies, 'vault'>,
  checked: CheckedRequest,
  previous: Verification | undefined,
  now: number,
): Verification | undefined {
  const kept = keptFrom(previous, now)
  if (!kept) return undefined
  const code = newCodeOf(deps, checked, { keepsCode: true }, kept)
  return Buffer.compare(deps.vault.codeHash(kept.issueId, code), kept.codeHash) === 0 ? kept : undefined
}
