/** The nine calls. */
import { WatchwordError } from './error'
import { type FlowClock, systemClock } from './flow/clock'
import type { ScreenSettings } from './flow/transport'
import { type RetryOptions, withRetries } from './retry'
import type * as contract from './types'
import type {
  Balance,
  GetIssueInput,
  GetTemplateInput,
  IssueProjection,
  LedgerEntry,
  ListCreditLedgerInput,
  ListCreditLedgerOutput,
  ListIssuesInput,
  ListIssuesOutput,
  StatusInput,
  StatusOutput,
  Template,
  TemplateList,
  VerifyInput,
} from './types'
import { type Answer, type Call, exchange, type Heard, type Wire } from './wire'

export { newIdempotencyKey } from './idempotency-key'

export interface IssueInput extends contract.IssueInput {
  /**
   * Required here: without one a lost answer could not be retried safely. Make one with `newIdempotencyKey` for each thing
   * the user asked for, and keep it for retries.
   */
  idempotencyKey: string
}

/** Added to the response from its headers. */
interface Told {
  /**
   * Time of the service when it answered, RFC 3339. Count from here to `expiresAt`: the device's clock may be wrong.
   * Undefined with an older service.
   */
  serverTime?: string | undefined
}

export interface IssueOutput extends contract.IssueOutput, Told {}
export interface VerifyOutput extends contract.VerifyOutput, Told {}

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
  /** With a secret key: the address of the end user, so that limits per address count for them. */
  clientIp?: string
}

/** The nine operations. Every call throws `WatchwordError`. */
export interface OtpClient {
  /** Issues a code and queues its delivery. Browser keys may call it. */
  issue(input: IssueInput, options?: CallOptions): Promise<IssueOutput>
  /** Verifies a code, once. A wrong code is an answer (`verified: false`), not an error. Browser keys may call it. */
  verify(input: VerifyInput, options?: CallOptions): Promise<VerifyOutput>
  /** Status of an issue. */
  status(input: StatusInput, options?: CallOptions): Promise<StatusOutput>
  /** One page of issues, newest first. */
  listIssues(input?: ListIssuesInput, options?: CallOptions): Promise<ListIssuesOutput>
  getIssue(input: GetIssueInput, options?: CallOptions): Promise<IssueProjection>
  /** One page of the credit ledger, newest first. */
  listCreditLedger(input?: ListCreditLedgerInput, options?: CallOptions): Promise<ListCreditLedgerOutput>
  balance(options?: CallOptions): Promise<Balance>
  listTemplates(options?: CallOptions): Promise<TemplateList>
  getTemplate(input: GetTemplateInput, options?: CallOptions): Promise<Template>
  /** Every issue that matches, newest first. Pages are read as they are needed. */
  eachIssue(filter?: Omit<ListIssuesInput, 'cursor'>, options?: CallOptions): AsyncIterable<IssueProjection>
  /** Every ledger entry that matches, newest first. */
  eachLedgerEntry(filter?: Omit<ListCreditLedgerInput, 'cursor'>, options?: CallOptions): AsyncIterable<LedgerEntry>
}

const DEFAULT_TIMEOUT_MS = 10_000
const NO_RETRIES: RetryOptions = { attempts: 1 }

/** The client, and what a screen asks it. */
export interface ScreenClient extends OtpClient {
  /** For `createFlow` and the screens: where the key sends codes, and the widget of its app. */
  screen(options: { signal: AbortSignal }): Promise<ScreenSettings>
}

/** Throws `WatchwordError` `SECRET_KEY_IN_BROWSER` for an `sk_` key in a browser. */
export function createOtpClient(options: OtpClientOptions): ScreenClient {
  const { apiKey, baseUrl } = options
  if (apiKey.startsWith('sk_') && isBrowser()) {
    throw new WatchwordError({
      code: 'SECRET_KEY_IN_BROWSER',
      message: 'A secret key in a browser: revoke it, and use a pk_ key there',
    })
  }
  const wire: Wire = { baseUrl, apiKey, send: options.fetch ?? ((request) => fetch(request)) }
  const untold = { requestId: undefined, clientIp: undefined, isIdempotent: true, heard: {} }
  return {
    ...clientOver((call) => exchange(wire, call), options),
    screen: async ({ signal }) =>
      (await exchange(wire, { operation: 'screen', input: {}, signal, ...untold })).output as ScreenSettings,
  }
}

type After = FlowClock['after']
type Patience = Pick<OtpClientOptions, 'retries' | 'timeoutMs'> & { after?: After }

