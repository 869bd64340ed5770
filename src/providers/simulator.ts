/**
 * Test mode's carrier. It plays the scenario a magic number names, by the timelines of the specification
 * ("Test-mode behavior" 6), and is asked for reports like any carrier that is polled.
 */
import { scenarioOf } from '../domain/scenario'
import type { Carrier, Way } from '../ports/carrier'
import type { Clock } from '../ports/clock'
import type { Gates } from '../ports/node'

const NAME = 'simulator'
const AMBIGUOUS_CODE = 'TEST_PROVIDER_OUTCOME_UNKNOWN'
const FAILED_CODE = 'TEST_DELIVERY_FAILED'

/** Simulated messages only sleep. */
const AT_ONCE = 4_096

export const createSimulator = (clock: Clock, gates: Pick<Gates, 'open'>): Way => ({
  carrier: simulatedProvider(clock),
  gate: gates.open(NAME, AT_ONCE, { neverOpens: true }),
})

function simulatedProvider(clock: Clock): Carrier {
  return {
    name: NAME,
    reports: true,

    async send({ messageId, channel, scenario, isFallback }) {
      const script = scenarioOf(scenario === undefined ? {} : { scenario })
      const played =
        (channel === 'alimtalk' ? script.alimtalk : isFallback ? script.afterAlimtalk : undefined) ?? script.first
      await new Promise<void>((resolve) => clock.after(played.answersAfterMs, resolve))
      if (script.ambiguous) return { kind: 'ambiguous', code: AMBIGUOUS_CODE }
      // The message's own id says what its report will be, so that nothing need be remembered.
      return {
        kind: 'accepted',
        carrierMessageId: `${played.report}:${messageId}`,
        reportAfterMs: played.reportsAfterMs,
      }
    },

    async query({ carrierMessageId }) {
      return carrierMessageId?.startsWith('failed') ? { status: 'failed', code: FAILED_CODE } : { status: 'delivered' }
    },
  }
}
