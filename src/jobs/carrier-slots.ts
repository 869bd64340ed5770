/** Slots of messages: acquired when a job is claimed, moved to its carrier, and released. */
import type { Health } from '../domain/delivery/carrier'
import type { SendOutcome } from '../domain/delivery/delivery'
import { FRONT } from '../domain/operations/job'
import type { Clock } from '../ports/clock'
import type { CarrierPermit, CarrierSlot, ConcurrencyLimiter, ConcurrencyLimiters, Slot } from '../ports/node'
import { Semaphore } from './semaphore'

/** Messages whose carrier is not chosen yet. A message that is being sent counts at its carrier instead. */
const MAX_UNASSIGNED = 256

export interface CarrierSlots {
  /** A slot for one more message of a queue: at the carrier it waits for, or among those without a carrier yet. */
  acquire(queue: string): CarrierSlot | undefined
  /** Calls at each release. `tookMs` is how long the carrier took to answer, where the message was answered. */
  onRelease(listener: (carrier: string | undefined, tookMs: number | undefined) => void): void
}

export function createCarrierSlots({
  limiters,
  clock,
}: {
  limiters: ConcurrencyLimiters
  clock: Pick<Clock, 'now'>
}): CarrierSlots {
  const unassigned = new Semaphore(() => MAX_UNASSIGNED)
  const listeners: Array<Parameters<CarrierSlots['onRelease']>[0]> = []
  const released: Parameters<CarrierSlots['onRelease']>[0] = (carrier, tookMs) => {
    for (const listener of listeners) listener(carrier, tookMs)
  }
  return {
    acquire(queue) {
      const limiter = queue === FRONT ? undefined : limiters.find(queue)
      const now = clock.now()
      const slot = limiter ? limiter.acquire(now) : unassigned.acquire()
      return slot && new AcquiredCarrierSlot(limiter && queue, slot, released, now)
    },
    onRelease: (listener) => void listeners.push(listener),
  }
}

class AcquiredCarrierSlot implements CarrierSlot {
  constructor(
    public carrier: string | undefined,
    private slot: Slot | CarrierPermit,
    private readonly released: Parameters<CarrierSlots['onRelease']>[0],
    private acquiredAt: number,
  ) {}

  moveTo(carrier: string, limiter: ConcurrencyLimiter, now: number): void {
    const permit = limiter.acquire(now)
    if (!permit) return
    this.slot.release()
    this.slot = permit
    this.carrier = carrier
    this.acquiredAt = now
  }

  settle(outcome: SendOutcome, at: number): Health | undefined {
    if (!('settle' in this.slot)) throw new Error('A message without a place at a carrier was sent')
    const health = this.slot.settle(outcome, at)
    this.released(this.carrier, at - this.acquiredAt)
    return health
  }

  release(): void {
    this.slot.release()
    this.released(this.carrier, undefined)
  }
}
