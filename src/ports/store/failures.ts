/** Wrong codes at a phone. */
import type { Failures } from '../../domain/failure-budget'
import type { PhoneOfApp } from '../../domain/limit'

export interface FailureTx {
  /** Reads them for change: undefined, there are none, and nobody else makes any until this ends. */
  lock(phone: PhoneOfApp): Promise<Failures | undefined>
  save(phone: PhoneOfApp, failures: Failures): Promise<void>
}
