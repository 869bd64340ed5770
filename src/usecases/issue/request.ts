/** The request with every default resolved, and the keyed hashes by which stored rows are found. */
import type { RequestFacts } from '../../abuse/rules/assess'
import type { ApiKey, KeyKind } from '../../domain/access/api-key'
import type { App } from '../../domain/access/app'
import type { Issue, Origin } from '../../domain/codes/issue'
import {
  fingerprintText,
  type IssueRequest,
  newIssue,
  type ResolvedRequest,
  resolveRequest,
} from '../../domain/codes/issue-request'
import { derivedCode, firstIssueOf, keepCode, keptFrom, keptKeyName } from '../../domain/codes/kept-code'
import { reviewKeyName, reviewNumberOf, withoutMessage } from '../../domain/codes/review-number'
import type { PlannedLeg } from '../../domain/delivery/plan'
import { prefixOf, type Recipient } from '../../domain/phone/phone'
import { relayedCodeSeal, SEALED_CODE } from '../../domain/relays/relay'
import type { Owner } from '../../domain/shared/value'
import type { Random, Vault } from '../../ports/vault'
import { type ModeRules, type Modes, rulesOf } from '../shared/mode'

interface RequestDependencies {
  vault: Vault
  modes: Modes
  random: Random
}

/** A request of a caller, or of a relay for a code of its platform. */
export interface AskedIssue extends IssueRequest {
  /** Whether the code of a pending issue for the same phone and purpose is sent again. No field of `/v1`. */
  keepsCode?: boolean
  relayed?: { rules: ModeRules; text: string | undefined } | undefined
}

/** A request with every default resolved, and its owner. */
export interface ResolvedIssue {
  owner: Owner
  rules: ModeRules
  recipient: Recipient
  request: ResolvedRequest
  /** Under what its idempotency key is remembered, and what it is compared by. */
  keyHash: Uint8Array
  fingerprint: Uint8Array
  keyKind: KeyKind
  keepsCode: boolean
}

/** The same with what is needed of one that was not answered before. */
export interface CheckedRequest extends ResolvedIssue {
  phoneHash: Uint8Array
  /** Where it goes and who asks, for the rules against abuse; the hashes are stored with the issue. */
  facts: RequestFacts
  prefixHash: Uint8Array
  networkHash: Uint8Array | undefined
  smsFallback: boolean
  /** The phone is a review number: the code is fixed, and no message is sent. */
  isReview: boolean
}

export function resolveIssue(
  { vault, modes }: RequestDependencies,
  key: ApiKey,
  { relayed, keepsCode = false, ...asked }: AskedIssue,
): ResolvedIssue {
  const rules = relayed?.rules ?? rulesOf(modes, key)
  const recipient = rules.recipient(asked.phoneNumber, key.region)
  const request = resolveRequest(asked, recipient, rules.defaultChannel(recipient))
  return {
    owner: { appId: key.appId, mode: key.mode },
    rules,
    recipient,
    keyKind: key.kind,
    // Each kind of key has idempotency keys of its own: a leaked browser key cannot reach a backend's issue.
    keyHash: vault.claimHash(`${key.kind} ${asked.idempotencyKey}`),
    fingerprint: vault.fingerprint(fingerprintText(request)),
    request,
    keepsCode,
  }
}

export function checkedRequest(
  { vault, modes }: Pick<RequestDependencies, 'vault' | 'modes'>,
  key: ApiKey,
  wanted: ResolvedIssue,
  { app, address, now }: { app: App | undefined; address: string | undefined; now: number },
): CheckedRequest {
  const { recipient, rules } = wanted
  const phoneHash = vault.phoneHash(recipient.identity)
  const review = app && key.mode === 'live' && key.kind !== 'relay' ? reviewNumberOf(app, phoneHash, now) : undefined
  const digits = prefixOf(recipient.to)
  const prefix = vault.prefixHash(digits)
  const network = address === undefined ? undefined : vault.networkHash(address)
  return {
    ...wanted,
    ...(review && { rules: modes.review(review, derivedCode(vault.standingKey(reviewKeyName(key.appId, review)))) }),
    isReview: review !== undefined,
    phoneHash,
    facts: {
      kind: key.kind,
      home: rules.home(key.region),
      country: recipient.country,
      address,
      digits,
      withoutTexts: recipient.withoutTexts,
      phone: hex(phoneHash),
      prefix: hex(prefix),
      network: network && hex(network),
    },
    smsFallback: rules.fallsBack(recipient, wanted.request.smsFallback),
    prefixHash: prefix,
    networkHash: network,
  }
}

const hex = (hash: Uint8Array) => hash.toHex()

/** A code that may be sent again is derived from the first issue that has it; any other is random. */
export function newCodeOf(
  { vault }: Pick<RequestDependencies, 'vault'>,
  { keepsCode, owner: { appId }, phoneHash, rules, recipient }: CheckedRequest,
  { issueId, kept }: Pick<IssueInput, 'issueId' | 'kept'>,
): string {
  const firstIssueId = (kept && firstIssueOf(kept)) ?? issueId
  const key = keepsCode ? vault.standingKey(keptKeyName({ appId, phoneHash }, firstIssueId)) : undefined
  return rules.newCode(recipient, key && derivedCode(key))
}

/** The issue whose code goes out again. Its hash proves that: callers of `/v1` may have written the same metadata. */
export function keptOf(
  deps: Pick<RequestDependencies, 'vault'>,
  checked: CheckedRequest,
  previous: Issue | undefined,
  now: number,
): Issue | undefined {
  const kept = checked.keepsCode ? keptFrom(previous, now) : undefined
  if (!kept) return undefined
  const code = newCodeOf(deps, checked, { issueId: kept.issueId, kept })
  return Buffer.compare(deps.vault.codeHash(kept.issueId, code), kept.codeHash) === 0 ? kept : undefined
}

/** The values that the service adds to a request to make an issue. */
interface IssueInput {
  issueId: string
  /** The issue whose code goes out again. */
  kept: Issue | undefined
  code: string
  maxAttempts: number
  price: number
  origin: Origin | undefined
  legs: readonly PlannedLeg[] | undefined
  now: number
}

export function createIssue(
  { vault, random }: Omit<RequestDependencies, 'modes'>,
  checked: CheckedRequest,
  input: IssueInput,
): Issue {
  const { owner, request, rules, recipient } = checked
  const { issueId, now, code } = input
  const sealedCode = checked.keyKind === 'relay' &&
    owner.mode === 'test' && { [SEALED_CODE]: vault.seal(relayedCodeSeal(issueId), code).toBase64() }
  const wanted = sealedCode ? { ...request, metadata: { ...request.metadata, ...sealedCode } } : request
  const issue = newIssue(wanted, {
    appId: owner.appId,
    mode: owner.mode,
    issueId,
    messageId: random.uuid(now),
    smsFallback: checked.smsFallback,
    legs: input.legs,
    keyKind: checked.keyKind,
    phoneHash: checked.phoneHash,
    codeHash: vault.codeHash(issueId, code),
    country: recipient.country,
    createdAt: now,
    expiresAt: now + rules.lifetimeMs(recipient, request.expiresInSec),
    maxAttempts: input.maxAttempts,
    price: input.price,
    prefixHash: checked.prefixHash,
    networkHash: checked.networkHash,
    origin: input.origin,
  })
  const keeping = checked.keepsCode ? keepCode(issue, input.kept) : issue
  return checked.isReview ? withoutMessage(keeping) : keeping
}
