/**
 * Relay: send a code that another platform made and checks, in a message alone, which `/v1` does not know. Decisions: "Relays".
 */
import type { Caller } from '../domain/access/caller'
import type { Message } from '../domain/message/message'
import { textsOf } from '../domain/message/rendered-message'
import { DEFAULT_TEMPLATE_ID } from '../domain/message/template'
import {
  assertRelayed,
  DUPLICATE_DAYS,
  RELAYED_LIFETIME_SEC,
  type Relay,
  type RelayedCode,
  relayedCodeSeal,
} from '../domain/relays/relay'
import type { Origin } from '../domain/shared/addressed'
import { unavailable } from '../domain/shared/error'
import { compose, fingerprintText, resolveRequest } from '../domain/verification/issue-request'
import type { IssueDependencies } from './issue-code'
import { sendAlone } from './send/alone'
import { keyHashOf, type SendRequest } from './send/request'
import type { Given } from './send/send'
import type { ModeRules, Modes } from './shared/mode'

/** Throws what `send` throws. The same code again answers the same, and sends nothing. */
export async function relayCode(
  deps: IssueDependencies,
  relay: Relay,
  relayed: RelayedCode,
  origin: Origin,
): Promise<{ issueId: string }> {
  assertRelayed(relayed)
  const { node, vault } = deps
  const app = await node.directory.app(relay.appId)
  if (!app) throw unavailable('The app of this relay was removed')
  const { relayId: keyId, appId, mode, templateId = DEFAULT_TEMPLATE_ID } = relay
  const caller: Caller = {
    ...{ keyId, appId, mode, organizationId: app.organizationId, region: app.region, kind: 'relay', limits: {} },
  }
  const rules = rulesOf(deps.modes, relay)
  const recipient = rules.recipient(relayed.phoneNumber, caller.region)
  const { occasion, hasStableId, locale, code, address } = relayed
  // Another occasion with the same code is another message, not a conflict.
  const idempotencyKey = [keyId, relayed.dedupe, ...(hasStableId ? [] : [occasion])].join(' ')
  const resolved = resolveRequest(
    {
      // The space was there before, and fingerprints of earlier releases are compared.
      ...{ phoneNumber: relayed.phoneNumber, purpose: ` ${relay.name}`, idempotencyKey, channel: 'sms', templateId },
      ...{ expiresInSec: RELAYED_LIFETIME_SEC, maxAttempts: 1 },
      metadata: { source: relay.source, ...(occasion && { type: occasion }) },
    },
    recipient,
    'sms',
  )
  const request: SendRequest = {
    ...{ caller, rules, recipient, keyHash: keyHashOf(vault, caller, idempotencyKey) },
    fingerprint: vault.fingerprint(fingerprintText(resolved)),
    idempotencyDays: hasStableId ? deps.idempotencyDays : DUPLICATE_DAYS,
    ...{ purpose: relay.name, channel: 'sms', templateId, smsFallback: true, metadata: resolved.metadata },
    ...{ expiresInSec: RELAYED_LIFETIME_SEC, legs: relay.legs, address, origin },
  }
  const permit = await node.limits.acquire(rules.requestLimits(caller, 'issue', address ?? ''))
  try {
    const render = ({ issueId, template, maySms }: Given) => {
      const ownText = relay.templateId === undefined
      const wording = { texts: textsOf(app), locale, webOtp: ownText ? (false as const) : undefined }
      const text = ownText ? relayed.text : undefined
      return {
        rendered: compose(resolved, recipient, { text, template, wording, code, key: undefined, maySms }),
        sealedCode: mode === 'test' ? vault.seal(relayedCodeSeal(issueId), code).toBase64() : undefined,
      }
    }
    // The platform counts its newest code only.
    return await sendAlone(deps, request, render, { replaces: mode === 'live' })
  } catch (error) {
    await permit.release()
    throw error
  }
}

/** The phone of every code of a test relay. */
const TEST_RELAY = 'test relay'

/** In test mode, too, a code may be for any number. A test keeps nothing of that, so that nothing of it has to be erased. */
function rulesOf({ live, test }: Modes, { mode }: Pick<Relay, 'mode'>): ModeRules {
  if (mode === 'live') return live
  const { requestLimits, issueLimits, prices, protection, watched, router, legs } = test
  return {
    ...{ ...live, requestLimits, issueLimits, prices, protection, watched, router, legs },
    recipient: (...asked) => ({ ...live.recipient(...asked), identity: TEST_RELAY }),
  }
}

/** The code of a test message. Undefined for others, and where it can no longer be opened. */
export function codeOfTest(
  { vault }: Pick<IssueDependencies, 'vault'>,
  { issueId, sealedCode }: Pick<Message, 'issueId' | 'sealedCode'>,
): string | undefined {
  if (sealedCode === undefined) return undefined
  try {
    return vault.open(relayedCodeSeal(issueId), Uint8Array.fromBase64(sealedCode))
  } catch {
    return undefined
  }
}
