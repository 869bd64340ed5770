/** What a test wants to go wrong. */
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
  /** The next call of this one; of any when omitted. */
  operation?: OperationName
}

/** An error of the interface, or what happens to requests on their way. */
export type FailureCode = InterfaceErrorCode | 'NETWORK_ERROR' | 'TIMEOUT'

export interface FailureOptions extends WhichCall {
  /** The service does what it was asked, and its answer is lost. False when omitted: it never gets there. */
  carriedOut?: boolean
  /** `data` of an error of the interface. */
  data?: Record<string, unknown>
  /** When an error of the interface says that trying again may help, in milliseconds. */
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

  /** Of a call that is made now; none of it is of a later one. */
  of(operation: string): { failure: Failure | undefined; delayMs: number } {
    return { failure: take(this.#failures, operation), delayMs: take(this.#delays, operation)?.ms ?? 0 }
  }
}

function take<T extends WhichCall>(waiting: T[], operation: string): T | undefined {
  const index = waiting.findIndex((each) => each.operation === undefined || each.operation === operation)
  return index < 0 ? undefined : waiting.splice(index, 1)[0]
}
