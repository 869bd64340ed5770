/**
 * Any carrier with an HTTP API. With only a URL it POSTs
 * `{messageId, channel, to, text, from?, messageType?, templateCode?, variables?}` as JSON
 * and takes a 2xx with a JSON `id` or `messageId` as accepted.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { SendOutcome } from '../domain/delivery'
import type {
  OutboundMessage,
  Provider,
  ProviderConfig,
  ReportCallback,
  ReportedMessage,
  Transport,
  TransportResult,
} from '../ports'

export const httpProviderConfig = z.strictObject({
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

interface Dependencies {
  transport: Transport
  timeoutMs: number
}

export function createHttpProvider({ name, config }: ProviderConfig, { transport, timeoutMs }: Dependencies): Provider {
  const { url, headers, reports, reportSecret } = httpProviderConfig.parse(config)
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
    readReports: (callback) => (isAuthentic(callback, reportSecret) ? reportsIn(callback.body) : undefined),
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
  return { kind: 'refused', retry: 'never', code }
}

const digest = (text: string) => createHash('sha256').update(text).digest()

/** The secret as a bearer token, or as `token` in the URL for carriers that can call nothing but a URL. */
function isAuthentic({ headers, query }: ReportCallback, secret: string): boolean {
  const shown = headers.get('authorization')?.replace(/^Bearer /i, '') ?? query.get('token') ?? ''
  return timingSafeEqual(digest(shown), digest(secret))
}

const reportSchema = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  messageId: z.union([z.string(), z.number()]).optional(),
  status: z.enum(['delivered', 'failed']),
  code: z.union([z.string(), z.number()]).optional(),
})

/** One report or an array: `{id | messageId, status: "delivered" | "failed", code?}`. What is none is passed over. */
function reportsIn(body: unknown): ReportedMessage[] {
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
