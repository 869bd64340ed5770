/** Domain refusal → contract error, in one table; nothing else gets out. Specification: "Errors". */
import { ORPCError, ValidationError } from '@orpc/contract'
import type { z } from 'zod'
import { STATUS } from '../../contract/constants'
import type { ErrorCode } from '../../contract/error'
import { invalid, Refusal, type RefusalKind } from '../domain/shared/error'
import { refusalOf } from '../domain/shared/validation'
import { GUIDE_PREFIX } from '../guide/shared'

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

/** An error of the contract: `defined` is true. */
export const interfaceError = (code: ErrorCode, message: string, data?: unknown): InterfaceError =>
  new ORPCError(code, { defined: true, status: STATUS[code], message, data })

/** An unexpected error; its cause is not revealed. */
export const unexpectedError = (): InterfaceError =>
  new ORPCError('INTERNAL_SERVER_ERROR', { defined: false, status: 500, message: 'Unexpected failure' })

/** The refusal of an error: its own, or `invalid` for input that fails the schema. */
export function asRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  if (error instanceof ORPCError && error.code === 'BAD_REQUEST' && error.cause instanceof ValidationError) {
    const { issues, data } = error.cause
    // All our schemas are zod's.
    return refusalOf(issues as readonly z.core.$ZodIssue[], data)
  }
  return undefined
}

/** For input that oRPC cannot deserialize. */
export const unreadable = () => invalid('body', 'invalid_format', 'not in the expected format')

/** Some messages quote the caller's input. */
const LONGEST_MESSAGE = 500

/** `more`: additional fields of the error's data. */
export function fromRefusal(refusal: Refusal, more?: object): InterfaceError {
  const link = linkOf(refusal)
  const message = refusal.message.slice(0, LONGEST_MESSAGE - link.length) + link
  return interfaceError(CODE[refusal.kind], message, more ? { ...dataOf(refusal), ...more } : dataOf(refusal))
}

/** The section of `docs/errors.md` on the server that answers. `unavailable` has none, since the caller can only wait. */
const linkOf = ({ kind, detail: { reason } }: Refusal): string =>
  kind === 'unavailable' ? '' : `. See ${GUIDE_PREFIX}/errors#${reason ?? CODE[kind].toLowerCase()}`

function dataOf({ kind, detail }: Refusal): object | undefined {
  const { param, reason, code, limit, policy, retryAfterMs, resetAt } = detail
  if (kind === 'limited') return { limit, policy, retryAfterMs }
  if (reason === undefined && code === undefined) return undefined
  return {
    ...(param !== undefined && { param }),
    ...(reason !== undefined && { reason }),
    ...(code !== undefined && { code }),
    ...(resetAt !== undefined && { resetAt: new Date(resetAt).toISOString() }),
  }
}

/** How long a request that is refused for overload should wait before it is sent again. */
export const RETRY_AFTER_MS = 1_000

/** The `Retry-After` header: whole seconds, rounded up. */
export const retryAfter = (ms: number | undefined): Record<string, string> =>
  ms === undefined ? {} : { 'retry-after': String(Math.ceil(ms / 1_000)) }
