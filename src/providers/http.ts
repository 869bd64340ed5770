/**
 * Any carrier with an HTTP API. With only a URL it POSTs
 * `{messageId, channel, to, text, from?, messageType?, templateCode?, variables?}` as JSON
 * and takes a 2xx with a JSON `id` or `messageId` as accepted.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { SendOutcome } from '../domain/delivery'
import { invalid } from '../domain/error'
import type {
  OutboundMessage,
  Provider,
  ProviderConfig,
  ReportCallback,
  ReportedMessage,
  TransportResult,
} from '../ports'
import type { ProviderDependencies, ProviderType } from './type'

const httpConfig = z.strictObject({
  /** Where messages are posted to. */
  url: z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' }),
  /** Sent with every message, for example an API key of the carrier. */
  headers: z.record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/), z.string().regex(/^[\x20-\x7e]*$/)).default({}),
  /**
   * The carrier is set up to call the report URL. Then a message is charged when it reports, or after a day;
   * otherwise its acceptance ends the processing. Reports that do come are heard in either case.
   */
  reports: z.boolean().default(false),
  /** What a report must show to be believed. */
  reportSecret: z.string().min(16),
})

function create({ name, config }: ProviderConfig, { transport, timeoutMs }: ProviderDependencies): Provider {
  const { url, headers, reports, reportSecret } = httpConfig.parse(config)
  return {
    name,
    reports,
    async send(message) {
      const result = await transport.request({
        method: 'POST',
        url,
        headers: {
          ...headers,
          'content-type': 'application/json',
          accept: 'application/json',
          // A carrier that knows the header can drop a duplicate that the network made.
          'idempotency-key': message.messageId,
        },
        body: JSON.stringify(bodyOf(message)),
        timeoutMs,
      })
      return outcomeOf(result)
    },
    readReports: (callback) => (isAuthentic(callback, reportSecret) ? reportsIn(callback.text) : undefined),
  }
}

const bodyOf = ({ messageId, channel, to, text, from, messageType, templateCode, variables }: OutboundMessage) => ({
  messageId,
  channel,
  to,
  text,
  from,
  messageType,
  templateCode,
  variables,
})

function outcomeOf(result: TransportResult): SendOutcome {
  if (result.kind === 'not_sent') return { kind: 'refused', retry: 'later', code: `NOT_SENT_${result.reason}` }
  if (result.kind === 'unknown') return { kind: 'ambiguous', code: `NO_ANSWER_${result.reason}` }
  const { status } = result
  const answer = parseObject(result.body)
  const code = textOf(answer.code) ?? `HTTP_${status}`
  if (status >= 200 && status < 300) {
    const id = textOf(answer.id) ?? textOf(answer.messageId)
    return id === undefined || id.length > 256
      ? { kind: 'ambiguous', code: `HTTP_${status}_WITHOUT_ID` }
      : { kind: 'accepted', providerMessageId: id }
  }
  if (status === 429) return { kind: 'refused', retry: 'later', code }
  // 408 and 5xx do not say whether the message was taken.
  if (status === 408 || status >= 500) return { kind: 'ambiguous', code }
  return { kind: 'refused', retry: NOT_OUR_MESSAGE.has(status) ? 'elsewhere' : 'never', code }
}

/** Credentials, balance and permission: the carrier refuses us, not the message. */
const NOT_OUR_MESSAGE = new Set([401, 402, 403])

const digest = (text: string) => createHash('sha256').update(text).digest()

/** The secret as a bearer token, or as `token` in the URL for carriers that can call nothing but a URL. */
function isAuthentic({ headers, query }: ReportCallback, secret: string): boolean {
  const shown = headers.get('authorization')?.replace(/^Bearer /i, '') ?? query.get('token') ?? ''
  return timingSafeEqual(digest(shown), digest(secret))
}

function parseReports(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid('body: not valid JSON')
  }
}

const reportSchema = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  messageId: z.union([z.string(), z.number()]).optional(),
  status: z.enum(['delivered', 'failed']),
  code: z.union([z.string(), z.number()]).optional(),
})

/** One report or an array: `{id | messageId, status: "delivered" | "failed", code?}`. What is none is passed over. */
function reportsIn(text: string): ReportedMessage[] {
  const body = parseReports(text)
  return (Array.isArray(body) ? body : [body]).flatMap((item) => {
    const report = reportSchema.safeParse(item).data
    const messageId = textOf(report?.id) ?? textOf(report?.messageId)
    if (!report || messageId === undefined) return []
    return [{ messageId, status: report.status, code: textOf(report.code) }]
  })
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

const EXPLANATIONS: ReadonlyArray<[RegExp, string]> = [
  [/^NOT_SENT_/, 'no connection to the carrier; check its URL, DNS and certificate'],
  [/^NO_ANSWER_/, 'the carrier did not answer in time, or broke off; the message may be out'],
  [/^HTTP_2\d\d_WITHOUT_ID$/, 'the carrier answered without a message id; check that the URL is its send endpoint'],
  [/^HTTP_40[13]$/, 'the carrier refused our credentials'],
  [/^HTTP_402$/, 'the account at the carrier has no balance'],
  [/^HTTP_429$/, 'the carrier asks for fewer messages at a time'],
  [/^HTTP_5\d\d$/, 'the carrier failed while it had the message; it may be out'],
  [/^HTTP_[34]\d\d$/, 'the carrier refused the message'],
]

export const http: ProviderType = {
  config: httpConfig,
  channels: ['sms', 'alimtalk'],
  create,
  explain: (code) => EXPLANATIONS.find(([pattern]) => pattern.test(code))?.[1],
}
