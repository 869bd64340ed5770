/**
 * The typed client, for browsers, Node, Bun and edge runtimes. All nine calls come from the contract.
 *
 * ```ts
 * const otp = createOtpClient({ baseUrl: 'https://otp.example.com/v1', apiKey: process.env.OTP_API_KEY ?? '' })
 * const { issueId } = await otp.issue({ phoneNumber, purpose: 'signup', idempotencyKey: newIdempotencyKey() })
 * const { verified, reasonCode } = await otp.verify({ issueId, code })
 * ```
 */
import { createORPCClient, ORPCError } from '@orpc/client'
import { RPCLink } from '@orpc/client/fetch'
import type { ContractRouterClient, InferContractRouterInputs, InferContractRouterOutputs } from '@orpc/contract'
import type { Contract } from '../contract'
import { WatchwordError } from './error'
import { type RetryOptions, withRetries } from './retry'

export { WatchwordError, type WatchwordErrorCode, type WatchwordErrorReason } from './error'
export type { RetryOptions } from './retry'
// With its extension: the build ships it as a file of its own, which this one imports, so that there is one error class.
export {
  type EventType,
  type OtpEvent,
  type OtpEventOf,
  verifyWebhook,
  verifyWebhookSignature,
  type WebhookFailure,
  type WebhookHeaders,
  type WebhookRequest,
  WebhookVerificationError,
} from './webhook.js'

type Inputs = InferContractRouterInputs<Contract>
type Outputs = InferContractRouterOutputs<Contract>

/** `idempotencyKey` is required here: without one a lost answer could not be retried safely. */
export type IssueInput = Inputs['issue'] & { idempotencyKey: string }
export type IssueOutput = Outputs['issue']
export type VerifyInput = Inputs['verify']
export type VerifyOutput = Outputs['verify']
export type StatusOutput = Outputs['status']
export type ListIssuesInput = Inputs['listIssues']
export type ListIssuesOutput = Outputs['listIssues']
export type IssueProjection = Outputs['getIssue']
export type ListCreditLedgerInput = Inputs['listCreditLedger']
export type ListCreditLedgerOutput = Outputs['listCreditLedger']
export type LedgerEntry = ListCreditLedgerOutput['items'][number]
export type Balance = Outputs['balance']
export type TemplateList = Outputs['listTemplates']
export type Template = Outputs['getTemplate']

export interface OtpClientOptions {
  /** The service's `{base_url}`, which ends with `/v1`. */
  baseUrl: string
  /** An `sk_…` or `sk_test_…` key on servers; a `pk_…` or `pk_test_…` key in browsers. */
  apiKey: string
  /** Milliseconds one try may take; 10,000 when omitted. */
  timeoutMs?: number
  /** Retries are off unless given. They reuse the call's idempotency key. */
  retries?: RetryOptions
  /** Replaces the platform's `fetch`. */
  fetch?: (request: Request) => Promise<Response>
}

export interface CallOptions {
  signal?: AbortSignal
  /** Milliseconds one try of this call may take. */
  timeoutMs?: number
  /** Sent as `X-Request-Id`, and echoed: 8 to 128 letters, digits, dots, colons, dashes and underscores. */
  requestId?: string
}

/** Every call throws `WatchwordError`. */
export interface OtpClient {
  issue(input: IssueInput, options?: CallOptions): Promise<IssueOutput>
  /** A wrong code is an answer (`verified: false`), not an error. */
  verify(input: VerifyInput, options?: CallOptions): Promise<VerifyOutput>
  status(input: Inputs['status'], options?: CallOptions): Promise<StatusOutput>
  listIssues(input?: ListIssuesInput, options?: CallOptions): Promise<ListIssuesOutput>
  getIssue(input: Inputs['getIssue'], options?: CallOptions): Promise<IssueProjection>
  listCreditLedger(input?: ListCreditLedgerInput, options?: CallOptions): Promise<ListCreditLedgerOutput>
  balance(options?: CallOptions): Promise<Balance>
  listTemplates(options?: CallOptions): Promise<TemplateList>
  getTemplate(input: Inputs['getTemplate'], options?: CallOptions): Promise<Template>
  /** Every issue that matches, newest first, page after page as they are needed. */
  eachIssue(filter?: Omit<ListIssuesInput, 'cursor'>, options?: CallOptions): AsyncIterable<IssueProjection>
  /** Every ledger entry that matches, newest first. */
  eachLedgerEntry(filter?: Omit<ListCreditLedgerInput, 'cursor'>, options?: CallOptions): AsyncIterable<LedgerEntry>
}