/** Builds the client over any transport. */
export function clientOver(
  answer: (call: Call) => Promise<Answer>,
  { retries = NO_RETRIES, timeoutMs: usualTimeoutMs = DEFAULT_TIMEOUT_MS, after = systemClock.after }: Patience,
): OtpClient {
  const call = (operation: string, input: object, callOptions: CallOptions = {}, isIdempotent = true) => {
    const { signal, timeoutMs = usualTimeoutMs, requestId, clientIp } = callOptions
    return withRetries(retries, { waitAfter, pause: (ms) => pause(after, ms, signal) }, () =>
      inTime({ after, timeoutMs, signal, isIdempotent }, (limited, heard) =>
        answer({ operation, input, signal: limited, requestId, clientIp, isIdempotent, heard }),
      ),
    )
  }
  const answered = async <T>(...given: Parameters<typeof call>): Promise<T> => (await call(...given)).output as T
  /** Adds the service's time to the answer. */
  const timed = async <T>(...given: Parameters<typeof call>): Promise<T> => {
    const { output, serverTime } = await call(...given)
    return { ...output, serverTime } as T
  }

  const client: OtpClient = {
    issue: (input, callOptions) => timed('issue', input, callOptions),
    verify: (input, callOptions) => timed('verify', input, callOptions, false),
    status: (input, callOptions) => answered('status', input, callOptions),
    listIssues: (input = {}, callOptions) => answered('listIssues', input, callOptions),
    getIssue: (input, callOptions) => answered('getIssue', input, callOptions),
    listCreditLedger: (input = {}, callOptions) => answered('listCreditLedger', input, callOptions),
    balance: (callOptions) => answered('balance', {}, callOptions),
    listTemplates: (callOptions) => answered('listTemplates', {}, callOptions),
    getTemplate: (input, callOptions) => answered('getTemplate', input, callOptions),
    eachIssue: (filter = {}, callOptions) =>
      eachItem((cursor) => client.listIssues({ ...filter, cursor }, callOptions)),
    eachLedgerEntry: (filter = {}, callOptions) =>
      eachItem((cursor) => client.listCreditLedger({ ...filter, cursor }, callOptions)),
  }
  return client
}

interface Try {
  after: After
  timeoutMs: number
  signal: AbortSignal | undefined
  isIdempotent: boolean
}

/** One try. It ends at the timeout or when the caller aborts, also where the caller's `fetch` ignores the signal. */
async function inTime<T>(
  { after, timeoutMs, signal, isIdempotent }: Try,
  attempt: (signal: AbortSignal, heard: Heard) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const givenUp = rejection(controller.signal)
  const heard: Heard = {}
  const failed = (code: string, message: string, retryable: boolean, cause?: unknown) =>
    new WatchwordError({ code, message, retryable, ...heard, cause })
  const late = () => controller.abort(failed('TIMEOUT', 'No answer in time', isIdempotent))
  const aborted = () => controller.abort(failed('ABORTED', 'The call was aborted', false, signal?.reason))
  const stop = after(timeoutMs, late)
  signal?.addEventListener('abort', aborted, { once: true })
  if (signal?.aborted) aborted()
  try {
    return await Promise.race([givenUp, controller.signal.aborted ? givenUp : attempt(controller.signal, heard)])
  } catch (error) {
    if (error instanceof WatchwordError) throw error
    throw failed('NETWORK_ERROR', 'The service could not be reached, or something else answered', isIdempotent, error)
  } finally {
    stop()
    signal?.removeEventListener('abort', aborted)
  }
}

const rejection = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

const waitAfter = (error: unknown) =>
  error instanceof WatchwordError && error.retryable ? (error.retryAfterMs ?? 0) : undefined

/** Ends early when the caller aborts. */
function pause(after: After, delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = () => {
      stop()
      reject(new WatchwordError({ code: 'ABORTED', message: 'The call was aborted' }))
    }
    const stop = after(delayMs, () => {
      signal?.removeEventListener('abort', aborted)
      resolve()
    })
    if (signal?.aborted) aborted()
    else signal?.addEventListener('abort', aborted, { once: true })
  })
}

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

/** Whether this is a browser window or worker. Server-side runtimes have no document and no location. */
const isBrowser = () => {
  const { document, WorkerGlobalScope, location } = globalThis as {
    document?: unknown
    WorkerGlobalScope?: unknown
    location?: unknown
  }
  return document !== undefined || (WorkerGlobalScope !== undefined && location !== undefined)
}
