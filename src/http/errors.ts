/** Domain refusal → contract error, in one table; nothing else gets out. Specification: "Errors". */
import { ORPCError, ValidationError } from '@orpc/contract'
import { ERROR_STATUS, type ErrorCode } from '../../contract/error'
import { Refusal, type RefusalKind, unavailable } from '../domain/error'

const CODE: Readonly<Record<RefusalKind, ErrorCode>> = {
  invalid: 'BAD_REQUEST',
  unauthorized: 'UNAUTHORIZED',
  no_credit: 'PAYMENT_REQUIRED',
  forbidden: 'FORBIDDEN',
  not_found: 'NOT_FOUND',
  conflict: 'CONFLICT',
  too_large: 'PAYLOAD_TOO_LARGE',
  limited: 'TOO_MANY_REQUESTS',
  unavailable: 'SERVICE_UNAVAILABLE',
}

export type InterfaceError = ORPCError<string, unknown>

/** An error the contract names: `defined` is true. */
export const interfaceError = (code: ErrorCode, message: string, data?: unknown): InterfaceError =>
  new ORPCError(code, { defined: true, status: ERROR_STATUS[code], message, data })

/** What nobody foresaw: the cause stays inside. */
export const unexpectedError = (): InterfaceError =>
  new ORPCError('INTERNAL_SERVER_ERROR', { defined: false, status: 500, message: 'Unexpected failure' })

/** The refusal an error stands for: its own, or `unavailable` for a database that cannot be read. */
export function asRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  if (!(error instanceof Error) || error.name !== 'SQLiteError') return undefined
  return Object.assign(unavailable('The store cannot be read at the moment'), { cause: error })
}

export const fromRefusal = (refusal: Refusal): InterfaceError =>
  interfaceError(CODE[refusal.kind], refusal.message, dataOf(refusal))

function dataOf({ kind, detail }: Refusal): unknown {
  const { code, limit, policy, retryAfterMs, resetAt } = detail
  if (kind === 'limited') return { limit, policy, retryAfterMs }
  if (code === undefined) return undefined
  return { code, ...(resetAt !== undefined && { resetAt: new Date(resetAt).toISOString() }) }
}

/** The interface's error for input that does not fit the schema, or undefined for any other error. */
export function fromValidation(error: unknown): InterfaceError | undefined {
  if (!(error instanceof ORPCError) || error.code !== 'BAD_REQUEST') return undefined
  const cause = error.cause
  if (!(cause instanceof ValidationError)) return undefined
  return interfaceError('BAD_REQUEST', cause.issues.slice(0, 3).map(fieldMessage).join('; '))
}

const CLIP = 200

function fieldMessage(issue: ValidationError['issues'][number]): string {
  const { path = [], message } = issue
  const [unknown] = 'keys' in issue && Array.isArray(issue.keys) ? issue.keys : []
  if (typeof unknown === 'string') return `${unknown.slice(0, 64)}: unknown field or parameter`
  const field = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
  return `${field || 'body'}: ${message}`.slice(0, CLIP)
}
