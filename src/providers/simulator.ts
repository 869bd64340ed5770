/**
 * Test mode's carrier. It plays the scenario a magic number names, by the timelines of the specification
 * ("Test-mode behavior" 6), and is asked for reports like any carrier that is polled.
 */
import { testReport, testSend } from '../domain/verification/test-scenario'
import type { Carrier, CarrierEndpoint } from '../ports/carrier'
import type { Clock } from '../ports/clock'
import type { ConcurrencyLimiters } from '../ports/node'

const NAME = 'simulator'

/** Simulated messages only sleep. */
const AT_ONCE = 4_096

export const createSimulator = (clock: Clock, limiters: Pick<ConcurrencyLimiters, 'open'>): CarrierEndpoint => ({
  carrier: simulatedProvider(clock),
  limiter: limiters.open(NAME, AT_ONCE, { neverOpens: true }),
})

function simulatedProvider(clock: Clock): Carrier {
  return {
    name: NAME,
    reports: true,

    async send(message) {
      const { afterMs, outcome } = testSend(message)
      await new Promise<void>((resolve) => clock.after(afterMs, resolve))
      return outcome
    },

    query: async ({ carrierMessageId }) => testReport(carrierMessageId),
  }
}
