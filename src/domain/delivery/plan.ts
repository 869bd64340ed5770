/** The channels by which a code goes, their order, and the waits between them. Decisions: "Delivery plans". */
import { invalid } from '../shared/error'
import type { Channel, Leg } from '../shared/value'

/** One step of a delivery plan. */
export interface PlannedLeg {
  readonly channel: Leg
  /** Seconds after a carrier took the message. Then the next leg starts, unless the message was delivered. */
  readonly waitSec?: number | undefined
}

/** The legs of one app for a channel that callers ask for. */
export interface DeliveryPlan {
  readonly channel: Channel
  /** ISO 3166; undefined: every country without a plan of its own. */
  readonly country: string | undefined
  readonly legs: readonly PlannedLeg[]
  /** The leg that a code begins with which is asked for while the last one lives: the one after that one's (`next`, the default), or the first. */
  readonly resend?: Resend | undefined
}

export const RESENDS = ['next', 'first'] as const
export type Resend = (typeof RESENDS)[number]

export const LEGS_MAX = 4
export const WAIT_SEC = { min: 1, max: 600 } as const
/** The longest `expiresInSec` of a request. */
const LONGEST_LIFE_SEC = 600

/** Throws `invalid` for legs that cannot be played. */
export function assertLegs(legs: readonly PlannedLeg[]): void {
  const refuse = (what: string) => invalid('legs', 'invalid_format', what)
  if (legs.length < 1 || legs.length > LEGS_MAX) throw refuse(`a plan has 1 to ${LEGS_MAX} legs`)
  if (new Set(legs.map(({ channel }) => channel)).size < legs.length) throw refuse('a channel stands in a plan once')
  for (const { waitSec } of legs) {
    if (waitSec !== undefined && !(Number.isInteger(waitSec) && waitSec >= WAIT_SEC.min && waitSec <= WAIT_SEC.max))
      throw refuse(`a leg waits ${WAIT_SEC.min} to ${WAIT_SEC.max} seconds`)
  }
  const waits = legs.reduce((sum, { waitSec = 0 }) => sum + waitSec, 0)
  if (waits >= LONGEST_LIFE_SEC)
    throw refuse(
      `its legs wait ${waits} s together, and no code lives longer than ${LONGEST_LIFE_SEC} s: the last leg would never start`,
    )
  if (legs.at(-1)?.waitSec !== undefined) throw refuse('the last leg has nothing to wait for')
}

/** The plan of an app for a new issue: that of its country, else that of every country. */
export function planFor(
  plans: readonly DeliveryPlan[] = [],
  { channel, country }: { channel: Channel; country: string | undefined },
): DeliveryPlan | undefined {
  const ofChannel = plans.filter((plan) => plan.channel === channel)
  return (
    ofChannel.find((one) => one.country !== undefined && one.country === country) ??
    ofChannel.find((one) => one.country === undefined)
  )
}

/** The legs of a new issue where its app has a plan for it. */
export function plannedLegs(
  plans: readonly DeliveryPlan[],
  { smsFallback, ...asked }: { channel: Channel; country: string | undefined; smsFallback: boolean },
): readonly PlannedLeg[] | undefined {
  const { channel } = asked
  const plan = planFor(plans, asked)
  if (!plan || channel !== 'alimtalk' || smsFallback) return plan?.legs
  // The caller has declined the SMS that would follow.
  return withoutLastWait(plan.legs.filter(({ channel: leg }, at) => at === 0 || leg !== 'sms'))
}

/** The legs after the one that brought nothing; all of them where it was the last, or is none of them. */
export const legsAfter = (legs: readonly PlannedLeg[], last: Leg): readonly PlannedLeg[] => {
  const at = legs.findIndex(({ channel }) => channel === last)
  return at === -1 || at === legs.length - 1 ? legs : legs.slice(at + 1)
}

/** Leaves out the channels that do not reach the phone, unless none would be left. */
export function reachingLegs(legs: readonly PlannedLeg[], absentFrom: readonly Leg[]): readonly PlannedLeg[] {
  const reaching = legs.filter(({ channel }) => !absentFrom.includes(channel))
  return reaching.length === 0 ? legs : withoutLastWait(reaching)
}

const withoutLastWait = (legs: readonly PlannedLeg[]) =>
  legs.map((leg, at) => (at === legs.length - 1 ? { channel: leg.channel } : leg))
