/** Places of messages: taken when a job is claimed, moved to its carrier, and freed, all of it here. */
import type { Health } from '../domain/delivery/carrier'
import type { SendOutcome } from '../domain/delivery/delivery'
import { FRONT } from '../domain/operations/job'
import type { Clock } from '../ports/clock'
import type { CarrierPermit, CarrierSlot, ConcurrencyLimiter, ConcurrencyLimiters, Slot } from '../ports/node'
import { Semaphore } from './semaphore'

/** Messages that look for their carrier; one that is being sent counts there instead. */
const LOOKING = 256

export interface CarrierSlots {
  /** Room for one more message of a queue: at the carrier it waits for, or among those that look for theirs. */
  take(queue: string): CarrierSlot | undefined
  /** Calls whenever one at a carrier has become free; `tookMs`: how long an answer took, where it is that. */
  whenFreed(look: (carrier: string | undefined, tookMs: number | undefined) => void): void
}

export function createCarrierSlots({
  limiters,
  clock,
}: {
  limiters: ConcurrencyLimiters
  clock: Pick<Clock, 'now'>
}): CarrierSlots {
  const looking = new Semaphore(() => LOOKING)
  const looks: Array<Parameters<CarrierSlots['whenFreed']>[0]> = []
  const freed: Parameters<CarrierSlots['whenFreed']>[0] = (carrier, tookMs) => {
    for (const look of looks) look(carrier, tookMs)
  }
  return {
    take(queue) {
      const limiter = queue === FRONT ? undefined : limiters.find(queue)
      const now = clock.now()
      const place = limiter ? limiter.acquire(now) : looking.enter()
      return place && new TakenSeat(limiter && queue, place, freed, now)
    },
    whenFreed: (look) => void looks.push(look),
  }
}

class TakenSeat implements CarrierSlot {
  constructor(
    public carrier: string | undefined,
    private place: Slot | CarrierPermit,
    private readonly freed: Parameters<CarrierSlots['whenFreed']>[0],
    private takenAt: number,
  ) {}

  moveTo(carrier: string, limiter: ConcurrencyLimiter, now: number): void {
    const pass = limiter.acquire(now)
    if (!pass) return
    this.place.release()
    this.place = pass
    this.carrier = carrier
    this.takenAt = now
  }

  settle(outcome: SendOutcome, at: number): Health | undefined {
    if (!('settle' in this.place)) throw new Error('A message without a place at a carrier was sent')
    const health = this.place.settle(outcome, at)
    this.freed(this.carrier, at - this.takenAt)
    return health
  }

  release(): void {
    this.place.release()
    this.freed(this.carrier, undefined)
  }
}
