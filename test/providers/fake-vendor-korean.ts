/** A Korean vendor's HTTP API behind the transport port: it answers as told, and remembers what it was asked. */

import { expect } from 'bun:test'
import type { AwaitedReport } from '../../src/domain/delivery/attempt'
import { presentableCode, type SendOutcome } from '../../src/domain/delivery/delivery'
import type { OutboundMessage } from '../../src/domain/message/rendered-message'
import type { Carrier, ReportCallback } from '../../src/ports/carrier'
import type { Transport, TransportResult } from '../../src/ports/network'
import type { SendVerdict } from '../../src/providers/answer'
import type { DescriptionFile } from '../../src/providers/description'
import type { CarrierType } from '../../src/providers/type'
import { NOW } from '../domain/sample'
import { HTTP_ONLY } from '../support/carrier'
import { VirtualClock } from '../support/clock'
import { seededRandom } from '../support/random'
import { withoutWords } from './without-words'

type VendorRequest = Parameters<Transport['request']>[0]

export const MESSAGE_ID = '019ca91c-4e00-7000-8000-0000000000aa'
export const REPORT_SECRET = 'the-secret-of-the-webhook'
export const CODE = '482913'
export const TEXT = `[Acme] 인증번호는 ${CODE}입니다.`
const TO = '+821012345678'

export class FakeVendor {
  readonly requests: VendorRequest[] = []
  readonly clock = new VirtualClock(NOW)
  answer: TransportResult | ((request: VendorRequest) => TransportResult) = {
    kind: 'not_sent',
    reason: 'ConnectionRefused',
  }

  provider(type: CarrierType, config: object): Carrier {
    const dependencies = {
      ...HTTP_ONLY,
      transport: {
        request: async (request: VendorRequest) => {
          this.requests.push(request)
          return typeof this.answer === 'function' ? this.answer(request) : this.answer
        },
      },
      clock: this.clock,
      random: seededRandom(1),
      timeoutMs: 10_000,
      reportUrl: undefined,
    }
    const parsed = type.config.parse(config) as Record<string, unknown>
    return withoutWords(
      type.create({ name: 'kr', type: 'kr', channels: type.channels, config: parsed, createdAt: NOW }, dependencies),
    )
  }

  /** The only request there was, with its body read. */
  only() {
    expect(this.requests).toHaveLength(1)
    const [request] = this.requests
    if (!request) throw new Error('no request')
    return { ...request, json: request.body === undefined ? undefined : JSON.parse(request.body) }
  }
}

/** The table of codes as a vendor writes them, but for those that are ours. */
export const codesOf = ({ codes = {} }: DescriptionFile, prefix = '') =>
  new Map(
    Object.entries(codes)
      .filter(([code]) => code.startsWith(prefix) && !/^(NO_|NOT_|HTTP_|ALIMTALK_)/.test(code))
      .map(([code, [verdict, why]]) => [code.slice(prefix.length), [verdict as SendVerdict | 'stopped', why]] as const),
  )

export const answered = (status: number, body: unknown): TransportResult => ({
  kind: 'answered',
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

export const anSms = (changes: Partial<OutboundMessage> = {}): OutboundMessage => ({
  messageId: MESSAGE_ID,
  channel: 'sms',
  to: TO,
  text: TEXT,
  code: CODE,
  messageType: 'SMS',
  isFallback: false,
  expiresAt: NOW + 180_000,
  ...changes,
})

export const anAlimtalk = (changes: Partial<OutboundMessage> = {}): OutboundMessage => ({
  messageId: MESSAGE_ID,
  channel: 'alimtalk',
  to: TO,
  text: TEXT,
  code: CODE,
  templateCode: 'OTP_KR',
  variables: { code: CODE, minutes: '3' },
  isFallback: false,
  expiresAt: NOW + 180_000,
  ...changes,
})

export const anAwaited = (carrierMessageId: string | undefined): AwaitedReport => ({
  appId: 'app_one',
  mode: 'live',
  messageId: MESSAGE_ID,
  issueId: '019ca91c-4e00-7000-8000-000000000001',
  carrier: 'kr',
  carrierMessageId,
  leg: 'sms',
  answeredAt: NOW,
})

export function aCallback(body: unknown, headers: Record<string, string> = {}, search = ''): ReportCallback {
  const url = `https://otp.example.com/provider-reports/kr${search}`
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { url, headers: new Headers(headers), query: new URL(url).searchParams, text }
}

/** What each class of failure below the vendor's own codes makes of a send, whoever the vendor is. */
export const FAILURES: ReadonlyArray<[string, TransportResult, SendOutcome]> = [
  [
    'no connection',
    { kind: 'not_sent', reason: 'ConnectionRefused' },
    { kind: 'refused', retry: 'unreached', code: 'NOT_SENT_ConnectionRefused' },
  ],
  [
    'timeout after the write',
    { kind: 'unknown', reason: 'TimeoutError' },
    { kind: 'ambiguous', code: 'NO_ANSWER_TimeoutError' },
  ],
  ['reset', { kind: 'unknown', reason: 'ECONNRESET' }, { kind: 'ambiguous', code: 'NO_ANSWER_ECONNRESET' }],
  ['500', answered(500, 'oops'), { kind: 'ambiguous', code: 'HTTP_500' }],
  ['502 of a proxy', answered(502, '<html>Bad Gateway</html>'), { kind: 'ambiguous', code: 'HTTP_502' }],
  ['408', answered(408, ''), { kind: 'ambiguous', code: 'HTTP_408' }],
  ['garbage 2xx', answered(200, '<html>'), { kind: 'ambiguous', code: 'HTTP_200_UNREADABLE' }],
  ['JSON of another kind', answered(200, '[1]'), { kind: 'ambiguous', code: 'HTTP_200_UNREADABLE' }],
  ['JSON null', answered(200, 'null'), { kind: 'ambiguous', code: 'HTTP_200_UNREADABLE' }],
  ['empty 2xx', answered(200, ''), { kind: 'ambiguous', code: 'HTTP_200_UNREADABLE' }],
  ['429', answered(429, ''), { kind: 'refused', retry: 'later', code: 'HTTP_429' }],
  ['401', answered(401, ''), { kind: 'refused', retry: 'unfit', code: 'HTTP_401' }],
  ['402', answered(402, ''), { kind: 'refused', retry: 'unfit', code: 'HTTP_402' }],
  ['404', answered(404, ''), { kind: 'refused', retry: 'elsewhere', code: 'HTTP_404' }],
  ['a redirect', answered(302, ''), { kind: 'refused', retry: 'elsewhere', code: 'HTTP_302' }],
]

/** An outcome code is kept as it is, and tells neither number nor text, code or any of these. */
export function expectDiscreet(outcome: SendOutcome, secrets: readonly string[]): void {
  if (outcome.kind !== 'accepted') {
    expect(presentableCode(outcome.code)).toBe(outcome.code)
    expect(outcome.code).not.toMatch(/\d{6}/)
  }
  const told = JSON.stringify(outcome)
  for (const secret of [TO.slice(-8), '인증번호', CODE, REPORT_SECRET, ...secrets]) expect(told).not.toContain(secret)
}
