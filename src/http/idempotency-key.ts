/** The idempotency key of a request. Specification: `POST /issue`, rules 1 and 2. */
import { idempotencyKey } from '../../contract/issue'
import { invalid } from '../domain/shared/error'
import { refusalOf } from '../domain/shared/validation'

/** Reads the header or the body field; if both are sent, they must be equal. Throws `invalid`. */
export function keyFor(inBody: string | undefined, header: string | null): string {
  const inHeader = header === null ? undefined : idempotencyKey.safeParse(header)
  if (inHeader && !inHeader.success) throw refusalOf(inHeader.error.issues, header, 'Idempotency-Key')
  if (inHeader && inBody !== undefined && inHeader.data !== inBody) {
    throw invalid('idempotencyKey', 'idempotency_key_mismatch', 'differs from the Idempotency-Key header')
  }
  const key = inHeader?.data ?? inBody
  if (key === undefined) {
    const problem = 'an Idempotency-Key header or this field is required'
    throw invalid('idempotencyKey', 'idempotency_key_required', problem)
  }
  return key
}
