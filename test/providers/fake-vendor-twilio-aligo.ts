/** A vendor's HTTP API behind the transport port: it answers as told, and remembers what it was asked. */

import { expect } from 'bun:test'
import type { AwaitedReport } from '../../src/domain/delivery/attempt'
import type { SendOutcome } from '../../src/domain/delivery/delivery'
import type { OutboundMessage } from '../../src/domain/message/rendered-message'
import type { Carrier } from '../../src/ports/carrier'
import type { Transport, TransportResult } from '../../src/ports/network'
import type { CarrierDependencies, CarrierType } from '../../src/providers/type'
import { NOW } from '../domain/sample'
import { HTTP_ONLY } from '../support/carrier'
import { VirtualClock } from '../support/clock'
import { seededRandom } from '../support/random'
import { withoutWords } from './without-words'

export type VendorRequest = Parameters<Transport['request']>[0]

export class FakeVendor implements Transport {
  readonly requests: VendorRequest[] = []
  answer: TransportResult = { kind: 'not_sent', reason: 'ConnectionRefused' }

  async request(request: VendorRequest): Promise<TransportResult> {
    this.requests.push(request)
    return this.answer
  }

  /** The only request there was, its form apart. */
  only(): VendorRequest & { form: Record<string, string> } {
    expect(this.requests).toHaveLength(1)
    const [request] = this.requests
    if (!request) throw new Error('no request')
    return { ...request, form: Object.fromEntries(new URLSearchParams(request.body ?? '')) }
  }
}

export const answered = (status: number, body: unknown): TransportResult => ({
  kind: 'answered',
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

/** What no outcome may tell. */
export const CODE = '482913'
export const TO = '+821012345678'
export const TEXT = `[Acme] 인증번호는 ${CODE}입니다.`

export const anOutbound = (changes: Partial<OutboundMessage> = {}): OutboundMessage => ({
  messageId: '019ca91c-4e00-7000-8000-0000000000aa',
  channel: 'sms',
  to: TO,
  text: TEXT,
  code: CODE,
  isFallback: false,
  expiresAt: NOW + 180_000,
  ...changes,
})

export const anAwaited = (changes: Partial<AwaitedReport> = {}): AwaitedReport => ({
  appId: 'app_one',
  mode: 'live',
  messageId: '019ca91c-4e00-7000-8000-0000000000aa',
  issueId: '019ca91c-4e00-7000-8000-000000000001',
  carrier: 'carrier',
  carrierMessageId: undefined,
  leg: 'sms',
  answeredAt: NOW,
  ...changes,
})

/** A provider of that type in front of the fake, configured as the administrator would have done it. */
export function connect(
  type: CarrierType,
  config: Record<string, unknown>,
  changes: Partial<CarrierDependencies> = {},
): { vendor: FakeVendor; provider: Carrier } {
  const vendor = new FakeVendor()
  const provider = type.create(
    { name: 'carrier', type: 'any', channels: type.channels, config, createdAt: NOW },
    {
      ...HTTP_ONLY,
      transport: vendor,
      clock: new VirtualClock(NOW),
      random: seededRandom(1),
      timeoutMs: 4_000,
      reportUrl: undefined,
      ...changes,
    },
  )
  return { vendor, provider: withoutWords(provider) }
}

/** Outcomes are kept and shown: a short ASCII code, and nothing of message or configuration. */
export function expectHarmless(outcome: SendOutcome, secrets: readonly string[]): void {
  const told = JSON.stringify(outcome)
  for (const secret of [...secrets, CODE, TO.slice(1), `0${TO.slice(3)}`, TEXT]) expect(told).not.toContain(secret)
  if (outcome.kind === 'accepted') return
  expect(outcome.code).toMatch(/^[\x21-\x7e]{1,64}$/)
  expect(outcome.code).not.toMatch(/\d{6}/)
}

/** What becomes of a request whatever the vendor is. */
export const WITHOUT_ANSWER: Array<[string, TransportResult, SendOutcome]> = [
  [
    'nothing listens',
    { kind: 'not_sent', reason: 'ConnectionRefused' },
    { kind: 'refused', retry: 'unreached', code: 'NOT_SENT_ConnectionRefused' },
  ],
  [
    'a timeout after the write',
    { kind: 'unknown', reason: 'TimeoutError' },
    { kind: 'ambiguous', code: 'NO_ANSWER_TimeoutError' },
  ],
  ['a reset', { kind: 'unknown', reason: 'ECONNRESET' }, { kind: 'ambiguous', code: 'NO_ANSWER_ECONNRESET' }],
]
