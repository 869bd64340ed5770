/** Failures that a test injects. */
import type { InterfaceErrorCode } from '../error'

export type OperationName =
  | 'issue'
  | 'verify'
  | 'status'
  | 'listIssues'
  | 'getIssue'
  | 'listCreditLedger'
  | 'balance'
  | 'listTemplates'
  | 'getTemplate'

export interface WhichCall {
  /** The operation whose next call fails; any when omitted. */
  operation?: OperationName
}

/** An error of the interface, or a network failure. */
export type FailureCode = InterfaceErrorCode | 'NETWORK_ERROR' | 'TIMEOUT'

export interface FailureOptions extends WhichCall {
  /** True: the request is carried out and its answer is lost. False, the default: it never arrives. */
  carriedOut?: boolean
  /** `data` of an error of the interface. */
  data?: Record<string, unknown>
  /** `Retry-After` of the error, milliseconds. */
  retryAfterMs?: number
}

export interface Failure extends FailureOptions {
  code: FailureCode
}

interface Delay extends WhichCall {
  ms: number
}

export class Trouble {
  readonly #failures: Failure[] = []
  readonly #delays: Delay[] = []

  fail(failure: Failure): void {
    this.#failures.push(failure)
  }

  delay(delay: Delay): void {
    this.#delays.push(delay)
  }

  /** Takes the failure for a call that is made now. */
  of(operation: string): { failure: Failure | undefined; delayMs: number } {
    return { failure: take(this.#failures, operation), delayMs: take(this.#delays, operation)?.ms ?? 0 }
  }
}

function take<T extends WhichCall>(waiting: T[], operation: string): T | undefined {
  const index = waiting.findIndex((each) => each.operation === undefined || each.operation === operation)
  return index < 0 ? undefined : waiting.splice(index, 1)[0]
}
