/** What domain and store tests start from. */

import { nextCarrier, type RefusedTry } from '../../src/domain/delivery/route'
import type { Message } from '../../src/domain/message/message'
import type { Issue } from '../../src/domain/verification/issue'
import type { Endpoint } from '../../src/domain/webhooks/webhook'

export const NOW = Date.parse('2026-03-01T12:00:00.000Z')

/** Properties tell the same story in every run. */
export const RUNS = { seed: 20_260_301, numRuns: 300 }

const hash = (length: number, fill: number) => Buffer.alloc(length, fill)

/** A fresh SMS issue, admitted at `NOW`, with a lifetime of three minutes. */
export const anIssue = (changes: Partial<Issue> = {}): Issue => ({
  appId: 'app_one',
  mode: 'live',
  issueId: '019ca91c-4e00-7000-8000-000000000001',
  messageId: '019ca91c-4e00-7000-8000-0000000000aa',
  purpose: 'signup',
  templateId: 'otp_default_kr',
  channel: 'sms',
  smsFallback: true,
  keyKind: 'sk',
  phoneHash: hash(32, 1),
  codeHash: hash(32, 2),
  country: 'KR',
  metadata: undefined,
  createdAt: NOW,
  expiresAt: NOW + 180_000,
  promisedExpiresAt: undefined,
  maxAttempts: 5,
  verificationStatus: 'issued',
  attemptsUsed: 0,
  verifiedAt: undefined,
  deliveryStatus: 'queued',
  leg: changes.channel ?? 'sms',
  sendPending: true,
  providerOutcomeAmbiguous: false,
  providerOutcomeCode: undefined,
  billingStatus: 'reserved',
  price: 1,
  debitedAmount: 0,
  updatedAt: NOW,
  prefixHash: undefined,
  networkHash: undefined,
  origin: undefined,
  legs: undefined,
  wrongAt: undefined,
  ...changes,
})

/** A message alone: the same without a code. */
export function aMessage(changes: Partial<Message> = {}): Message {
  const {
    codeHash,
    promisedExpiresAt,
    maxAttempts,
    verificationStatus,
    attemptsUsed,
    verifiedAt,
    wrongAt,
    ...message
  } = anIssue(changes as Partial<Issue>)
  return message
}

/** An endpoint that is told of codes that went out, and of nothing else. */
export const anEndpoint = (changes: Partial<Endpoint> = {}): Endpoint => ({
  appId: 'app_one',
  mode: 'live',
  endpointId: 'whe_one',
  url: 'https://app.example.com/hooks',
  events: ['otp.sent'],
  filters: {},
  headers: {},
  template: undefined,
  secrets: [{ secret: 'whsec_b25l' }],
  disabledAt: undefined,
  disabledReason: undefined,
  failingSince: undefined,
  createdAt: NOW,
  ...changes,
})

/** Runs `attempt` and answers what it threw; fails where it threw nothing. */
export function thrownBy(attempt: () => unknown): unknown {
  try {
    attempt()
  } catch (error) {
    return error
  }
  throw new Error('expected a refusal')
}

/** So many tries that the providers of a route asked to repeat later. */
export function triedOn(route: readonly string[], tries: number): RefusedTry[] {
  const tried: RefusedTry[] = []
  while (tried.length < tries) {
    const carrier = nextCarrier(route, tried)
    if (carrier === undefined) break
    tried.push({ carrier, retry: 'later' })
  }
  return tried
}