/** A fresh idempotency key: make one for each thing the user asked for, and keep it for retries. */
export function newIdempotencyKey(): string {
  // Not `randomUUID`: pages on plain http lack it.
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

const DEFAULT_TIMEOUT_MS = 10_000

/** What one try learns of its answer besides the body. */
interface Exchange {
  requestId?: string
  given?: string | undefined
  retryAfterMs?: number
}

/** Throws `WatchwordError` `SECRET_KEY_IN_BROWSER` for an `sk_` key in a browser. */
export function createOtpClient(options: OtpClientOptions): OtpClient {
  const { apiKey, baseUrl, retries, timeoutMs: defaultTimeoutMs = DEFAULT_TIMEOUT_MS } = options
  if (apiKey.startsWith('sk_') && isBrowser()) {
    throw new WatchwordError({
      code: 'SECRET_KEY_IN_BROWSER',
      message: 'A secret key must never reach a browser. Use a public key (pk_…) there, and revoke this one.',
    })
  }
  const send = options.fetch ?? ((request: Request) => fetch(request))
  const link = new RPCLink<{ exchange: Exchange }>({
    url: `${baseUrl.replace(/\/+$/, '')}/rpc/otp`,
    headers: ({ context }) => ({
      authorization: `Bearer ${apiKey}`,
      ...(context.exchange.given !== undefined && { 'x-request-id': context.exchange.given }),
    }),
    async fetch(request, _init, { context }) {
      const response = await send(request)
      const { exchange } = context
      exchange.requestId = response.headers.get('x-request-id') ?? undefined
      exchange.retryAfterMs = retryAfterMs(response.headers.get('retry-after'))
      return response
    },
  })
  const rpc = createORPCClient<ContractRouterClient<Contract, { exchange: Exchange }>>(link)

  /** One call: tries with a timeout each, and everything that goes wrong as a `WatchwordError`. */
  function call<T>(
    make: (options: { signal: AbortSignal; context: { exchange: Exchange } }) => Promise<T>,
    { signal, timeoutMs = defaultTimeoutMs, requestId }: CallOptions = {},
    isIdempotent = true,
  ): Promise<T> {
    return withRetries(retries, signal, async () => {
      const exchange: Exchange = { given: requestId }
      const timeout = new AbortController()
      const timer = setTimeout(() => timeout.abort(), timeoutMs)
      const given = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal
      try {
        given.throwIfAborted()
        const output = await Promise.race([make({ signal: given, context: { exchange } }), rejection(given)])
        // A proxy or a login page may answer 200 with anything.
        if (typeof output !== 'object' || output === null) throw new TypeError('Not an answer of the service')
        return output
      } catch (error) {
        throw asWatchwordError(error, exchange, {
          isIdempotent,
          isAborted: signal?.aborted ?? false,
          isTimeout: timeout.signal.aborted,
        })
      } finally {
        clearTimeout(timer)
      }
    })
  }

  const client: OtpClient = {
    issue: (input, callOptions) => call((sent) => rpc.issue(input, sent), callOptions),
    verify: (input, callOptions) => call((sent) => rpc.verify(input, sent), callOptions, false),
    status: (input, callOptions) => call((sent) => rpc.status(input, sent), callOptions),
    listIssues: (input = {}, callOptions) => call((sent) => rpc.listIssues(input, sent), callOptions),
    getIssue: (input, callOptions) => call((sent) => rpc.getIssue(input, sent), callOptions),
    listCreditLedger: (input = {}, callOptions) => call((sent) => rpc.listCreditLedger(input, sent), callOptions),
    balance: (callOptions) => call((sent) => rpc.balance({}, sent), callOptions),
    listTemplates: (callOptions) => call((sent) => rpc.listTemplates({}, sent), callOptions),
    getTemplate: (input, callOptions) => call((sent) => rpc.getTemplate(input, sent), callOptions),
    eachIssue: (filter = {}, callOptions) =>
      eachItem((cursor) => client.listIssues({ ...filter, cursor }, callOptions)),
    eachLedgerEntry: (filter = {}, callOptions) =>
      eachItem((cursor) => client.listCreditLedger({ ...filter, cursor }, callOptions)),
  }
  return client
}

/** Rejects when the signal fires, also where a `fetch` of the caller's own does not listen to it. */
const rejection = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

async function* eachItem<T>(
  readPage: (cursor: string | undefined) => Promise<{ items: T[]; nextCursor?: string | undefined }>,
): AsyncGenerator<T> {
  let cursor: string | undefined
  do {
    const page = await readPage(cursor)
    yield* page.items
    cursor = page.nextCursor
  } while (cursor !== undefined)
}

/** A window, or a worker of one. Server-side runtimes have no document and no location. */
const isBrowser = () => {
  const { document, WorkerGlobalScope, location } = globalThis as {
    document?: unknown
    WorkerGlobalScope?: unknown
    location?: unknown
  }
  return document !== undefined || (WorkerGlobalScope !== undefined && location !== undefined)
}

function retryAfterMs(header: string | null): number | undefined {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : undefined
}

/** Answers that say that the request was not carried out, so that even a `verify` may be repeated. */
const NOT_CARRIED_OUT = new Set([429, 503])

interface Circumstances {
  isIdempotent: boolean
  isAborted: boolean
  isTimeout: boolean
}

function asWatchwordError(
  error: unknown,
  { requestId, retryAfterMs }: Exchange,
  circumstances: Circumstances,
): WatchwordError {
  const { isIdempotent, isAborted, isTimeout } = circumstances
  if (isAborted)
    return new WatchwordError({ code: 'ABORTED', message: 'The call was aborted', requestId, cause: error })
  if (isTimeout) {
    return new WatchwordError({
      code: 'TIMEOUT',
      message: 'No answer in time',
      requestId,
      retryable: isIdempotent,
      cause: error,
    })
  }
  if (error instanceof ORPCError && requestId !== undefined) {
    const { code, status, message, data } = error
    const retryable = NOT_CARRIED_OUT.has(status) || (status >= 500 && isIdempotent)
    return new WatchwordError({ code, status, message, data, requestId, retryAfterMs, retryable, cause: error })
  }
  return new WatchwordError({
    code: 'NETWORK_ERROR',
    message: 'The service could not be reached, or something else answered',
    requestId,
    retryable: isIdempotent,
    cause: error,
  })
}
