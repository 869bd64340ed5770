/** Wrong codes at a phone. */
import type { FailureCount } from '../../abuse/rules/failure-budget'
import type { PhoneOfApp } from '../../domain/access/rate-limits'

export interface FailureTx {
  /** Reads them for change: undefined, there are none, and nobody else makes any until this ends. */
  lock(phone: PhoneOfApp): Promise<FailureCount | undefined>
  save(phone: PhoneOfApp, failures: FailureCount): Promise<void>
}
