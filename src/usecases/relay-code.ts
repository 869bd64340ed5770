/**
 * Relay: deliver a code that another platform made, as an issue that `/v1` does not know. It goes through the same pipeline: one
 * message for each code, credit, carriers, reports, retention. Decisions: "Relays".
 */
import type { ApiKey } from '../domain/access/api-key'
import type { App } from '../domain/access/app'
import type { Issue, Origin } from '../domain/codes/issue'
import type { Issued } from '../domain/codes/issue-request'
import { DEFAULT_TEMPLATE_ID } from '../domain/message/template'
import {
  assertRelayed,
  DUPLICATE_DAYS,
  RELAYED_LIFETIME_SEC,
  type Relay,
  type RelayedCode,
  relayedCodeSeal,
  relayPurpose,
  SEALED_CODE,
} from '../domain/relays/relay'
import { unavailable } from '../domain/shared/error'
import { type IssueDependencies, issueCode } from './issue-code'

/** Throws what `issueCode` throws. The same code again answers the same, and sends nothing. */
export async function relayCode(
  deps: IssueDependencies,
  relay: Relay,
  relayed: RelayedCode,
  origin: Origin,
): Promise<Issued> {
  assertRelayed(relayed)
  const { node, idempotencyDays } = deps
  const app = await node.directory.app(relay.appId)
  if (!app) throw unavailable('The app of this relay was removed')
  const key = keyOf(relay, app)
  const rules = deps.modes.relay(relay, relayed)
  const permit = await node.limits.acquire(rules.requestLimits(key, 'issue', relayed.address ?? ''))
  try {
    return await issueCode({ ...deps, idempotencyDays: relayed.hasStableId ? idempotencyDays : DUPLICATE_DAYS }, key, {
      phoneNumber: relayed.phoneNumber,
      purpose: relayPurpose(relay),
      // Another occasion with the same code is another message, not a conflict.
      idempotencyKey: [relay.relayId, relayed.dedupe, ...(relayed.hasStableId ? [] : [relayed.occasion])].join(' '),
      channel: 'sms',
      templateId: relay.templateId ?? DEFAULT_TEMPLATE_ID,
      expiresInSec: RELAYED_LIFETIME_SEC,
      maxAttempts: 1,
      locale: relayed.locale,
      webOtp: relay.templateId === undefined ? false : undefined,
      metadata: { source: relay.source, ...(relayed.occasion && { type: relayed.occasion }) },
      address: relayed.address,
      origin,
      relayed: { rules, text: relay.templateId === undefined ? relayed.text : undefined },
    })
  } catch (error) {
    await permit.release()
    throw error
  }
}

/** The code of a test message. Undefined for other issues, and where it can no longer be opened. */
export function codeOfTest({ vault }: Pick<IssueDependencies, 'vault'>, issue: Issue): string | undefined {
  const sealed = issue.keyKind === 'relay' ? issue.metadata?.[SEALED_CODE] : undefined
  if (sealed === undefined) return undefined
  try {
    return vault.open(relayedCodeSeal(issue.issueId), Uint8Array.fromBase64(sealed))
  } catch {
    return undefined
  }
}

/** Stands for the relay where a key is asked for. */
const keyOf = ({ relayId, appId, mode }: Relay, { organizationId, region }: App): ApiKey => ({
  ...{ keyId: relayId, appId, organizationId, kind: 'relay', mode, region },
  ...{ scopes: [], allowedOrigins: [], allowedCidrs: [], limits: {}, allows: [] },
  ...{ expiresAt: undefined, revokedAt: undefined },
})
